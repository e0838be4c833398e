"""The values that parameters can take for one subject: its metrics, labels, systems. Read without its matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from django.db.models import QuerySet

from annotations.models import Dataset, Judge, Label, PairwiseVote, Study, System
from metaeval import metrics
from metaeval.analyses.base.parameters import Option, Options, Source
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject, compared_systems


def options_of(subject: Subject) -> Options:
    """See `metaeval.analyses.base.parameters.choices`. Each kind of option is read once, when it is needed."""
    datasets = (subject.study.dataset,) if subject.study else subject.datasets

    @cache
    def systems() -> list[System]:
        return list(systems_of(subject.study, datasets))

    def registered() -> list[Option]:
        tasks = {dataset.task for dataset in datasets}
        return [(entry.name, entry.title) for entry in metrics.available(tasks.pop() if len(tasks) == 1 else None)]

    def labels() -> list[Option]:
        rows = Label.objects.filter(dataset__in=datasets).order_by("dataset_id", "position")
        return _same(rows.values_list("name", flat=True))

    def names() -> list[Option]:
        if subject.kind == SubjectKind.VOTES:
            pairs = PairwiseVote.objects.filter(dataset__in=datasets).order_by().values_list("first", "second")
            return _same(sorted({name for pair in pairs.distinct() for name in pair}))
        return _same(sorted(system.name for system in systems()))

    def judges() -> list[Option]:
        return _same(Judge.objects.filter(dataset__in=datasets).order_by("code").values_list("code", flat=True))

    readers: dict[Source, Callable[[], list[Option]]] = {
        "metrics": registered,
        "labels": labels,
        "systems": names,
        "models": lambda: _same(sorted(system.model for system in systems())),
        "methods": lambda: _same(sorted(system.method for system in systems() if system.method)),
        "judges": judges,
    }
    return cache(lambda source: readers[source]())


def systems_of(study: Study | None, datasets: Sequence[Dataset]) -> QuerySet[System]:
    """The systems that a study compares, or all of datasets."""
    return compared_systems(study) if study else System.objects.filter(dataset__in=datasets)


def _same(names: Iterable[str]) -> list[Option]:
    """Options whose label is their value, without duplicates."""
    return [(name, name) for name in dict.fromkeys(names)]
