"""The parameters of the analysis of calibration to human judgements."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.parameters import Absent, Parameters, choices

Ties = Literal["first", "last"]
Scaling = Literal["none", "one", "grid"]
Criterion = Literal["cross_entropy", "kl_divergence", "distribution_calibration_error", "expected_calibration_error"]


class HumanCalibration(Parameters):
    """Parameters of `human_calibration`."""

    systems: list[str] = Field(default=[], title="Systems", json_schema_extra=choices("systems"))
    """Which systems to include; if none are named, all."""
    bins: int = Field(default=10, ge=1, le=1000, title="Bins")
    """For the calibration errors and the reliability diagrams."""
    accuracy_ties: Ties = Field(default="first", title="Ties in accuracy")
    """Which label counts if several are the most probable; the published accuracy takes the last."""
    ece_ties: Ties = Field(default="first", title="Ties in calibration errors")
    """The same for the expected calibration errors; the published ones take the first."""
    zeros: bool = Field(default=False, title="Count probabilities of 0")
    """In the class-wise error. As published, they fall into no bin and are left out."""
    scaling: Scaling = Field(default="none", title="Temperature scaling")
    """Show every system also at one fixed temperature, or at the best one of a grid (0.5 to 5 in steps of 0.05)."""
    temperature: float = Field(default=2.0, gt=0, le=100, title="Temperature")
    """The fixed temperature."""
    criterion: Criterion = Field(default="cross_entropy", title="Criterion")
    """The metric that the best temperature of the grid minimises."""
    folds: int = Field(default=2, ge=1, le=20, title="Folds")
    """The temperature for one part of the instances is chosen on the others; 1: chosen and judged on the same
    instances. It has no effect if temperatures are chosen on another dataset."""
    fitted_on: Annotated[str, Absent("")] = Field(default="", title="Choose temperatures on")
    """With two datasets: the slug of the one on which every system's temperature is chosen from the grid, to be judged
    on the other. Empty: on the dataset itself, by folds."""
    sample_size: int = Field(default=20, ge=1, le=100_000, title="Votes per sub-sample")
    """How many votes per instance make up the resampled people."""
    samples: int = Field(default=2, ge=1, le=10, title="Sub-samples")
    """How many times people are resampled: H1, H2, ..."""
    histogram_bins: int = Field(default=20, ge=2, le=200, title="Histogram bins")
    """For the instances' errors."""
