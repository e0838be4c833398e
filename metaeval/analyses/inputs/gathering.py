"""Read an analysis's inputs from the database, once, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, assert_never

import numpy as np
from django.db import models
from django.db.models import Q

from annotations.designing.averaging import runs_averaged
from annotations.ground.arrays import Integers, Matrix
from annotations.ground.display_rule import DisplayRule
from annotations.history.looks import after_looking
from annotations.models import (
    Assigning,
    Dataset,
    HumanAnnotation,
    Instance,
    Judge,
    Label,
    PairwiseVote,
    PredictedAnnotations,
    Study,
    System,
    Task,
)
from annotations.models.comparisons import not_taken_along
from annotations.models.datasets import BELOW, matrix_or_error
from annotations.shown.profiles import as_text, questions_of
from metaeval.analyses.inputs.datasets import (
    OUTCOMES,
    Annotated,
    AnnotationRow,
    AveragedFrom,
    DatasetInputs,
    DatasetsInputs,
    Origin,
    VotesInputs,
    annotated,
    data_fingerprint,
    refuse_equal_names,
)
from metaeval.analyses.inputs.kinds import Inputs, InputsError, NoInputs, SubjectKind, fingerprint_of
from metaeval.analyses.inputs.places import read_answers
from metaeval.analyses.inputs.studies import Showing, StudyInputs, study_fingerprint

CHUNK = 10_000
"""Rows read at a time."""
Source = TypeVar("Source", System, PredictedAnnotations)


@dataclass(frozen=True)
class Subject:
    """What a run is about, as rows of the database."""

    kind: SubjectKind
    study: Study | None = None
    datasets: tuple[Dataset, ...] = ()

    @property
    def dataset(self) -> Dataset | None:
        return self.datasets[0] if self.kind in {SubjectKind.DATASET, SubjectKind.VOTES} else None

    @property
    def seed(self) -> int:
        """The seed if none is given: the study's, else 0."""
        return self.study.seed if self.study else 0

    @property
    def is_simulated(self) -> bool:
        """According to the rows; the result says it for every part."""
        study = self.study
        return any(dataset.is_simulated for dataset in self.datasets) or (
            study is not None and (study.is_simulated or study.dataset.is_simulated)
        )

    @property
    def name(self) -> str:
        """For files and messages: the slug or slugs."""
        if self.study is not None:
            return self.study.slug
        return "-".join(dataset.slug for dataset in self.datasets) or "simulation"

    @classmethod
    def of_study(cls, study: Study) -> Subject:
        return cls(SubjectKind.STUDY, study=study)

    @classmethod
    def of_dataset(cls, dataset: Dataset, *, kind: SubjectKind = SubjectKind.DATASET) -> Subject:
        return cls(kind, datasets=(dataset,))

    @classmethod
    def of_datasets(cls, datasets: Iterable[Dataset]) -> Subject:
        """Whatever the order of names, it is the same question, with the same stored answer."""
        return cls(SubjectKind.DATASETS, datasets=tuple(sorted(datasets, key=lambda dataset: dataset.slug)))

    @classmethod
    def nothing(cls) -> Subject:
        return cls(SubjectKind.NOTHING)


def gather(subject: Subject, *, whole: bool = True) -> Inputs:
    """The inputs of a subject. Raises `InputsError` if something cannot be analysed.

    Not `whole`: without P, which may be large, for callers that only need the fingerprint.
    """
    match subject.kind:
        case SubjectKind.STUDY if subject.study is not None:
            return gather_study(subject.study, whole=whole)
        case SubjectKind.DATASET if subject.datasets:
            return gather_dataset(subject.datasets[0], whole=whole)
        case SubjectKind.VOTES if subject.datasets:
            return gather_votes(subject.datasets[0])
        case SubjectKind.DATASETS if subject.datasets:
            return DatasetsInputs(tuple(gather_dataset(dataset, whole=whole) for dataset in subject.datasets))
        case SubjectKind.NOTHING:
            return NoInputs()
        case SubjectKind.STUDY | SubjectKind.DATASET | SubjectKind.VOTES | SubjectKind.DATASETS:
            raise InputsError(f"An analysis of a {subject.kind} needs one.")
        case _ as never:
            assert_never(never)


def gather_study(study: Study, *, whole: bool = True) -> StudyInputs:
    """A study: its dataset, the systems that it compares, and everything its experts did."""
    compared = System.compared.filter(
        Q(pk__in=study.comparisons.values("first_system")) | Q(pk__in=study.comparisons.values("second_system"))
    )
    systems = _in_order(compared)
    data = replace(_dataset(study.dataset, systems, whole=whole), means=_means(study, systems))
    answers, reports, experts = read_answers(
        study, systems={system.pk: place for place, system in enumerate(systems)}, labels=len(data.labels)
    )
    comparisons = study.comparisons.filter(instance__withdrawn_at=None).count()
    inputs = StudyInputs(
        slug=study.slug,
        title=study.title,
        compares=study.compares,
        state=study.state,
        instances_per_system=study.instances_per_system,
        experts_per_comparison=study.experts_per_comparison,
        display_threshold=study.display_threshold,
        data=data,
        answers=answers,
        reports=reports,
        experts=tuple(experts),
        inactive=tuple(number for number, is_active in experts.items() if not is_active),
        is_named=study.assigning == Assigning.NAMED,
        asks_guess=study.asks_guess,
        comparisons=comparisons,
        showing=Showing(DisplayRule.of(study), _people(study.dataset)),
        runs=study.runs,
        profiles=_profiles(study),
        onlookers=tuple(
            after_looking(study)
            .filter(not_taken_along())
            .order_by("expert__number")
            .values_list("expert__number", flat=True)
            .distinct()
        ),
        is_simulated=study.is_simulated or data.is_simulated,
        fingerprint="",
    )
    return replace(inputs, fingerprint=study_fingerprint(inputs))


def _profiles(study: Study) -> tuple[tuple[int, str, str], ...]:
    """What the experts said about themselves, ordered by expert number and question."""
    if not study.profile_questions:
        return ()
    members = study.memberships.answering().filter(answers_left_out=False).order_by("number")
    names = [question.name for question in questions_of(study)]
    return tuple(
        (number, name, answer)
        for number, profile in members.values_list("number", "profile")
        for name in names
        if (answer := as_text(profile.get(name))) is not None
    )


def _people(dataset: Dataset) -> Integers:
    """How many people judged each instance, or may have judged it, by position."""
    counts = Instance.objects.filter(dataset=dataset).order_by("position").values_list("parts", flat=True)
    return np.fromiter(counts.iterator(), dtype=np.int64)


def _means(study: Study, systems: list[System]) -> dict[str, tuple[AveragedFrom, ...]]:
    names = {system.pk: system.name for system in systems}
    return {
        names[pk]: tuple(AveragedFrom(run=run.run, fingerprint=run.fingerprint) for run in runs)
        for pk, runs in runs_averaged(study).items()
    }


def gather_dataset(dataset: Dataset, *, whole: bool = True) -> DatasetInputs:
    """A dataset with all its systems."""
    return _dataset(dataset, _in_order(System.objects.filter(dataset=dataset)), whole=whole)


def _in_order(systems: Iterable[Source]) -> list[Source]:
    """By model, method and run, in an order that does not depend on a database's collation."""
    return sorted(systems, key=lambda system: (system.model, system.method, system.run))


def _dataset(dataset: Dataset, systems: list[System], *, whole: bool) -> DatasetInputs:
    labels = list(Label.objects.filter(dataset=dataset).order_by("position"))
    values = tuple(label.value for label in labels if label.value is not None)
    scale = values if dataset.task == Task.ORDINAL and len(values) == len(labels) else None
    names = tuple(label.name for label in labels)
    sources = _in_order(PredictedAnnotations.objects.filter(dataset=dataset))
    refuse_equal_names([source.name for source in sources], dataset.slug)
    return DatasetInputs(
        slug=dataset.slug,
        title=dataset.title,
        task=dataset.task,
        labels=names,
        values=scale,
        exclusive=next((label.position for label in labels if label.exclusive), None),
        P=matrix_or_error(dataset.gold) if whole else np.empty((0, len(names))),
        systems=tuple(system.name for system in systems),
        origins=tuple(Origin(model=system.model, method=system.method, run=system.run) for system in systems),
        Q=Matrices(System.compared, "predictions", {system.name: system.pk for system in systems}),
        answers=Matrices(PredictedAnnotations.objects, "answers", {source.name: source.pk for source in sources}),
        below={system.name: np.array(system.options[BELOW]) for system in systems if BELOW in system.options},
        is_simulated=dataset.is_simulated or any(part.is_simulated for part in (*systems, *sources)),
        fingerprint=data_fingerprint(
            dataset.fingerprint,
            systems=[(system.name, system.fingerprint) for system in systems],
            answers=[(source.name, source.fingerprint) for source in sources],
        ),
        read_annotations=lambda: _annotations(dataset, names, scale),
        read_instances=lambda: _external_ids(dataset),
    )


def _external_ids(dataset: Dataset) -> tuple[str, ...]:
    return tuple(Instance.objects.filter(dataset=dataset).order_by("position").values_list("external_id", flat=True))


class Matrices(Mapping[str, Matrix]):
    """Matrices by name, each read when needed, so that only one has to be in memory at a time."""

    def __init__(
        self, rows: models.Manager[System] | models.Manager[PredictedAnnotations], column: str, ids: Mapping[str, int]
    ) -> None:
        self._rows, self._column, self._ids = rows, column, dict(ids)

    def __getitem__(self, name: str) -> Matrix:
        return matrix_or_error(self._rows.values_list(self._column, flat=True).get(pk=self._ids[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def annotation_rows(dataset: Dataset) -> Iterator[AnnotationRow]:
    """The annotations of a dataset, in the order in which they were imported."""
    rows = (
        HumanAnnotation.objects.filter(instance__dataset=dataset)
        .order_by("instance__position", "position")
        .values_list("instance__position", "annotator", "labels", "count")
    )
    yield from rows.iterator(chunk_size=CHUNK)


def _annotations(dataset: Dataset, names: tuple[str, ...], scale: tuple[float, ...] | None) -> Annotated | None:
    return annotated(
        annotation_rows(dataset),
        task=dataset.task,
        names=names,
        scale=scale,
        instances=len(matrix_or_error(dataset.gold)),
    )


def gather_votes(dataset: Dataset) -> VotesInputs:
    """All votes in the order of the files, in three queries. Raises `InputsError` if there are none."""
    judges = sorted(Judge.objects.filter(dataset=dataset).values_list("code", "is_machine", "pk"))
    place_of = {pk: place for place, (_, _, pk) in enumerate(judges)}
    rows = list(
        PairwiseVote.objects.filter(dataset=dataset)
        .order_by("position")
        .values_list("instance__position", "judge_id", "first", "second", "outcome", "certainty")
        .iterator(chunk_size=CHUNK)
    )
    if not rows:
        raise InputsError(f"The dataset {dataset.slug} has no pairwise votes.")
    instance, judge, first, second, outcome, certainty = zip(*rows, strict=True)
    systems = sorted({*first, *second})
    number = {name: place for place, name in enumerate(systems)}
    return VotesInputs(
        slug=dataset.slug,
        title=dataset.title,
        systems=tuple(systems),
        judges=tuple(code for code, _, _ in judges),
        is_machine=np.array([is_machine for _, is_machine, _ in judges], dtype=np.bool_),
        instance=np.array(instance, dtype=np.int64),
        judge=np.array([place_of[pk] for pk in judge], dtype=np.int64),
        first=np.array([number[name] for name in first], dtype=np.int64),
        second=np.array([number[name] for name in second], dtype=np.int64),
        outcome=np.array([OUTCOMES.index(word) for word in outcome], dtype=np.int64),
        certainty=np.array([np.nan if value is None else value for value in certainty], dtype=np.float64),
        instances_count=Instance.objects.filter(dataset=dataset).count(),
        is_simulated=dataset.is_simulated,
        fingerprint=fingerprint_of({"votes": dataset.fingerprint}),
        read_instances=lambda: _external_ids(dataset),
    )
