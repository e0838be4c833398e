"""What gives away which side is human: the order of sides, bars as they are drawn, and shapes that can be learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from annotations.designing.displays import STEPS, DisplayChoice, weighed
from annotations.designing.pairing import Pairs
from annotations.ground.arrays import Counts, Integers, Matrix
from annotations.ground.display_rule import EXACT, DisplayRule
from annotations.ground.leaks import FEWEST_TO_LEARN_FROM, named_rightly
from annotations.ground.progress import silent
from annotations.ground.sides import LIMIT, first_is_a
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.options import options_from
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable, Target
from annotations.importing.reading.files import SourceFile
from annotations.models import Task
from metaeval.sampling import stream
from tests.lab.validity.sections import Effort, Table, section, share

TURNS = 28
Chance = Callable[[int, int], float]
"""Turn and lead -> the probability that the first source is A next, given all sides so far."""


def blocks_of_four(turn: int, lead: int) -> float:
    """Two of each in every block of four. After whole blocks the lead is 0, so it shows what this block has had.

    >>> blocks_of_four(2, 2), blocks_of_four(1, 1), round(blocks_of_four(5, -1), 3)
    (0.0, 0.3333333333333333, 0.667)
    """
    here = turn % 4
    had = (here + lead) // 2
    return (2 - had) / (4 - here)


def maximal_procedure(turn: int, lead: int) -> float:
    """All sequences of 28 sides whose lead is never above three are equally likely.

    Berger, Ivanova and Deloria Knoll (2003).

    >>> maximal_procedure(0, 0), maximal_procedure(3, 3), maximal_procedure(27, 1)
    (0.5, 0.0, 0.5)
    """
    turns = TURNS - turn
    return _ways(turns - 1, lead + 1) / _ways(turns, lead)


@cache
def _ways(turns: int, lead: int) -> int:
    if abs(lead) > LIMIT:
        return 0
    return 1 if turns == 0 else _ways(turns - 1, lead + 1) + _ways(turns - 1, lead - 1)


def big_stick(turn: int, lead: int) -> float:
    """A coin toss, unless one order leads by three (annotations/ground/sides.py)."""
    return float(lead < 0) if abs(lead) >= LIMIT else 0.5


def coin_alone(turn: int, lead: int) -> float:
    """A coin toss for every side: nothing to guess from, and nothing balanced."""
    return 0.5


RULES: dict[str, Chance] = {
    "blocks of four (until there were keys)": blocks_of_four,
    "maximal procedure, lead of 3 at most": maximal_procedure,
    "**big stick, lead of 3 at most**": big_stick,
    "a coin alone": coin_alone,
}


def best_guess(chance: Chance) -> tuple[float, float]:
    """How often the likelier side is correct over 28 turns, and in how many turns it is certain; exact, from the lead.

    >>> tuple(round(share, 4) for share in best_guess(blocks_of_four))
    (0.7083, 0.3333)
    """
    leads, right, certain = {0: 1.0}, 0.0, 0.0
    for turn in range(TURNS):
        following: dict[int, float] = {}
        for lead, mass in leads.items():
            up = chance(turn, lead)
            right += mass * max(up, 1 - up)
            certain += mass * (max(up, 1 - up) == 1)
            for step, part in ((1, up), (-1, 1 - up)):
                if part:
                    following[lead + step] = following.get(lead + step, 0.0) + mass * part
        leads = following
    return right / TURNS, certain / TURNS


@section(
    title="Which side comes next: what past sides tell",
    about=f"""
An expert, or who looks over their shoulder, may know on which side people were in all turns so far. How often is the
best guess about the next one right, over {TURNS} turns? *Exact* follows from the rule; *drawn* lets that guess be made
about sides that were drawn: by this project's own rule with random keys in its row, else from the rule. *Certain* is
the share of the turns in which there is nothing to guess any more.
""",
    finding="""
Sides that are balanced can be guessed a little, and blocks make every third turn certain. Of the rules that keep the
lead small the big stick is guessed least often, which is why sides are drawn by it. Its sides are certain more often
than those of the maximal procedure, and in all other turns they are a coin. Nobody is told past sides while a study
runs.
""",
)
def next_side(effort: Effort) -> list[Table]:
    rows = []
    for place, (name, chance) in enumerate(RULES.items()):
        rng = np.random.default_rng(stream(np.random.SeedSequence([effort.seed, TURNS]), place))
        right, certain = best_guess(chance)
        hits, turns, largest = _guessed(chance, effort.simulations, rng)
        rows.append((name, f"{100 * right:.1f}", share(hits, turns), f"{100 * certain:.1f}", str(largest)))
    columns = ("rule", "right, exact", "right, drawn", "certain", "largest lead drawn")
    return [Table(columns, rows, "The best guess about the next side, in per cent of turns (a coin: 50).")]


def _guessed(chance: Chance, experts: int, rng: np.random.Generator) -> tuple[float, int, int]:
    """Hits of the best guess (1/2 if both sides are equally likely), turns, and the largest lead."""
    hits, largest = 0.0, 0
    for expert in range(experts):
        key, lead = rng.bytes(32), 0
        for turn in range(TURNS):
            up = chance(turn, lead)
            if chance is big_stick:
                first = first_is_a(key, study="simulated", expert=expert, turn=turn, lead=lead)
            else:
                first = bool(rng.random() < up)
            hits += 0.5 if up == 0.5 else float(first == (up > 0.5))
            lead += 1 if first else -1
            largest = max(largest, abs(lead))
    return hits, experts * TURNS, largest


SYSTEMS = 3
NOISE = 0.8  # of the logits of a perturbed share
ROBERTA = [f"SNLI_{part}_roberta-base_{seed}.json" for part in ("dev", "test") for seed in range(SYSTEMS)]
STEPS_OF_TABLE = (None, *sorted(STEPS, reverse=True), EXACT)
COSTS_COLUMNS = (
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


@section(
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
def ways_to_draw(effort: Effort) -> list[Table]:
    data = effort.data
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
    return [_costs_table(name, pairs) for name, pairs in compared]


def read_dataset(reader: str, folder: Path, files: Sequence[str], **options: Any) -> DatasetTable:
    """A dataset as an import reads it, in memory."""
    source, problems = dataset_readers.get(reader), Problems()
    table: DatasetTable = source.read(
        [SourceFile.at(folder / name) for name in files], options_from(source.options, options), problems, silent
    )
    problems.stop_if_any()
    return table


def predictions_of(table: DatasetTable, folder: Path, files: Sequence[str]) -> list[Matrix]:
    """The predictions in ChaosNLI's files for its dataset, one matrix per system."""
    reader, problems = prediction_readers.get("chaosnli"), Problems()
    target = Target("chaosnli", table.labels, tuple(instance.external_id for instance in table.instances))
    sources = [SourceFile.at(folder / name) for name in files]
    predictions = reader.read(sources, options_from(reader.options, {}), target, problems, silent)
    problems.stop_if_any()
    return [system.Q for system in predictions.systems]


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
    predictions = []
    for _ in range(SYSTEMS):
        odds = (share / (1 - share) if several else share) * np.exp(rng.normal(0, NOISE, P.shape))
        predictions.append(odds / (1 + odds) if several else odds / odds.sum(axis=1, keepdims=True))
    return predictions


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


def _costs_table(name: str, pairs: Pairs) -> Table:
    choices = [weighed(pairs, DisplayRule.with_step(step)) for step in STEPS_OF_TABLE]
    judged = f"{pairs.parts.min()} to {pairs.parts.max()}" if np.ptp(pairs.parts) else f"{pairs.parts[0]}"
    caption = f"{name}: {len(pairs):,} comparisons, {judged} people a text."
    return Table(COSTS_COLUMNS, [_costs_row(choice) for choice in choices], caption)


def _costs_row(choice: DisplayChoice) -> list[str]:
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


PEOPLE, LABELS, A_TEXT = 5, 6, 5
COMPARISONS = (28, 100, FEWEST_TO_LEARN_FROM, 728)
LARGE = 10_000
CAUTION = {"systems as people": 0.0, "a little more cautious": 0.2, "more cautious": 0.45}
ONE_IN = 20
"""Each study is cross-validated twenty times."""


class SimulatedPair(NamedTuple):
    """A simulated comparison, for `learned_leak`."""

    instance: int
    people: int
    parts: int
    human: Counts
    system: Counts


def simulated(rng: np.random.Generator, comparisons: int, caution: float) -> list[SimulatedPair]:
    """Comparisons, five per text. With probability `caution`, a system does not give a label a share of 0 or 1."""
    return [
        SimulatedPair(number // A_TEXT, PEOPLE, PEOPLE, _side(rng, 0.0), _side(rng, caution))
        for number in range(comparisons)
    ]


def _side(rng: np.random.Generator, caution: float) -> Counts:
    counts = rng.integers(0, PEOPLE + 1, LABELS)
    cautious = np.where(rng.random(LABELS) < caution, np.clip(counts, 1, PEOPLE - 1), counts)
    percent: Counts = (cautious * (100 // PEOPLE)).astype(np.int64)
    return percent[percent > 0]


@section(
    one_in=ONE_IN,
    title="What shapes tell: how many comparisons it takes to say",
    about=f"""
A classifier that has seen the shapes of both sides in other texts is let loose on simulated comparisons, {A_TEXT} a
text, of {PEOPLE} people and {LABELS} labels. Systems differ from people in one habit: they are cautious, and keep away
from shares of none and all. The last column, of {LARGE:,} comparisons, is nearly what there is to be learned by this
classifier; the others are the average of what the plan of a study with so many comparisons would say, and the standard
deviation over studies.
""",
    finding=f"""
Where nothing tells the sides apart, the figure is one half on average, and of one small study anything. Where something
does, few comparisons hide a part of it, for the classifier has too little to learn from, and one small study may look
safe by chance. Below {FEWEST_TO_LEARN_FROM} comparisons a plan therefore names the certain tells only, and what it says
above is called a lower bound.
""",
)
def learned_leak_by_number(effort: Effort) -> list[Table]:
    studies = max(2, effort.simulations // ONE_IN)
    rows = []
    for place, (name, caution) in enumerate(CAUTION.items()):
        rng = np.random.default_rng([effort.seed, place])
        cells = []
        for comparisons in COMPARISONS:
            shares = [named_rightly(simulated(rng, comparisons, caution)) for _ in range(studies)]
            cells.append(f"{100 * np.mean(shares):.0f} ({100 * np.std(shares, ddof=1):.0f})")
        rows.append((name, *cells, f"{100 * named_rightly(simulated(rng, LARGE, caution)):.0f}"))
    columns = ("", *(f"{number:,} comparisons" for number in COMPARISONS), f"{LARGE:,}")
    return [Table(columns, rows, "Guessed correctly, in per cent (by chance: 50).")]
