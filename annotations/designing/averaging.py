"""Runs of one model and method as one system: the mean of their predictions.

Two runs of one method say little more than one. Counted as separate systems they make chance look like a finding:
4 methods with 3 runs each, counted as 12 systems, reject a true null hypothesis in a third of all studies. So a plan
averages the runs before anything is drawn, unless the study asks for single runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db.models import Q
from django.utils.translation import gettext as _

from annotations.ground.arrays import Matrix, absent_rows
from annotations.ground.fingerprints import matrix_fingerprint
from annotations.models import Dataset, Runs, Study, System
from annotations.models.datasets import MISSING, AveragedRun, matrix_or_error
from annotations.shown.plurals import filled

Named = tuple[str, str, str]
"""Model, method and run of a system."""


@dataclass(frozen=True)
class Candidates:
    """What a study would compare, sorted by model, method and run.

    `means`: for each system that is a mean, its place and the runs it averages. A mean is stored only with its plan.
    """

    systems: tuple[System, ...]
    means: Mapping[int, tuple[System, ...]] = field(default_factory=dict)

    def key(self, place: int) -> int:
        """The primary key of a system, or a negative number if it is not stored."""
        return self.systems[place].pk or -1 - place

    @property
    def runs(self) -> tuple[System, ...]:
        """Every imported system that is compared, itself or as part of a mean."""
        return tuple(run for place, system in enumerate(self.systems) for run in self.means.get(place, (system,)))

    @property
    def statements(self) -> list[str]:
        """Sentences about the runs, if any are averaged."""
        if not self.means:
            return []
        return [averaging_in_words([(run.model, run.method, run.run) for run in self.runs])]


def candidates(study: Study) -> Candidates:
    """The systems of the study's dataset as the study compares them: every run, or the mean of each method's runs.

    A single run of a model and method stays the imported system.
    """
    rows = System.objects.filter(dataset=study.dataset_id)
    # Sorted here, because SQL sorts by the database's collation and plans must be the same everywhere.
    imported = sorted(rows, key=lambda system: (system.model, system.method, system.run))
    if study.runs == Runs.SINGLE:
        return _chosen(study, [(system, (system,)) for system in imported])
    by_method: dict[tuple[str, str], list[System]] = {}
    for system in imported:
        by_method.setdefault((system.model, system.method), []).append(system)
    return _chosen(
        study,
        [(runs[0] if len(runs) == 1 else _mean(key, runs), tuple(runs)) for key, runs in by_method.items()],
    )


def _chosen(study: Study, imported: Sequence[tuple[System, tuple[System, ...]]]) -> Candidates:
    chosen = [(system, runs) for system, runs in imported if not study.systems or system.name in study.systems]
    return Candidates(
        tuple(system for system, _runs in chosen),
        {place: runs for place, (_system, runs) in enumerate(chosen) if len(runs) > 1},
    )


def all_candidates(study: Study) -> Candidates:
    """Everything the study could compare, whatever it has chosen."""
    return candidates(Study(dataset_id=study.dataset_id, runs=study.runs))


def _mean(named: tuple[str, str], runs: Sequence[System]) -> System:
    """A mean before it is stored. Instances that one run does not predict are missing in the mean, too."""
    lacking = max(run.missing for run in runs)
    return System(model=named[0], method=named[1], options={MISSING: lacking} if lacking else {})


def mean_of(matrices: Sequence[Matrix]) -> Matrix:
    """The mean of matrices of one shape, cell by cell, in double precision; exact if all are equal.

    A cell that is undefined (NaN) in one is undefined in the mean, since a mean of fewer runs is a different quantity.

    >>> mean_of([np.array([[0.1, 0.9]])] * 7).tolist()
    [[0.1, 0.9]]
    >>> mean_of([np.array([[0.0, 1.0]]), np.array([[0.5, 0.5]])]).tolist()
    [[0.25, 0.75]]
    """
    stacked = np.stack(matrices).astype(np.float64)
    low, high = stacked.min(axis=0), stacked.max(axis=0)
    mean: Matrix = low + (stacked - low).mean(axis=0)
    return np.clip(mean, low, high)  # the mean of shares is a share


def read_systems(study: Study, keys: Iterable[int]) -> Iterator[System]:
    """Systems with predictions, by their keys (`Candidates.key`), one at a time because each holds a matrix.

    Imported ones come first, then means, as they would be stored; means not stored yet are computed here.
    """
    requested = set(keys)
    stored = System.compared.defer(None).filter(pk__in=[key for key in requested if key > 0]).order_by("pk")
    yield from stored.iterator(chunk_size=1)
    if any(key < 0 for key in requested):
        compared = candidates(study)
        for place, runs in compared.means.items():
            if (key := compared.key(place)) in requested:
                mean = compared.systems[place]
                yield System(pk=key, model=mean.model, method=mean.method, predictions=mean_of(_predictions(runs)))


def store_means(study: Study, compared: Candidates) -> None:
    """Store a plan's means, one at a time because each holds a matrix; their systems get the primary keys."""
    for place, runs in compared.means.items():
        compared.systems[place].pk = stored_mean(study, runs).pk


def stored_mean(study: Study, runs: Sequence[System]) -> System:
    """Store the mean of some runs for a study, and which runs it averages."""
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
    """Delete a plan's means along with the plan, when nothing refers to them any more."""
    System.compared.filter(averaged_for=study).delete()


def runs_averaged(study: Study) -> dict[int, list[System]]:
    """A stored plan's means, by primary key, and the runs each averages, by name."""
    runs_of: dict[int, list[System]] = {}
    rows = AveragedRun.objects.filter(mean__averaged_for=study).select_related("run").defer("run__predictions")
    for row in rows:
        runs_of.setdefault(row.mean_id, []).append(row.run)
    return {mean: sorted(runs, key=lambda run: run.run) for mean, runs in runs_of.items()}


def compared_names(study: Study) -> list[str]:
    """What the study compares, sorted by model, method and run, according to its plan or to the plan it would get."""
    if study.runs == Runs.SINGLE or not study.comparisons.exists():
        return [system.name for system in candidates(study).systems]
    shown = Q(pk__in=study.comparisons.values("first_system")) | Q(pk__in=study.comparisons.values("second_system"))
    systems = sorted(System.compared.filter(shown), key=lambda system: (system.model, system.method, system.run))
    return [system.name for system in systems]


def imported_names(dataset: Dataset) -> list[Named]:
    """Model, method and run of everything that was imported for a dataset."""
    return list(System.objects.filter(dataset=dataset).order_by().values_list("model", "method", "run"))


def _predictions(runs: Sequence[System]) -> list[Matrix]:
    """The matrices in order of the runs' names, so that no last digit depends on the order of storage."""
    rows = System.objects.filter(pk__in=[run.pk for run in runs]).values_list("run", "predictions")
    return [matrix_or_error(matrix) for _run, matrix in sorted(rows, key=lambda row: row[0])]


def averaging_in_words(systems: Sequence[Named]) -> str:
    """How a study treats these systems if there are several runs of one model and method; otherwise empty.

    >>> averaging_in_words([(m, k, r) for m in ("A", "B") for k in ("x", "y", "z") for r in "123"])
    '3 runs each of 2 models x 3 methods. A study compares their means (6 systems).'
    >>> averaging_in_words([("A", "x", "1"), ("A", "x", "2"), ("A", "y", "1")])
    '3 runs of 2 models and methods (1 to 2 of each). A study compares their means (2 systems).'
    >>> averaging_in_words([("A", "x", ""), ("A", "y", "")])
    ''
    """
    runs = runs_in_words(systems)
    if not runs:
        return ""
    methods = len({(model, method) for model, method, _ in systems})
    means = _("A study compares their means ({systems, plural, one {# system} other {# systems}}).")
    return f"{runs}. {filled(means, systems=methods)}"


def runs_in_words(systems: Sequence[Named]) -> str:
    """How many runs there are of what, if there are several of one model and method; otherwise empty."""
    counts = Counter((model, method) for model, method, _ in systems)
    fewest, most = min(counts.values(), default=1), max(counts.values(), default=1)
    if most == 1:
        return ""
    if fewest != most:
        message = _("{runs} runs of {number} models and methods ({fewest} to {most} of each)")
        return message.format(runs=len(systems), number=len(counts), fewest=fewest, most=most)
    models, methods = {model for model, _ in counts}, {method for _, method in counts}
    return _of(len(counts), len(models), len(methods)).format(
        runs=most, pairs=len(counts), models=len(models), methods=len(methods)
    )


def _of(pairs: int, models: int, methods: int) -> str:
    if pairs == 1:
        return _("{runs} runs of one model and method")
    if methods == 1:
        return _("{runs} runs each of {models} models")
    if models == 1:
        return _("{runs} runs each of {methods} methods")
    if pairs == models * methods:
        return _("{runs} runs each of {models} models x {methods} methods")
    return _("{runs} runs each of {pairs} models and methods")
