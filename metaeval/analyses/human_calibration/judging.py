"""Which dataset is judged, and where temperatures are chosen: on its own instances, or on another dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs


@dataclass(frozen=True, eq=False)
class Judging:
    """The judged dataset, and the one on which temperatures are chosen (None: the judged one)."""

    data: DatasetInputs
    fitted_on: DatasetInputs | None = None

    @property
    def slug_fitted_on(self) -> str:
        """Empty if temperatures are chosen on the judged dataset."""
        return self.fitted_on.slug if self.fitted_on else ""


def judging_of(inputs: DatasetInputs | DatasetsInputs, parameters: HumanCalibration) -> Judging:
    """What is requested. Raises `AnalysisError` with a sentence if something cannot be judged or chosen."""
    if isinstance(inputs, DatasetsInputs):
        judging = _two(inputs.datasets, parameters)
    else:
        judging = Judging(inputs)
        if parameters.fitted_on:
            raise AnalysisError(
                f"Temperatures cannot be chosen on {parameters.fitted_on!r} because {inputs.slug} is the "
                "only dataset; analyse both datasets together, or do not say where temperatures are "
                "chosen."
            )
    for data in (judging.data, judging.fitted_on):
        if data is not None:
            _check_dataset(data)
    _check_systems(judging, parameters)
    return judging


def _two(datasets: Sequence[DatasetInputs], parameters: HumanCalibration) -> Judging:
    slugs = [data.slug for data in datasets]
    if len(datasets) != 2:
        raise AnalysisError(
            "Temperatures are chosen on one dataset and judged on another, which takes two datasets, not "
            f"{len(datasets)}; name two, or analyse a single dataset by itself.",
        )
    if parameters.fitted_on not in slugs:
        asked = f"cannot be chosen on {parameters.fitted_on!r}" if parameters.fitted_on else "are chosen on one of two"
        raise AnalysisError(f"Temperatures {asked}; say on which dataset: {' or '.join(slugs)}.", datasets=slugs)
    if parameters.scaling != "grid":
        raise AnalysisError(
            f"With the temperature scaling {parameters.scaling!r}, no temperature is chosen on "
            f"{parameters.fitted_on}; set it to 'grid'."
        )
    place = slugs.index(parameters.fitted_on)
    return Judging(datasets[1 - place], datasets[place])


def _check_dataset(data: DatasetInputs) -> None:
    if data.task == "multilabel":
        raise AnalysisError(
            f"The dataset {data.slug} lets people give several labels, so its rows are not distributions "
            "and have no entropy. Calibration to human judgements needs one label per instance."
        )


def _check_systems(judging: Judging, parameters: HumanCalibration) -> None:
    data = judging.data
    unknown = [name for name in parameters.systems if name not in data.systems]
    if unknown:
        known = ", ".join(data.systems) or "there are none"
        where = f" of {data.slug}" if judging.fitted_on else ""
        raise AnalysisError(f"No system{where} is called {unknown[0]!r}. Systems: {known}.", systems=list(data.systems))
    for one in (data, judging.fitted_on):
        if one is not None and not one.systems:
            raise AnalysisError(f"The dataset {one.slug} has no systems. Import predictions.")
    if judging.fitted_on is None and parameters.scaling == "grid" and parameters.folds > len(data.P):
        raise AnalysisError(f"{parameters.folds} folds need at least as many instances, and there are {len(data.P)}.")
