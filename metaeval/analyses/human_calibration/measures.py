"""How far one matrix of predictions is from people, per instance and overall: Baan et al. (2022), Table 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Matrix, Vector
from metaeval import metrics
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.human_calibration.result import (
    BinOfReliability,
    CalibratedEntry,
    CalibrationMeasure,
    CalibrationOverRuns,
    ErrorKind,
    SignedErrors,
)
from metaeval.analyses.inputs.parts import Number
from metaeval.stats.welch import standard_deviation

TITLES: dict[CalibrationMeasure, str] = {
    "accuracy": "Accuracy",
    "ece": "ECE",
    "classwise_ece": "Class-wise ECE",
    "ranking": "RankCS",
    "entropy": "|EntCE|",
    "entropy_signed": "EntCE",
    "distribution": "DistCE",
}
"""As in the paper; `entropy_signed` is the mean of EntCE with its sign, negative where the system is more certain."""


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of every instance: DistCE in [0, 1], EntCE in [-log K, log K]."""

    distribution: Vector
    entropy: Vector


def measures_of(P: Matrix, Q: Matrix, parameters: HumanCalibration) -> dict[CalibrationMeasure, Number]:
    """All measures of the section, by the names of `TITLES`."""
    bins = parameters.bins
    return {
        "accuracy": float(metrics.accuracy(P, Q, ties=parameters.accuracy_ties)),
        "ece": float(metrics.expected_calibration_error(P, Q, bins=bins, ties=parameters.ece_ties)),
        "classwise_ece": float(
            metrics.classwise_ece(P, Q, bins=bins, ties=parameters.ece_ties, zeros=parameters.zeros)
        ),
        "ranking": float(metrics.ranking_calibration_score(P, Q)),
        "entropy": float(metrics.entropy_calibration_error(P, Q)),
        "entropy_signed": float(metrics.entropy_calibration_errors(P, Q).mean()),
        "distribution": float(metrics.distribution_calibration_error(P, Q)),
    }


def classwise(P: Matrix, Q: Matrix, parameters: HumanCalibration) -> Vector:
    """The class-wise error of every label."""
    return metrics.classwise_errors(P, Q, bins=parameters.bins, ties=parameters.ece_ties, zeros=parameters.zeros)


def errors_of(P: Matrix, Q: Matrix) -> Errors:
    """The errors of every instance; entropies differ by at most log K, despite rounding."""
    most = math.log(P.shape[1])
    entropy = np.clip(metrics.entropy_calibration_errors(P, Q), -most, most)
    return Errors(np.clip(metrics.distribution_calibration_errors(P, Q), 0.0, 1.0), entropy)


def histograms(errors: Errors, labels: int, bins: int) -> dict[ErrorKind, metrics.ErrorHistogram]:
    """The distribution of the instances' errors."""
    most = math.log(labels)
    return {
        "distribution": metrics.error_histogram(errors.distribution, bins=bins),
        "entropy": metrics.error_histogram(errors.entropy, bins=bins, span=(-most, most)),
    }


def signed_errors(errors: Matrix, bins: int) -> list[SignedErrors]:
    """The distribution of every column's errors (instances, labels or guesses) between -1 and 1."""
    found = []
    for column in np.clip(errors, -1.0, 1.0).T:
        spread = metrics.error_histogram(column, bins=bins, span=(-1.0, 1.0))
        found.append(
            SignedErrors(
                edges=list(spread.edges),
                shares=list(spread.shares),
                mean=float(column.mean()),
                magnitude=float(np.abs(column).mean()),
            )
        )
    return found


def reliability_rows(P: Matrix, Q: Matrix, parameters: HumanCalibration) -> list[BinOfReliability]:
    """The bins of the reliability diagram of the most probable label."""
    return [
        BinOfReliability(
            low=bin_.low,
            high=bin_.high,
            instances=bin_.instances,
            confidence=bin_.confidence,
            accuracy=bin_.accuracy,
        )
        for bin_ in metrics.reliability(P, Q, bins=parameters.bins, ties=parameters.ece_ties)
    ]


def over_runs(rows: Sequence[CalibratedEntry]) -> list[CalibrationOverRuns]:
    """Means and standard deviations (n - 1) of the measures over the runs of a model and method."""
    groups: dict[tuple[str, str], list[CalibratedEntry]] = {}
    for row in rows:
        groups.setdefault((row.model, row.method), []).append(row)
    answers = []
    for (model, method), members in groups.items():
        values = {name: _column(members, name) for name in TITLES}
        answers.append(
            CalibrationOverRuns(
                model=model,
                method=method,
                runs=len(members),
                means={name: float(column.mean()) for name, column in values.items()},
                deviations={
                    name: standard_deviation(column) if len(column) > 1 else None for name, column in values.items()
                },
            )
        )
    return answers


def _column(rows: Sequence[CalibratedEntry], name: CalibrationMeasure) -> Vector:
    return np.array([math.nan if row.measures[name] is None else row.measures[name] for row in rows], dtype=np.float64)
