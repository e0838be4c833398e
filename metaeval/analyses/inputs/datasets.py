"""A dataset as arrays: human annotations, judgement distributions, and what systems predicted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, TypedDict

from annotations.arrays import Matrix
from metaeval.analyses.inputs.common import InputsError, SubjectKind, fingerprint_of
from metaeval.analyses.inputs.stated import Stated, StatedDataset
from metaeval.stats.agreement import Annotations, SetAnnotations

Annotated = Annotations | SetAnnotations


class Origin(TypedDict):
    """Where a system is from. Empty: not said."""

    model: str
    method: str
    run: str


def _nothing() -> None:
    return None


@dataclass(frozen=True, eq=False, kw_only=True)
class DatasetInputs:
    """A dataset. Rows of P and of every Q are instances, columns are labels.

    `labels` are names in order; `values` their points on the scale, for ordinal tasks that have them; `exclusive` the
    position of the label that excludes the others. `origins` says where each system is from, in the order of `systems`;
    `Q` maps a system's name to its matrix (N x K), each read when it is asked for.
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
    """Predictions of every single annotation (the perspectivist task), by the predicting system's name: 0 or 1, a row
    an annotation in the order of `annotations` (all labels known), a column a label."""
    is_simulated: bool = False
    fingerprint: str = ""
    read_annotations: Callable[[], Annotated | None] = _nothing
    read_people: Callable[[], Mapping[str, Mapping[str, str]]] = dict
    read_instances: Callable[[], tuple[str, ...] | None] = _nothing

    def __post_init__(self) -> None:
        refuse_equal_names(self.systems, self.slug)

    @cached_property
    def annotations(self) -> Annotated | None:
        """The disaggregated annotations; None where only P was imported.

        Items are positions of instances. Multilabel: `SetAnnotations` over `labels`; else `Annotations` over `labels`,
        or over `values` where the scale has them. Annotators are None unless every one is known by a code.
        """
        return self.read_annotations()

    @cached_property
    def people(self) -> Mapping[str, Mapping[str, str]]:
        """What is known of annotators, by their codes: `{"Ann1": {"Age": "26"}}`."""
        return self.read_people()

    @cached_property
    def instances(self) -> tuple[str, ...]:
        """The instances' external ids, in the order of the rows of P."""
        return self.read_instances() or tuple(map(str, range(len(self.P))))

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
    """Results know a system by its joined name: two that read alike would be taken for one."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputsError(
            f"Two systems of the dataset {dataset} are both called {twice[0]!r}: their model, method and run, joined "
            "by “ / ”, read alike. Import one of them under another name.",
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
