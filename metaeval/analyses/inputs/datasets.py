"""A dataset as arrays: human annotations, judgement distributions, and what systems predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, TypedDict

import numpy as np

from annotations.ground.arrays import Mask, Matrix, Vector, absent_rows
from metaeval.analyses.inputs.kinds import InputsError, SubjectKind, fingerprint_of
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.inputs.stated import Stated, StatedDataset
from metaeval.stats.agreement import Annotations, SetAnnotations

NOTHING_PREDICTED = "the system predicted nothing for them"
Annotated = Annotations | SetAnnotations


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
    read_people: Callable[[], Mapping[str, Mapping[str, str]]] = dict
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
    def people(self) -> Mapping[str, Mapping[str, str]]:
        """What is known about annotators, by their codes: `{"Ann1": {"Age": "26"}}`."""
        return self.read_people()

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
                StatedDataset(kind="dataset", slug=one.slug, title=one.title, dataset=one.slug, task=one.task)
                for one in self.datasets
            ],
        )
