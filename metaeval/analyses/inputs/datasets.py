"""A dataset as arrays: human annotations, judgement distributions, what systems predicted, and pairwise votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, TypedDict

import numpy as np

from annotations.ground.arrays import Integers, Mask, Matrix, Vector, absent_rows
from metaeval.analyses.inputs.kinds import InputsError, SubjectKind, fingerprint_of
from metaeval.analyses.inputs.parts import Exclusion, Stated, StatedDataset
from metaeval.stats.agreement import Annotations, SetAnnotations

NOTHING_PREDICTED = "the system predicted nothing for them"
Annotated = Annotations | SetAnnotations
AnnotationRow = tuple[int, str, Sequence[int], int]
"""Position of the instance, code of the annotator (empty: unknown), positions of the labels, how many people."""

OUTCOMES = ("first", "second", "tie", "tie_inconsistent")
"""What a vote says; `outcome` holds positions in this tuple."""
FIRST, SECOND, TIE, TIE_INCONSISTENT = range(len(OUTCOMES))


class Origin(TypedDict):
    """Where a system comes from. Empty: unknown."""

    model: str
    method: str
    run: str


class AveragedFrom(TypedDict):
    """One of the runs whose predictions a study averages: its name, and the SHA-256 of its matrix."""

    run: str
    fingerprint: str


def _nothing() -> None:
    return None


@dataclass(frozen=True, eq=False, kw_only=True)
class DatasetInputs:
    """A dataset. Rows of P and of every Q are instances, columns are labels.

    `labels` are names in order; `values` their points on the scale, for ordinal tasks that have them; `exclusive` the
    position of the label that excludes the others. `origins` says where each system comes from, in the order of
    `systems`; `Q` maps a system's name to its matrix (N x K), which is read when needed.
    """

    kind: ClassVar[SubjectKind] = SubjectKind.DATASET
    slug: str
    title: str
    task: str
    labels: tuple[str, ...]
    P: Matrix
    values: tuple[float, ...] | None = None
    exclusive: int | None = None
    systems: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    Q: Mapping[str, Matrix] = field(default_factory=dict)
    answers: Mapping[str, Matrix] = field(default_factory=dict)
    """Predictions of every single annotation (the perspectivist task), by the predicting system's name: 0 or 1, one row
    per annotation in the order of `annotations` (all labels known), one column per label."""
    below: Mapping[str, Vector] = field(default_factory=dict)
    """For systems that gave probability to a point below the scale: these N shares (Q has them at the first point).
    LeWiDi's CSC has such a bin 0."""
    means: Mapping[str, tuple[AveragedFrom, ...]] = field(default_factory=dict)
    """For a study's systems that are means, by name: the runs that each averages. `Q` has the mean."""
    is_simulated: bool = False
    fingerprint: str = ""
    read_annotations: Callable[[], Annotated | None] = _nothing
    read_instances: Callable[[], tuple[str, ...] | None] = _nothing

    def __post_init__(self) -> None:
        refuse_equal_names(self.systems, self.slug)

    @cached_property
    def annotations(self) -> Annotated | None:
        """The disaggregated annotations; None if only P was imported.

        Items are positions of instances. Multilabel: `SetAnnotations` over `labels`; else `Annotations` over `labels`,
        or over `values` if the scale has them. Annotators are None unless each of them has a code.
        """
        return self.read_annotations()

    @cached_property
    def instances(self) -> tuple[str, ...]:
        """The instances' external ids, in the order of the rows of P."""
        return self.read_instances() or tuple(map(str, range(len(self.P))))

    @cached_property
    def absent(self) -> Mapping[str, int]:
        """For each system with missing predictions, how many instances lack one (their rows are NaN)."""
        counted = {name: int(absent_rows(np.asarray(self.Q[name])).sum()) for name in self.systems}
        return {name: count for name, count in counted.items() if count}

    @property
    def predicted_by_all(self) -> Mask:
        """Which of the N instances every system has a prediction for."""
        predicted = np.ones(len(self.P), dtype=np.bool_)
        for name in self.absent:
            predicted &= ~absent_rows(np.asarray(self.Q[name]))
        return predicted

    def absences(self, systems: Iterable[str]) -> list[Exclusion]:
        """What these systems' missing predictions leave out, as a result lists it."""
        return [
            Exclusion(what="instances", system=name, count=self.absent[name], reason=NOTHING_PREDICTED)
            for name in systems
            if name in self.absent
        ]

    @property
    def counts(self) -> dict[str, int]:
        return {"systems": len(self.systems), "instances": self.P.shape[0], "labels": self.P.shape[1]}

    @property
    def stated(self) -> Stated:
        return Stated(kind="dataset", slug=self.slug, title=self.title, dataset=self.slug, task=self.task)


def data_fingerprint(
    dataset: str, *, systems: Sequence[tuple[str, str]], answers: Sequence[tuple[str, str]] = ()
) -> str:
    """SHA-256 of a dataset with these systems and predicted annotations, each a name and its own SHA-256."""
    content = {"dataset": dataset, "systems": [list(pair) for pair in systems], "answers": [list(p) for p in answers]}
    return fingerprint_of(content)


def refuse_equal_names(names: Sequence[str], dataset: str) -> None:
    """Results identify a system by its joined name: two with the same name would be taken for one."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputsError(
            f"Two systems of the dataset {dataset} are both called {twice[0]!r}: their model, method and "
            "run, joined by “ / ”, are the same. Import one of them under another name.",
            systems=twice,
        )


@dataclass(frozen=True, eq=False)
class DatasetsInputs:
    """Several datasets, in the order in which they were named."""

    datasets: tuple[DatasetInputs, ...]
    kind: ClassVar[SubjectKind] = SubjectKind.DATASETS

    @property
    def fingerprint(self) -> str:
        return fingerprint_of({"datasets": [[dataset.slug, dataset.fingerprint] for dataset in self.datasets]})

    @property
    def is_simulated(self) -> bool:
        return any(dataset.is_simulated for dataset in self.datasets)

    @property
    def counts(self) -> dict[str, int]:
        return {
            "datasets": len(self.datasets),
            "systems": len({name for dataset in self.datasets for name in dataset.systems}),
            "instances": sum(len(dataset.P) for dataset in self.datasets),
        }

    @property
    def stated(self) -> Stated:
        return Stated(
            kind="datasets",
            slug=None,
            title=", ".join(dataset.title for dataset in self.datasets),
            datasets=[
                StatedDataset(kind="dataset", slug=data.slug, title=data.title, dataset=data.slug, task=data.task)
                for data in self.datasets
            ],
        )


def annotated(
    rows: Iterable[AnnotationRow], *, task: str, names: Sequence[str], scale: Sequence[float] | None, instances: int
) -> Annotated | None:
    """Rows as columns; annotations stored as a count become that many rows. None if there are none."""
    item: list[int] = []
    people: list[str] = []
    chosen: list[Sequence[int]] = []
    for position, annotator, labels, count in rows:
        item += [position] * count
        people += [annotator] * count
        chosen += [labels] * count
    if not item:
        return None
    items = range(instances)
    annotators = people if all(people) else None
    if task == "multilabel":
        sizes = np.fromiter(map(len, chosen), dtype=np.int64, count=len(chosen))
        flat = np.fromiter((label for labels in chosen for label in labels), dtype=np.int64, count=int(sizes.sum()))
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        return SetAnnotations.from_offsets(item, annotators, flat, offsets, labels=names, items=items)
    points = names if scale is None else scale
    answers = [points[labels[0]] if labels else None for labels in chosen]
    return Annotations.from_columns(item, annotators, answers, labels=points, items=items)


@dataclass(frozen=True, eq=False, kw_only=True)
class VotesInputs:
    """The pairwise votes of a dataset: arrays of length V, in the order of the files."""

    kind: ClassVar[SubjectKind] = SubjectKind.VOTES
    slug: str
    title: str
    systems: tuple[str, ...]
    """The names that occur, sorted."""
    judges: tuple[str, ...]
    """The judges' codes, sorted."""
    is_machine: Mask
    """Which of the judges are machines: one entry per judge."""
    instance: Integers
    """Position of the instance in the dataset."""
    judge: Integers
    """Position in `judges`."""
    first: Integers
    """Position in `systems`. Which of the two comes first is as recorded."""
    second: Integers
    outcome: Integers
    """Position in `OUTCOMES`."""
    certainty: Vector
    """In [0, 1]; NaN: not given."""
    instances_count: int
    is_simulated: bool = False
    fingerprint: str = ""
    read_instances: Callable[[], tuple[str, ...]] = tuple

    def __len__(self) -> int:
        return len(self.outcome)

    @cached_property
    def instances(self) -> tuple[str, ...]:
        """The instances' external ids, by position."""
        return self.read_instances()

    @property
    def counts(self) -> dict[str, int]:
        return {
            "systems": len(self.systems),
            "instances": self.instances_count,
            "judges": len(self.judges),
            "votes": len(self),
        }

    @property
    def stated(self) -> Stated:
        return Stated(kind="votes", slug=self.slug, title=self.title, dataset=self.slug)
