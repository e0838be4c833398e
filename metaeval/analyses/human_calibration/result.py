"""The results of the analysis of calibration to human judgements."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.result import Findings, MeasuredValue, Result
from metaeval.analyses.inputs.parts import Number, Part

Kind = Literal["oracle", "people", "system", "scaled"]
CalibrationMeasure = Literal["accuracy", "ece", "classwise_ece", "ranking", "entropy", "entropy_signed", "distribution"]
ErrorKind = Literal["distribution", "entropy"]


class ErrorShares(Part):
    """The distribution of the instances' errors: the share in each of equal bins."""

    edges: list[float]
    shares: list[float]


class SignedErrors(ErrorShares):
    """The distribution of predicted minus people's shares, for one label or guess: above 0, the system gives more."""

    mean: float
    magnitude: float = Field(description="Mean of the absolute errors.")


class ComparedErrors(Part):
    """How far the distribution of errors is from that of resampled people."""

    kl: MeasuredValue
    tvd: MeasuredValue


class BinOfReliability(Part):
    """The instances whose most probable label has a probability between `low` and `high`."""

    low: float
    high: float
    instances: int
    confidence: Number = Field(description="Mean probability of the most probable label.")
    accuracy: Number = Field(description="How often that label is people's majority label.")


class CalibratedEntry(Part):
    """Something that predicts, and how well it is calibrated: a system (unscaled or scaled), people, or a
    sub-sample."""

    name: str
    kind: Kind
    model: str
    method: str
    run: str
    temperatures: list[Number] = Field(description="One per fold; none if it is not scaled.")
    reason: str = Field(description="Why nothing could be measured; empty if it could be.")
    instances: int
    measures: dict[CalibrationMeasure, Number]
    classwise: list[Number] = Field(description="The class-wise error of every label.")
    histograms: dict[ErrorKind, ErrorShares] | None
    compared: dict[ErrorKind, ComparedErrors] | None
    reliability: list[BinOfReliability]
    by_label: list[SignedErrors] = Field(default=[], description="Errors of every label; empty in earlier results.")
    by_guess: list[SignedErrors] = Field(
        default=[],
        description=(
            "Errors of the label that the prediction gives the highest probability, of the next one, and so on."
        ),
    )


class CalibrationOverRuns(Part):
    """Means and standard deviations of the measures over the runs of a model and method."""

    model: str
    method: str
    runs: int
    means: dict[CalibrationMeasure, Number]
    deviations: dict[CalibrationMeasure, Number]


class HumanCalibrationFindings(Findings):
    """How well everything that predicts is calibrated to people."""

    entries: list[CalibratedEntry]
    groups: list[CalibrationOverRuns]
    labels: list[str]
    reference: str | None = Field(description="The sub-sample of people with whose errors the others are compared.")
    reference_reason: str = Field(description="Why there is none; empty if there is one.")
    fitted_on: str = Field(
        default="",
        description="The slug of the dataset on which temperatures were chosen; empty if it is the "
        "judged one, as in all earlier results.",
    )


class HumanCalibrationResult(HumanCalibrationFindings, Result):
    """Calibration to human judgements."""

    analysis: Literal["human_calibration"]
