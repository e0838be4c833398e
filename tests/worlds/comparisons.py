"""What step 2 has to show: comparisons from the real files, and lists of labels that are drawn."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from annotations.answering.assigning import next_assignment
from annotations.api.answering import task_of
from annotations.designing.presets import wordings
from annotations.designing.starting import settings_of_preset
from annotations.ground.arrays import Matrix, Vector
from annotations.ground.display_rule import DisplayRule
from annotations.ground.progress import silent
from annotations.importing.formats import dataset_readers, detect, prediction_readers
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable, LabelSet, PredictionTable, Segment, Target
from annotations.importing.reading.files import SourceFile
from annotations.models import Label, Layout, Role, Task, User
from annotations.people.membership.members import practised
from annotations.shown.displaying import bars, in_step_1_order
from annotations.simulating.demo.loading import load_dataset
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS
from tests.worlds.answering import in_hand
from tests.worlds.storing import store_labels, store_preference
from tests.worlds.studies import make_member, make_study, plan_and_open

REAL: dict[str, tuple[Sequence[str], dict[str, Any]]] = {
    "ChaosNLI": (["chaosnli/chaosNLI_snli.jsonl"], {}),
    "HS-Brexit": ([f"lewidi2023/HS-Brexit_{split}.json" for split in ("train", "dev", "test")], {}),
    "ArMIS": ([f"lewidi2023/ArMIS_{split}.json" for split in ("train", "dev", "test")], {}),
    "CSC": (["lewidi2025/CSC_dev.json"], {}),
    "Paraphrase": ([f"lewidi2025/Paraphrase_{split}.json" for split in ("train", "dev", "test")], {}),
    "VariErrNLI": ([f"lewidi2025/VariErrNLI_{split}.json" for split in ("train", "dev")], {}),
    "DICES-350": (["dices350/dices_350_crowdsourced.json"], {}),
    **{
        f"Topical Chat, {criterion}": (["topicalchat/tc_usr_data.json"], {"criterion": criterion})
        for criterion in ("Overall", "Natural", "Understandable")
    },
}
"""The files of each real dataset, and the options that it is read with. MT-Bench has votes alone, and no texts."""


@dataclass(frozen=True)
class Pair:
    """One comparison of two distributions over a label set, and its text."""

    source: str
    labels: LabelSet
    a: Vector
    b: Vector
    people: int
    segments: Sequence[Segment]
    language: str = "en"
    direction: str = "ltr"

    def swapped(self) -> Pair:
        return replace(self, a=self.b, b=self.a)


def demo_tasks(count: int) -> tuple[User, list[dict[str, Any]]]:
    """Step 2 of so many of the demo's comparisons, as the server sends it to their expert, and that expert."""
    dataset = load_dataset()
    settings = settings_of_preset("original", dataset=dataset)
    study = make_study(dataset=dataset, slug="areas", title="Areas of law in everyday problems (demo)", **settings)
    expert = make_member(study, Role.EXPERT, "expert@example.org")
    plan_and_open(study)
    practised(user=expert.user, slug=study.slug)
    tasks = []
    for _ in range(count):
        handed = next_assignment(user=expert.user, slug=study.slug)
        if handed.assignment is None:
            raise ValueError(f"the demo has fewer than {count} comparisons for one expert")
        given = {"user": expert.user, "token": handed.assignment.token, "active_ms": 1}
        store_labels(**given, key=uuid.uuid4(), labels=[3])
        tasks.append(task_of(in_hand(user=expert.user, token=handed.assignment.token)))
        store_preference(**given, key=uuid.uuid4(), a_chosen=True, b_chosen=True, certainty=0.5)
    return expert.user, tasks


def in_each_layout(tasks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All of them in one layout, then in the other, each as an assignment of its own."""
    tasks = list(tasks)
    for layout in Layout.values:
        for task in tasks:
            assignment = task["assignment"] | {"token": str(uuid.uuid4())}
            yield task | {"study": task["study"] | {"layout": layout}, "assignment": assignment}


def real_pairs(folder: Path, name: str) -> list[Pair]:
    """All comparisons of a real dataset: its people and a model, RoBERTa where there are its predictions.

    Elsewhere the model is one that hedges: half of what the people say and half of what they say on average. It draws
    more bars than one that dares, so that more has to be shown.
    """
    paths, options = REAL[name]
    table = _read([folder / path for path in paths], options)
    P = table.distributions()
    people = table.annotations.people(instances=len(P)) if table.annotations else np.full(len(P), 100)
    Q = _roberta(folder, table) if name == "ChaosNLI" else (P + np.nanmean(P, axis=0)) / 2
    rng = np.random.default_rng(1)
    return [
        Pair(
            name,
            table.labels,
            *_either_way(rng, P[place], Q[place]),
            int(people[place]),
            row.segments,
            row.language,
            row.direction,
        )
        for place, row in enumerate(table.instances)
        if not np.isnan(P[place]).any() and not np.isnan(Q[place]).any()
    ]


def drawn_pairs(counts: Iterable[tuple[int, int]], *, seed: int, segments: Sequence[Segment]) -> Iterator[Pair]:
    """A comparison for each pair of bar counts, over the areas of law, with any shares above the threshold."""
    rng = np.random.default_rng(seed)
    labels = LabelSet(names=LABELS, task=Task.MULTILABEL, exclusive=EXCLUSIVE_LABEL)
    for sides in counts:
        rows = []
        for count in sides:
            row = np.zeros(len(LABELS))
            row[rng.permutation(len(LABELS))[:count]] = rng.uniform(0.11, 1, size=count)
            rows.append(row)
        yield Pair("drawn", labels, rows[0], rows[1], 100, segments)


def bar_counts(pairs: Iterable[Pair]) -> list[tuple[int, int]]:
    """How many bars each side of these comparisons shows."""
    found = [sent(pair) for pair in pairs]
    return [(len(one["a"]), len(one["b"])) for one in found]


def sent(pair: Pair, *, rule: DisplayRule | None = None) -> dict[str, Any]:
    """Both sides as the server would send them."""
    own = [
        Label(position=place, name=name, exclusive=name == pair.labels.exclusive)
        for place, name in enumerate(pair.labels.names)
    ]
    rule, task = rule or DisplayRule(), pair.labels.task
    a, b = (
        [{"label": bar.label, "value": bar.value} for bar in bars(side, own, rule=rule, people=pair.people, task=task)]
        for side in (pair.a, pair.b)
    )
    return {"a": a, "b": b, "identical": a == b}


def task_for(pair: Pair, like: dict[str, Any], *, language: str = "en") -> dict[str, Any]:
    """A task of step 2 that shows this comparison, with everything else as in one that the server sent."""
    kind = pair.labels.task
    asked = wordings(kind, language)[0]
    own = [
        Label(position=place, name=name, exclusive=name == pair.labels.exclusive)
        for place, name in enumerate(pair.labels.names)
    ]
    labels = [
        {"position": one.position, "name": one.name, "exclusive": one.exclusive}
        for one in in_step_1_order(own, task=kind)
    ]
    study = like["study"] | asked.questions | {"task": str(kind), "labels": labels}
    study |= {"language": language, "direction": "rtl" if language == "ar" else "ltr"}
    assignment = like["assignment"] | {
        "token": str(uuid.uuid4()),
        "segments": [one._asdict() for one in pair.segments],
        "language": pair.language,
        "direction": pair.direction,
        "selected": [0],
        "comparison": sent(pair),
    }
    return like | {"study": study, "assignment": assignment}


def _either_way(rng: np.random.Generator, one: Vector, other: Vector) -> tuple[Vector, Vector]:
    return (one, other) if rng.integers(2) else (other, one)


def _read(paths: Sequence[Path], options: dict[str, Any]) -> DatasetTable:
    files = [SourceFile.at(path) for path in paths]
    reader = detect(dataset_readers, files)
    if reader is None:
        raise ValueError(f"no reader knows {', '.join(map(str, paths))}")
    table: DatasetTable = reader.read(files, reader.options(**options), Problems(), silent)
    return table


def _roberta(folder: Path, table: DatasetTable) -> Matrix:
    files = [SourceFile.at(folder / f"chaosnli/SNLI_{split}_roberta-base_0.json") for split in ("dev", "test")]
    reader = prediction_readers.get("chaosnli")
    target = Target("chaosnli", table.labels, tuple(row.external_id for row in table.instances))
    found: PredictionTable = reader.read(files, reader.options(), target, Problems(), silent)
    return found.systems[0].Q
