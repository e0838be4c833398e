"""The datasets on which systems are judged and their temperatures chosen, and the search for the best temperature."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Integers, Matrix, absent_rows
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.base.work import Plan
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs
from metaeval.metrics.temperature import GRID
from metaeval.sampling import Replicates


def datasets_of(
    inputs: DatasetInputs | DatasetsInputs, parameters: HumanCalibration
) -> tuple[DatasetInputs, DatasetInputs | None]:
    """The judged dataset, and the one on which temperatures are chosen (None: the judged one).

    Raises `AnalysisError` with a sentence if something cannot be judged or chosen.
    """
    data: DatasetInputs
    fitted_on: DatasetInputs | None = None
    if isinstance(inputs, DatasetsInputs):
        data, fitted_on = _two_datasets(inputs.datasets, parameters)
    elif parameters.fitted_on:
        raise AnalysisError(
            f"Temperatures cannot be chosen on {parameters.fitted_on!r} because {inputs.slug} is the "
            "only dataset; analyse both datasets together, or do not say where temperatures are "
            "chosen."
        )
    else:
        data = inputs
    datasets = [data] if fitted_on is None else [data, fitted_on]
    for dataset in datasets:
        if dataset.task == "multilabel":
            raise AnalysisError(
                f"The dataset {dataset.slug} lets people give several labels, so its rows are not distributions "
                "and have no entropy. Calibration to human judgements needs one label per instance."
            )
    unknown = [name for name in parameters.systems if name not in data.systems]
    if unknown:
        names = ", ".join(data.systems) or "there are none"
        where = f" of {data.slug}" if fitted_on else ""
        raise AnalysisError(f"No system{where} is called {unknown[0]!r}. Systems: {names}.", systems=list(data.systems))
    for dataset in datasets:
        if not dataset.systems:
            raise AnalysisError(f"The dataset {dataset.slug} has no systems. Import predictions.")
    if fitted_on is None and parameters.scaling == "grid" and parameters.folds > len(data.P):
        raise AnalysisError(f"{parameters.folds} folds need at least as many instances, and there are {len(data.P)}.")
    return data, fitted_on


def _two_datasets(
    datasets: Sequence[DatasetInputs], parameters: HumanCalibration
) -> tuple[DatasetInputs, DatasetInputs]:
    slugs = [data.slug for data in datasets]
    if len(datasets) != 2:
        raise AnalysisError(
            "Temperatures are chosen on one dataset and judged on another, which takes two datasets, not "
            f"{len(datasets)}; name two, or analyse a single dataset by itself.",
        )
    if parameters.fitted_on not in slugs:
        where = f"cannot be chosen on {parameters.fitted_on!r}" if parameters.fitted_on else "are chosen on one of two"
        raise AnalysisError(f"Temperatures {where}; say on which dataset: {' or '.join(slugs)}.", datasets=slugs)
    if parameters.scaling != "grid":
        raise AnalysisError(
            f"With the temperature scaling {parameters.scaling!r}, no temperature is chosen on "
            f"{parameters.fitted_on}; set it to 'grid'."
        )
    place = slugs.index(parameters.fitted_on)
    return datasets[1 - place], datasets[place]


def predicted_places(data: DatasetInputs, name: str) -> Codes:
    """The instances for which the system has a prediction."""
    return np.flatnonzero(~absent_rows(data.Q[name])) if name in data.absent else np.arange(len(data.P))


class Temperatures(NamedTuple):
    """A system's temperatures, one per fold, and the fold of every judged instance.

    `origin` says, as part of a name, where they come from; `reason` says why they are unknown (then NaN).
    """

    origin: str
    of_folds: tuple[float, ...]
    fold: Integers
    reason: str = ""


class TemperatureSearch:
    """The search for the best temperature of every system.

    On the judged dataset, the temperature of every fold is chosen on the other folds. On another dataset, one is chosen
    on all instances for which the system of the same name has a prediction; the two datasets need not have the same
    labels.
    """

    def __init__(
        self,
        data: DatasetInputs,
        fitted_on: DatasetInputs | None,
        parameters: HumanCalibration,
        seed: np.random.SeedSequence,
    ) -> None:
        self._data, self._fitted_on, self._parameters = data, fitted_on, parameters
        self._folds = 1 if fitted_on else parameters.folds
        # The sizes of folds differ by at most one.
        self._fold = np.random.default_rng(seed).permutation(len(data.P)) % self._folds

    def plans(self, systems: Sequence[str]) -> dict[str, Plan]:
        """A plan for every system that needs one."""
        if self._parameters.scaling != "grid":
            return {}
        data = self._fitted_on or self._data
        fold: Integers = np.zeros(len(data.P), dtype=np.int64) if self._fitted_on else self._fold
        plans: dict[str, Plan] = {}
        for name in systems:
            if name in data.systems:
                rows = predicted_places(data, name)
                plans[f"temperature/{name}"] = TemperaturePlan(
                    data.P[rows], data.Q[name][rows], fold[rows], self._folds, self._parameters.criterion
                )
        return plans

    def temperatures(self, name: str, replicates: Mapping[str, Replicates]) -> Temperatures | None:
        """The temperatures of the system; None if no scaling is requested."""
        parameters, slug = self._parameters, self._fitted_on.slug if self._fitted_on else ""
        if parameters.scaling == "none":
            return None
        if parameters.scaling == "one":
            origin = f"T = {parameters.temperature:g}"
            return Temperatures(origin, (parameters.temperature,), np.zeros_like(self._fold))
        origin = f"T of {slug}" if slug else "T chosen"
        values = replicates.get(f"temperature/{name}")
        if values is None:
            return Temperatures(origin, (math.nan,), self._fold, f"the dataset {slug} has no system of this name")
        of_folds = tuple(best(values))
        reason = ""
        if any(math.isnan(temperature) for temperature in of_folds):
            title = metrics.get(parameters.criterion).title
            reason = f"{title} is undefined at every temperature of the grid" + (f" on {slug}" if slug else "")
        return Temperatures(origin, of_folds, self._fold, reason)


class TemperaturePlan:
    """The criterion along the grid, one temperature per block, for the instances outside each fold: (grid, folds)."""

    def __init__(self, P: Matrix, Q: Matrix, fold: Integers, folds: int, criterion: str) -> None:
        self._P, self._logits, self._criterion = P, _logits(Q), criterion
        self._inside = [fold != number if folds > 1 else np.ones(len(P), dtype=np.bool_) for number in range(folds)]
        self.blocks = GRID

    def block(self, number: int) -> Matrix:
        scaled = metrics.temperature_scaled(self._logits, self.blocks[number])
        tables = [
            metrics.compute(self._P[inside], scaled[inside], "multiclass", [self._criterion]) for inside in self._inside
        ]
        return np.array([float(table["Q"][self._criterion]) for table in tables])

    def merged(self, blocks: Sequence[Matrix]) -> Matrix:
        return np.stack(blocks)


def best(values: Matrix) -> list[float]:
    """The temperature that minimises the criterion in each fold, the lowest of several; NaN if there is none.

    >>> best(np.array([[math.nan, 2.0]] * 3 + [[math.nan, 1.0]] * (len(GRID) - 3)))
    [nan, 0.65]
    """
    return [math.nan if np.isnan(column).all() else GRID[int(np.nanargmin(column))] for column in values.T]


def scaled_by_fold(Q: Matrix, fold: Integers, temperatures: Sequence[float]) -> Matrix:
    """Every instance at the temperature of its fold."""
    logits = _logits(Q)
    rows = np.empty_like(logits)
    for number, temperature in enumerate(temperatures):
        inside = fold == number
        rows[inside] = metrics.temperature_scaled(logits[inside], temperature)
    return rows


def _logits(Q: npt.ArrayLike) -> Matrix:
    """Logarithms, minus infinity for 0."""
    with np.errstate(divide="ignore"):
        logits: Matrix = np.log(np.asarray(Q, dtype=np.float64))
    return logits
