"""Runs of one model and method as one system: the mean of their predictions.

Two runs of one method say little more than one. Counted as systems of their own they make chance look like a finding:
4 methods with 3 runs each, counted as 12 systems, reject in a third of all studies what is true. So a plan averages the
runs before anything is drawn, unless the study asks for single runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db.models import Q

from annotations.arrays import Matrix, absent_rows
from annotations.designing.several_runs import Named, averaging_in_words
from annotations.fingerprints import matrix_fingerprint
from annotations.models import Dataset, Runs, Study, System
from annotations.models.datasets import MISSING, AveragedRun, matrix_or_error


@dataclass(frozen=True)
class Candidates:
    """What a study would compare, sorted by model, method and run.

    `means`: for a system that is a mean, its place and the runs that it averages. It is not stored before its plan is.
    """

    systems: tuple[System, ...]
    means: Mapping[int, tuple[System, ...]] = field(default_factory=dict)

    def key(self, place: int) -> int:
        """The primary key of a system; of one that is not stored a number below 0."""
        return self.systems[place].pk or -1 - place

    @property
    def runs(self) -> tuple[System, ...]:
        """Everything that was imported, whether it is compared itself or in a mean."""
        return tuple(run for place, system in enumerate(self.systems) for run in self.means.get(place, (system,)))

    @property
    def statements(self) -> list[str]:
        """What becomes of the runs, where any are averaged."""
        if not self.means:
            return []
        told = averaging_in_words([(run.model, run.method, run.run) for run in self.runs])
        return [told]


def candidates(study: Study) -> Candidates:
    """The systems of the study's dataset as the study compares them: every run, or the mean of each method's runs.

    One run of a model and method is its own mean, and stays the system that was imported.
    """
    imported = System.objects.filter(dataset=study.dataset_id)
    # SQL sorts by the database's collation: sort here, so that the same plan comes out everywhere.
    found = sorted(imported, key=lambda system: (system.model, system.method, system.run))
    if study.runs == Runs.SINGLE:
        return _chosen(study, [(system, (system,)) for system in found])
    by_method: dict[tuple[str, str], list[System]] = {}
    for system in found:
        by_method.setdefault((system.model, system.method), []).append(system)
    return _chosen(
        study,
        [(runs[0] if len(runs) == 1 else _mean(key, runs), tuple(runs)) for key, runs in by_method.items()],
    )


def _chosen(study: Study, found: Sequence[tuple[System, tuple[System, ...]]]) -> Candidates:
    """Of systems with the runs that each stands for, those that the study compares."""
    kept = [(system, runs) for system, runs in found if not study.systems or system.name in study.systems]
    return Candidates(
        tuple(system for system, _ in kept),
        {place: runs for place, (_, runs) in enumerate(kept) if len(runs) > 1},
    )


def all_candidates(study: Study) -> Candidates:
    """What the study could compare, whatever it has chosen."""
    return candidates(Study(dataset_id=study.dataset_id, runs=study.runs))


def _mean(named: tuple[str, str], runs: Sequence[System]) -> System:
    """A mean before it is stored. What a run does not predict, the mean does not either."""
    lacking = max(run.missing for run in runs)
    return System(model=named[0], method=named[1], options={MISSING: lacking} if lacking else {})


def mean_of(matrices: Sequence[Matrix]) -> Matrix:
    """The mean of matrices of one shape, cell by cell, in double precision; exact where all are equal.

    A cell that is undefined (NaN) in one is undefined in the mean: a mean of fewer runs is another quantity.

    >>> mean_of([np.array([[0.1, 0.9]])] * 7).tolist()
    [[0.1, 0.9]]
    >>> mean_of([np.array([[0.0, 1.0]]), np.array([[0.5, 0.5]])]).tolist()
    [[0.25, 0.75]]
    """
    stacked = np.stack(matrices).astype(np.float64)
    low, high = stacked.min(axis=0), stacked.max(axis=0)
    mean: Matrix = low + (stacked - low).mean(axis=0)
    return np.clip(mean, low, high)  # what is averaged from shares is a share


def read_systems(study: Study, keys: Iterable[int]) -> Iterator[System]:
    """Systems with their predictions by their keys (`Candidates.key`), one at a time, for each holds a matrix.

    Imported ones come first, then means, as they would be stored; where there are none yet, they are averaged here.
    """
    wanted = set(keys)
    stored = System.compared.defer(None).filter(pk__in=[key for key in wanted if key > 0]).order_by("pk")
    yield from stored.iterator(chunk_size=1)
    if any(key < 0 for key in wanted):
        found = candidates(study)
        for place, runs in found.means.items():
            if (key := found.key(place)) in wanted:
                mean = found.systems[place]
                yield System(pk=key, model=mean.model, method=mean.method, predictions=mean_of(_predictions(runs)))


def store_means(study: Study, found: Candidates) -> dict[int, int]:
    """Store the means of a plan, one at a time, for each holds a matrix; place -> primary key, for all systems."""
    for place, runs in found.means.items():
        found.systems[place].pk = stored_mean(study, runs).pk
    return {place: system.pk for place, system in enumerate(found.systems)}


def stored_mean(study: Study, runs: Sequence[System]) -> System:
    """The mean of some runs, stored for a study with what it averages."""
    predictions = mean_of(_predictions(runs))
    absent = int(absent_rows(predictions).sum())
    mean: System = System.compared.create(
        dataset=study.dataset,
        averaged_for=study,
        model=runs[0].model,
        method=runs[0].method,
        predictions=predictions,
        fingerprint=matrix_fingerprint(predictions),
        options={MISSING: absent} if absent else {},
        is_simulated=any(run.is_simulated for run in runs),
    )
    AveragedRun.objects.bulk_create(AveragedRun(mean=mean, run=run) for run in runs)
    return mean


def discard_means(study: Study) -> None:
    """Take the means of a plan away, with the plan. Nothing refers to them then."""
    System.compared.filter(averaged_for=study).delete()


def runs_averaged(study: Study) -> dict[int, list[System]]:
    """The means of a stored plan, by primary key, and the runs that each averages, by name."""
    found: dict[int, list[System]] = {}
    rows = AveragedRun.objects.filter(mean__averaged_for=study).select_related("run").defer("run__predictions")
    for row in rows:
        found.setdefault(row.mean_id, []).append(row.run)
    return {mean: sorted(runs, key=lambda run: run.run) for mean, runs in found.items()}


def compared_names(study: Study) -> list[str]:
    """What the study compares, sorted by model, method and run: as its plan has it, or as a plan would."""
    if study.runs == Runs.SINGLE or not study.comparisons.exists():
        return [system.name for system in candidates(study).systems]
    shown = Q(pk__in=study.comparisons.values("first_system")) | Q(pk__in=study.comparisons.values("second_system"))
    found = sorted(System.compared.filter(shown), key=lambda system: (system.model, system.method, system.run))
    return [system.name for system in found]


def imported_names(dataset: Dataset) -> list[Named]:
    """Model, method and run of everything that was imported for a dataset."""
    return list(System.objects.filter(dataset=dataset).order_by().values_list("model", "method", "run"))


def _predictions(runs: Sequence[System]) -> list[Matrix]:
    """Their matrices by the runs' names: the last digit must not depend on the order in which they were stored."""
    rows = System.objects.filter(pk__in=[run.pk for run in runs]).values_list("run", "predictions")
    return [matrix_or_error(matrix) for _, matrix in sorted(rows, key=lambda row: row[0])]
