"""How a distribution becomes what an expert sees: the rule and its arithmetic. Needs no Django.

`annotations.shown.displaying` explains what the rule is for, and applies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from annotations.ground.arrays import Counts, Integers, Mask, Matrix

DISPLAY_RULE = 2
"""The newest version of the rule by which experts are shown distributions."""

HUMAN_VS_SYSTEM, MULTILABEL = "human_vs_system", "multilabel"
"""The name used in models."""

PERCENT = 100  # the finest parts: every share is shown as a whole percentage
EXACT = 1 / PERCENT  # the step of whole percentages
STEPS_BY_NAME: dict[str, float | None] = {"grid": None, "exact": EXACT}
"""The stored values of the two named ways."""
NEARLY = 1e-9  # tolerance for halves in binary arithmetic: 0.15 / 0.1 is 1.4999999999999998

DisplayMode = Literal["grid", "step", "exact"]
"""`grid`: the shares that each text's people can give. `step`: one step for all texts. `exact`: whole percentages."""


class ShowingStudy(Protocol):
    """The settings that decide how a study shows distributions."""

    @property
    def compares(self) -> str: ...
    @property
    def display_step(self) -> float | None: ...
    @property
    def display_threshold(self) -> float: ...
    @property
    def display_rule(self) -> int: ...


@dataclass(frozen=True, slots=True)
class DisplayRule:
    """How a study turns a distribution into what its experts see.

    Args:
        threshold: only labels above this share are drawn; in [0, 1).
        mode: where the number of parts comes from.
        step: the step for `step` and `exact`, in (0, 0.5]; None for the grid.
        version: 1 compares only the rounded value with the threshold, as in studies planned before version 2 existed;
            2 also compares the exact value.
    """

    threshold: float = 0.1
    mode: DisplayMode = "grid"
    step: float | None = None
    version: int = DISPLAY_RULE

    @classmethod
    def of(cls, study: ShowingStudy) -> DisplayRule:
        """The rule of a study, stored or not. With two systems no side is human, so values are whole percentages."""
        step = study.display_step
        if step is None and study.compares != HUMAN_VS_SYSTEM:
            step = EXACT
        return cls.with_step(step, threshold=study.display_threshold, version=study.display_rule)

    @classmethod
    def with_step(cls, step: float | None, *, threshold: float = 0.1, version: int = DISPLAY_RULE) -> DisplayRule:
        """The rule for a stored step: None means the grid, one per cent means exact.

        >>> [DisplayRule.with_step(step).mode for step in (None, 0.05, 0.01)]
        ['grid', 'step', 'exact']
        """
        mode: DisplayMode = "grid" if step is None else "exact" if parts_of_step(step) == PERCENT else "step"
        return cls(threshold=threshold, mode=mode, step=step, version=version)

    def parts(self, people: int | Integers) -> int | Integers:
        """The number of parts to which values are rounded, on both sides, if `people` judged (`Instance.parts`)."""
        return people if self.step is None else parts_of_step(self.step)

    def percentages(self, values: Matrix, *, people: int | Integers, task: str) -> Counts:
        """What is drawn, as in `percentages`; `people` is one number, or one for each row."""
        return percentages(values, parts=self.parts(people), threshold=self.threshold, task=task, version=self.version)

    def shown(self, values: Matrix, *, people: int | Integers, task: str) -> Matrix:
        """`percentages` as shares in [0, 1].

        >>> rule = DisplayRule(threshold=0.1)
        >>> rule.shown(np.array([[0.45, 0.1], [0.45, 0.1]]), people=np.array([5, 2]), task="multilabel").tolist()
        [[0.4, 0.0], [0.5, 0.0]]
        """
        result: Matrix = self.percentages(values, people=people, task=task) / PERCENT
        return result

    def identical(self, first: Matrix, second: Matrix, *, people: int | Integers, task: str) -> Mask:
        """In which rows the two sides look the same, bar for bar (two sides without bars look the same, too).

        >>> rule = DisplayRule(threshold=0.1)
        >>> rule.identical(np.array([[0.4, 0.0]]), np.array([[0.49, 0.1]]), people=5, task="multilabel").tolist()
        [True]
        """
        drawn = (self.percentages(side, people=people, task=task) for side in (first, second))
        same: Mask = np.asarray(np.equal(*drawn).all(axis=-1))
        return same


def parts_of_step(step: float) -> int:
    """How many steps add up to 1.

    >>> parts_of_step(0.05), parts_of_step(0.333)
    (20, 3)
    """
    return round(1 / step)


def stored_step(said: float | str | None) -> float | str | None:
    """What a study stores for a named way of drawing or a step; anything else is returned as it is, to be checked
    later.

    >>> stored_step("grid"), stored_step("exact"), stored_step(0.05)
    (None, 0.01, 0.05)
    """
    return STEPS_BY_NAME.get(said, said) if isinstance(said, str) else said


def rounded(values: Matrix, *, parts: int | Integers, task: str) -> Counts:
    """Every value as a number of parts: the nearest one, halves upwards, from 0 to `parts`.

    Rows of a task whose rows sum to 1 get exactly `parts`: every value is rounded down, and what is left
    goes to the largest remainders, the first label winning ties.

    Args:
        values: labels; rows x labels; or with more dimensions before these, such as systems; in [0, 1].
        parts: one number, or one for each row.

    >>> rounded(np.array([0.0, 0.124, 0.125, 0.2, 0.98]), parts=20, task="multilabel").tolist()
    [0, 2, 3, 4, 20]
    >>> rounded(np.array([0.5, 0.5]), parts=5, task="multiclass").tolist()
    [3, 2]
    >>> rounded(np.array([[0.4, 0.6], [0.4, 0.6]]), parts=np.array([3, 10]), task="multiclass").tolist()
    [[1, 2], [4, 6]]
    """
    parts = np.asarray(parts)[..., None]
    exact = values * parts
    if task == MULTILABEL:
        nearest: Counts = np.clip(np.floor(exact + 0.5 + NEARLY), 0, parts).astype(np.int64)
        return nearest
    whole = np.floor(exact + NEARLY)
    rest = parts - whole.sum(axis=-1, keepdims=True)
    # Rounded so that floating-point noise cannot matter; argsort is stable, so ties keep their order.
    remainders = np.round(exact - whole, 9)
    rank = np.argsort(np.argsort(-remainders, axis=-1, kind="stable"), axis=-1, kind="stable")
    counts: Counts = np.clip(whole + (rank < rest), 0, parts).astype(np.int64)
    return counts


def percentages(
    values: Matrix, *, parts: int | Integers, threshold: float, task: str, version: int = DISPLAY_RULE
) -> Counts:
    """The values as drawn, in per cent and in the label set's order; 0 where no bar is drawn.

    A row of NaN (a system that predicted nothing) has no bar.

    Args:
        values, parts: as `rounded` takes them.
        version: the version of the rule by which a label is drawn (`DisplayRule`).

    >>> percentages(np.array([0.4, 0.11, 0.13]), parts=20, threshold=0.1, task="multilabel").tolist()
    [40, 0, 15]
    >>> [percentages(np.array([0.1]), parts=5, threshold=0.1, task="multilabel", version=v).item() for v in (1, 2)]
    [20, 0]
    """
    count = rounded(np.nan_to_num(values), parts=parts, task=task)
    parts = np.asarray(parts)[..., None]
    percent = (2 * PERCENT * count + parts) // (2 * parts)
    above = (percent > threshold * PERCENT + NEARLY) & ~np.isnan(values)
    if version > 1:
        above &= values > threshold + NEARLY
    drawn: Counts = np.where(above, percent, 0)
    return drawn
