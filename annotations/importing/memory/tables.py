"""What every reader produces and the writer takes: a complete dataset or predictions, in memory.

Positions are indices into `LabelSet.names` and `DatasetTable.instances`, from 0. Annotations are kept in
columns, not as objects: a million of them take about twenty megabytes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from annotations.ground.arrays import IntColumn, Integers, Matrix, Vector
from annotations.ground.system_names import system_name
from annotations.models import Task


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The ordered labels and the task's kind. `values` are the points of an ordinal scale.

    >>> LabelSet(names=("no", "yes"), task=Task.MULTICLASS).positions["yes"]
    1
    """

    names: tuple[str, ...]
    task: Task
    exclusive: str | None = None
    values: tuple[float, ...] | None = None
    search_words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Labels that experts can also find by other words, with these words. Not part of a dataset's fingerprint."""

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.names) or not all(self.names):
            raise ValueError("labels must be named, each once")
        if self.exclusive is not None and self.exclusive not in self.names:
            raise ValueError(f"the exclusive label {self.exclusive!r} is not one of the labels")
        if self.values is not None and len(self.values) != len(self.names):
            raise ValueError("an ordinal scale has one value for every label")

    @property
    def positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)


class Segment(NamedTuple):
    """One piece of an instance's text; usually a single unnamed one."""

    name: str
    text: str


class InstanceRow(NamedTuple):
    """One instance, at its place in the dataset. `split`: the part of the data to which its file says it belongs, such
    as "train"; not part of a dataset's fingerprint.
    """

    external_id: str
    segments: tuple[Segment, ...] = ()
    language: str = "en"
    direction: str = "ltr"
    split: str = ""


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """One person's labels for one instance (both by position), or those of `count` unidentified people who agree."""

    instance: int
    labels: tuple[int, ...]
    annotator: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class AnnotationTable:
    """Human annotations in columns, in order of instance: A annotations with L labels in total.

    `instance`, `annotator` (an index into `annotators`; -1: unknown) and `count` have A entries; annotation
    a has the labels `labels[offsets[a]:offsets[a + 1]]`, ascending.
    """

    instance: IntColumn
    annotator: IntColumn
    count: IntColumn
    offsets: Integers
    labels: IntColumn
    annotators: tuple[str, ...] = ()

    @classmethod
    def from_rows(cls, rows: Iterable[AnnotationRow]) -> "AnnotationTable":
        """The columns of these rows; rows of one instance keep their order.

        >>> votes = AnnotationTable.from_rows([AnnotationRow(0, (1, 0), "ann"), AnnotationRow(0, (1,), "bob")])
        >>> votes.distributions(instances=1, labels=2).tolist()
        [[0.5, 1.0]]
        """
        ordered = sorted(rows, key=lambda row: row.instance)
        codes: dict[str, int] = {}
        annotator = [codes.setdefault(row.annotator, len(codes)) if row.annotator else -1 for row in ordered]
        lengths = np.array([len(row.labels) for row in ordered], dtype=np.int64)
        return cls(
            instance=np.array([row.instance for row in ordered], dtype=np.int32),
            annotator=np.array(annotator, dtype=np.int32),
            count=np.array([row.count for row in ordered], dtype=np.int32),
            offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
            labels=np.array([label for row in ordered for label in sorted(row.labels)], dtype=np.int32),
            annotators=tuple(codes),
        )

    def __len__(self) -> int:
        return len(self.instance)

    def people(self, *, instances: int) -> Matrix:
        """How many people judged each instance."""
        return np.bincount(self.instance, weights=self.count, minlength=instances).astype(np.float64)

    def distributions(self, *, instances: int, labels: int) -> Matrix:
        """P: the share of each instance's people who gave each label; NaN if nobody judged it."""
        lengths = np.diff(self.offsets)
        cells = np.repeat(self.instance.astype(np.int64) * labels, lengths) + self.labels
        votes = np.bincount(cells, weights=np.repeat(self.count, lengths), minlength=instances * labels)
        people = self.people(instances=instances)[:, None]
        P = np.full((instances, labels), np.nan)
        np.divide(votes.reshape(instances, labels), people, out=P, where=people > 0)
        return P


class JudgeRow(NamedTuple):
    """A voter, by code; a person unless stated otherwise."""

    code: str
    is_machine: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseVotes:
    """V votes on which of two systems is better, in columns, in the files' order.

    `judge` contains indices into `judges`, `first` and `second` into `systems` (names), `outcome` into
    `Outcome.values`; `certainty` is NaN if not given.
    """

    instance: IntColumn
    judge: IntColumn
    first: IntColumn
    second: IntColumn
    outcome: IntColumn
    certainty: Matrix
    judges: tuple[JudgeRow, ...]
    systems: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.instance)


@dataclass(frozen=True, slots=True, eq=False)
class DatasetTable:
    """One dataset: human annotations, or the judgement distributions `gold` (float64, N x K) if only these exist, or
    only pairwise votes, which have no labels.
    """

    labels: LabelSet
    instances: Sequence[InstanceRow]
    annotations: AnnotationTable | None = None
    gold: Matrix | None = None
    notes: tuple[str, ...] = ()
    votes: PairwiseVotes | None = None
    about: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # annotators' codes to what is known about them
    renaming: Mapping[str, Any] = field(default_factory=dict)  # the files' labels, if they were renamed

    def __post_init__(self) -> None:
        if sum(part is not None for part in (self.annotations, self.gold, self.votes)) != 1:
            raise ValueError("a dataset has either annotations, or a gold matrix, or votes")
        if self.votes is not None and len(self.labels):
            raise ValueError("votes have no labels")
        if self.gold is not None and self.gold.shape != (len(self.instances), len(self.labels)):
            raise ValueError(f"the gold matrix is {self.gold.shape}, not instances x labels")

    def distributions(self) -> Matrix:
        """P, float64, N x K: computed from the annotations if there are any; N x 0 if there are only votes."""
        if self.gold is not None:
            return self.gold
        if self.annotations is None:
            return np.empty((len(self.instances), 0))
        return self.annotations.distributions(instances=len(self.instances), labels=len(self.labels))


class NamedSystem:
    """What predicts something: its name has three parts."""

    __slots__ = ()

    model: str
    method: str
    run: str

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.model, self.method, self.run)

    @property
    def name(self) -> str:
        """For people to read: model, method and run, leaving out empty ones."""
        return system_name(*self.key)


@dataclass(frozen=True, slots=True, eq=False)
class SystemTable(NamedSystem):
    """One system and its Q (float64, N x K, in the dataset's order of instances and labels).

    `below`: on a scale, the share that each row gave to a point below the first. Q contains it too, at the first point.
    """

    model: str
    Q: Matrix
    method: str = ""
    run: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    below: Vector | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AnswersTable(NamedSystem):
    """One system's prediction of every human annotation: 0 or 1, A x K, in order of instance and annotation; NaN in
    the rows of those it does not predict.
    """

    model: str
    matrix: Matrix
    method: str = ""
    run: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PredictionTable:
    """Some systems' predictions for one dataset: of its distributions, and of single annotations."""

    systems: tuple[SystemTable, ...]
    notes: tuple[str, ...] = ()
    answers: tuple[AnswersTable, ...] = ()

    def __post_init__(self) -> None:
        for tables in (self.systems, self.answers):
            if len({table.key for table in tables}) != len(tables):
                raise ValueError("a system is named twice")


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The dataset that predictions are for: its label set and its instances' external ids in order.

    `read_gold` returns its P, which only arrays with a human half are compared with. `annotations_of` counts every
    instance's single annotations; all 0 if people are only counted.
    """

    slug: str
    labels: LabelSet
    external_ids: tuple[str, ...]
    read_gold: Callable[[], Matrix | None] = lambda: None
    annotations_of: Callable[[], list[int]] = list

    @property
    def positions(self) -> dict[str, int]:
        return {external_id: position for position, external_id in enumerate(self.external_ids)}

    @property
    def shape(self) -> tuple[int, int]:
        return (len(self.external_ids), len(self.labels))
