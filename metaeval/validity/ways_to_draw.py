"""What each way of drawing bars costs and reveals, on real judgements: the two figures that every plan has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from annotations.designing.distorting import STEPS, DisplayChoice, weighed
from annotations.designing.pairing import Pairs
from annotations.ground.arrays import Integers, Matrix
from annotations.ground.display_rule import EXACT, DisplayRule
from annotations.ground.progress import silent
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.options import options_from
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable, Target
from annotations.importing.reading.files import SourceFile
from annotations.models import Task
from metaeval.sampling import stream
from metaeval.validity.sections import Effort, ValidityTable, validity_section

SYSTEMS = 3
NOISE = 0.8  # of the logits of a perturbed share
ROBERTA = [f"SNLI_{part}_roberta-base_{seed}.json" for part in ("dev", "test") for seed in range(SYSTEMS)]
STEPS_OF_TABLE = (None, *sorted(STEPS, reverse=True), EXACT)
COLUMNS = (
    "bars are drawn in",
    "off on average",
    "off in 95%",
    "off at most",
    "off by more than 5",
    "people off at most",
    "two sides the same",
    "named by the grid",
    "named once learned",
    "certainly a system",
)


@validity_section(
    place=70,
    title="Ways to draw: what they cost, and what they give away",
    about=f"""
Every text of four real sets of judgements beside {SYSTEMS} systems. ChaosNLI-SNLI with its hundred votes a text, and
the same texts with the labels (mostly five) that they had before, stand beside three runs of RoBERTa. HS-Brexit
(LeWiDi-2023, six people a text) and VariErrNLI (LeWiDi-2025, several labels, mostly four people) come without
predictions: theirs are people's own shares, perturbed (half a vote added to each label, normal noise of {NOISE} on the
logits).

*Off* is the distance in points between a drawn bar of a prediction and the prediction: on average, in 95% of all
bars, at most, and the share of bars that are off by more than 5. *People off* is the same for their own bars.
*Two sides the same* are comparisons in which both draw the same bars. *Named* is how often one could guess people's
side (chance: 50): from the number of people who judged each text alone, and, at least, after learning from other
texts. *Certainly a system* are sides that sum to less, or have more bars, than any side of people's.
""",
    finding="""
Where many people judged each text, the grid is as fine as whole percentages, and nothing has to be chosen. Where few
did, the grid draws predictions coarsely and tells nothing by its values; the finer a step is than the grid, the truer
the bars and the more it tells. A fixed step that does not fit the number of people has both prices. What shapes tell
is left in every case: these systems can be learned, and the plan says how well. (Below 50 the grid misleads.)
""",
    needs_data=True,
)
def ways_to_draw(effort: Effort) -> list[ValidityTable]:
    data = effort.files()
    chaos, snli = data / "chaosnli", ["chaosNLI_snli.jsonl"]
    many, few = (read_dataset("chaosnli", chaos, snli, votes=votes) for votes in ("new", "old"))
    roberta = predictions_of(many, chaos, ROBERTA)
    brexit = [f"HS-Brexit_{split}.json" for split in ("train", "dev", "test")]
    varierr = [f"VariErrNLI_{split}.json" for split in ("train", "dev")]
    others = [
        ("HS-Brexit, perturbed shares", read_dataset("lewidi2023", data / "lewidi2023", brexit)),
        ("VariErrNLI, perturbed shares", read_dataset("lewidi2025", data / "lewidi2025", varierr)),
    ]
    compared = [
        ("ChaosNLI-SNLI, RoBERTa", pairs_of(many, roberta)),
        ("ChaosNLI-SNLI by the labels that it had before, RoBERTa", pairs_of(few, roberta)),
    ]
    for place, (name, table) in enumerate(others):
        rng = np.random.default_rng(stream(np.random.SeedSequence([effort.seed, 70]), place))
        compared.append((name, pairs_of(table, perturbed(table, rng))))
    return [_table(name, pairs) for name, pairs in compared]


def read_dataset(reader: str, folder: Path, files: Sequence[str], **options: Any) -> DatasetTable:
    """A dataset as an import reads it, in memory."""
    found = dataset_readers.get(reader)
    problems = Problems()
    table: DatasetTable = found.read(
        [SourceFile.at(folder / name) for name in files], options_from(found.options, options), problems, silent
    )
    problems.stop_if_any()
    return table


def predictions_of(table: DatasetTable, folder: Path, files: Sequence[str]) -> list[Matrix]:
    """The predictions in ChaosNLI's files for its dataset, one matrix per system."""
    reader = prediction_readers.get("chaosnli")
    problems = Problems()
    target = Target("chaosnli", table.labels, tuple(one.external_id for one in table.instances))
    sources = [SourceFile.at(folder / name) for name in files]
    found = reader.read(sources, options_from(reader.options, {}), target, problems, silent)
    problems.stop_if_any()
    return [system.Q for system in found.systems]


def people_of(table: DatasetTable) -> Integers:
    """How many people judged each text."""
    if table.annotations is None:
        raise ValueError("only shares are known, not whose they are")
    return table.annotations.people(instances=len(table.instances)).astype(np.int64)


def perturbed(table: DatasetTable, rng: np.random.Generator) -> list[Matrix]:
    """Predictions in place of real ones: people's shares with noise (`NOISE`) on their logits."""
    people = people_of(table)[:, None]
    P = np.nan_to_num(table.distributions())
    several = table.labels.task == Task.MULTILABEL
    count = np.round(P * people) + 0.5
    share = count / (people + (1 if several else P.shape[1]))
    found = []
    for _ in range(SYSTEMS):
        odds = (share / (1 - share) if several else share) * np.exp(rng.normal(0, NOISE, P.shape))
        found.append(odds / (1 + odds) if several else odds / odds.sum(axis=1, keepdims=True))
    return found


def pairs_of(table: DatasetTable, predictions: Sequence[Matrix]) -> Pairs:
    """Every judged text with every system."""
    people = people_of(table)
    judged = np.flatnonzero(people)
    P = table.distributions()[judged]
    return Pairs(
        instance=np.tile(np.arange(len(judged)), len(predictions)),
        first=np.tile(P, (len(predictions), 1)),
        second=np.concatenate([Q[judged] for Q in predictions]),
        P=P,
        parts=people[judged],
        task=table.labels.task,
    )


def _table(name: str, pairs: Pairs) -> ValidityTable:
    choices = [weighed(pairs, DisplayRule.with_step(step)) for step in STEPS_OF_TABLE]
    judged = f"{pairs.parts.min()} to {pairs.parts.max()}" if np.ptp(pairs.parts) else f"{pairs.parts[0]}"
    caption = f"{name}: {len(pairs):,} comparisons, {judged} people a text."
    return ValidityTable(COLUMNS, [_row(choice) for choice in choices], caption)


def _row(choice: DisplayChoice) -> list[str]:
    cost = choice.distortion
    return [
        choice.name,
        *(_points(value) for value in (cost.mean, cost.p95, cost.most)),
        _per_cent(cost.far),
        _points(cost.people),
        f"{cost.identical:,}",
        _per_cent(choice.by_grid),
        _per_cent(choice.learned),
        f"{choice.given_away:,}",
    ]


def _points(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _per_cent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}"
