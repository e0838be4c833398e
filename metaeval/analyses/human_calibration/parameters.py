"""The parameters of the analysis of calibration to human judgements."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.earlier import Absent
from metaeval.analyses.base.parameters import Parameters, choices

Ties = Literal["first", "last"]
Scaling = Literal["none", "one", "grid"]
Criterion = Literal["cross_entropy", "kl_divergence", "distribution_calibration_error", "expected_calibration_error"]


class HumanCalibration(Parameters):
    """Parameters of `human_calibration`."""

    systems: list[str] = Field(
        default=[],
        title="Systems",
        description="Which systems; none named: all.",
        json_schema_extra=choices("systems"),
    )
    bins: int = Field(
        default=10, ge=1, le=1000, title="Bins", description="Of the calibration errors and the reliability diagrams."
    )
    accuracy_ties: Ties = Field(
        default="first",
        title="Ties, accuracy",
        description="Which of several most probable labels counts; the published accuracy takes the last.",
    )
    ece_ties: Ties = Field(
        default="first",
        title="Ties, calibration errors",
        description="The same for the expected calibration errors; the published ones take the first.",
    )
    zeros: bool = Field(
        default=False,
        title="Probabilities of 0 count",
        description="In the class-wise error; as published, they are in no bin and left out.",
    )
    scaling: Scaling = Field(
        default="none",
        title="Temperature scaling",
        description="Show every system also at one temperature, or at the best of a grid (0.5 to 5 in steps of 0.05).",
    )
    temperature: float = Field(
        default=2.0, gt=0, le=100, title="Temperature", description="Of scaling by one temperature."
    )
    criterion: Criterion = Field(
        default="cross_entropy",
        title="Criterion",
        description="Of the best temperature of the grid: the metric that is to be least.",
    )
    folds: int = Field(
        default=2,
        ge=1,
        le=20,
        title="Folds",
        description="The temperature for one part of the instances is chosen on the others; 1: chosen and judged on "
        "the same instances. Without effect where another dataset chooses.",
    )
    fitted_on: Annotated[str, Absent("")] = Field(
        default="",
        title="Temperatures chosen on",
        description="Of two datasets: the slug of the one on which every system's temperature is chosen from the grid, "
        "to be judged on the other. Empty: on the dataset itself, by folds.",
    )
    sample_size: int = Field(
        default=20,
        ge=1,
        le=100_000,
        title="Votes of a sub-sample",
        description="How many votes of every instance make the resampled people.",
    )
    samples: int = Field(
        default=2, ge=1, le=10, title="Sub-samples", description="How many times people are resampled: H1, H2, ..."
    )
    histogram_bins: int = Field(
        default=20, ge=2, le=200, title="Bins of histograms", description="Of the instances' errors."
    )
