"""The table behind the F1 scores: precision, recall, F1 and support of every label, hard and soft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from annotations.ground.arrays import Vector
from metaeval.describing import described
from metaeval.frames import DataFrame, frame_of

from .hard import ratios
from .pair import checked_input, checked_task
from .registry import MetricValue, undefined


@described
@dataclass(frozen=True)
class Scores:
    """Precision, recall, F1 and support of one label."""

    precision: MetricValue
    recall: MetricValue
    f1: MetricValue
    """Values in [0, 1], or NaN with a reason."""
    support: float
    """How many instances (hard) or how much mass (soft) the label has in P."""

    def to_dict(self) -> dict[str, Any]:
        scores = {name: getattr(self, name).to_dict() for name in ("precision", "recall", "f1")}
        return {**scores, "support": self.support}


@described
@dataclass(frozen=True)
class ClassRow:
    """The scores of one label."""

    label: str
    """The label's name."""
    hard: Scores
    soft: Scores
    """The scores of marked labels, and of the overlap of distributions."""

    def to_dict(self) -> dict[str, Any]:
        return {"label": self.label, "hard": self.hard.to_dict(), "soft": self.soft.to_dict()}


@described
@dataclass(frozen=True)
class ClassTable:
    """The scores of every label; `table["yes"]` is the row of one label."""

    rows: tuple[ClassRow, ...]
    """One per label, in the order of the columns."""

    def __getitem__(self, label: str) -> ClassRow:
        for row in self.rows:
            if row.label == label:
                return row
        msg = f"no label is called {label!r}; there are: {', '.join(row.label for row in self.rows)}"
        raise KeyError(msg)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: ``{"rows": [{"label", "hard", "soft"}]}``."""
        return {"rows": [row.to_dict() for row in self.rows]}

    def to_frame(self) -> DataFrame:
        """One row per `label`; columns such as `hard_f1` and `soft_support`, and a `reason` for undefined values."""
        names = [f"{kind}_{name}" for kind in ("hard", "soft") for name in ("precision", "recall", "f1", "support")]
        rows = []
        for row in self.rows:
            values = {name: getattr(getattr(row, name[:4]), name[5:]) for name in names}
            reasons = (f"{name}: {value.reason}" for name, value in values.items() if getattr(value, "reason", ""))
            rows.append(
                {
                    "label": row.label,
                    **{name: float(value) for name, value in values.items()},
                    "reason": "; ".join(reasons),
                }
            )
        return frame_of(rows, index=["label"], columns=[*names, "reason"])


@described
def class_table(
    P: npt.ArrayLike, Q: npt.ArrayLike, task: str, *, zero_division: float = 1.0, labels: Sequence[str] = ()
) -> ClassTable:
    """Hard and soft precision, recall, F1 and support of every label.

    Parameters
    ----------
    P, Q : array_like, shape (N, K)
        Human and predicted distributions of N instances over K labels.
    zero_division : float, default 1.0
        The value of 0/0, in [0, 1], or NaN, which makes the score undefined.
    labels : sequence of str, optional
        Names of the labels. The default is the columns of a DataFrame `P`, or the numbers from 0.

    Returns
    -------
    ClassTable
        One row per label, in the order of the columns; scores are in [0, 1].

    Raises
    ------
    DistributionError
        If P and Q are not matrices of distributions of the same shape, or `task` is not a kind of task.

    Notes
    -----
    Formulas for label k: precision sum_i m_ik / sum_i Q_ik, recall sum_i m_ik / sum_i P_ik, F1 2 sum_i m_ik /
    sum_i (P_ik + Q_ik), support sum_i P_ik. For the soft scores m = min(P, Q). The hard ones are the same after marking
    the first argmax (multiclass) or every value above 0.5 (multilabel) with 1 and the rest with 0.

    References
    ----------
    Kurniawan et al. 2026, sections 3.1 and 3.2.

    Examples
    --------
    >>> row = class_table([[1.0, 0.0], [0.5, 0.5]], [[0.75, 0.25], [0.5, 0.5]], "multiclass", labels=["yes", "no"])[
    ...     "no"
    ... ]
    >>> row.soft.precision, row.soft.recall, row.soft.f1, row.soft.support
    (0.6666666666666666, 1.0, 0.8, 0.5)
    """
    kind = checked_task(task)
    pair = checked_input(P, Q, kind, zero_division, labels)
    sums = pair.tallies
    names = pair.names or tuple(str(k) for k in range(pair.labels))
    hard = _scores(sums.hard_both, sums.hard_predicted, sums.hard_human, zero_division)
    soft = _scores(sums.overlap, sums.predicted_mass, sums.human_mass, zero_division)
    return ClassTable(tuple(ClassRow(*row) for row in zip(names, hard, soft, strict=True)))


def _scores(both: Vector, predicted: Vector, human: Vector, zero_division: float) -> list[Scores]:
    columns = (
        ratios(both, predicted, zero_division),
        ratios(both, human, zero_division),
        ratios(2 * both, predicted + human, zero_division),
    )
    return [
        Scores(_value(precision), _value(recall), _value(f1), float(support))
        for precision, recall, f1, support in zip(*columns, human, strict=True)
    ]


def _value(score: float) -> MetricValue:
    # NaN, which equals nothing, can only come from zero_division
    is_number = score == score  # noqa: PLR0124 - NaN
    return MetricValue(score) if is_number else undefined("0/0, and zero_division is NaN")
