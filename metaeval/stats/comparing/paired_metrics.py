"""Two metrics and the judgements of the same systems on the same inputs: correlations, exchanges, resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Matrix
from metaeval.checking import as_numbers, checked_choice
from metaeval.frames import aligned
from metaeval.sampling import Replicates, ResamplingPlan, Seed
from metaeval.stats.correlating.coefficients import COEFFICIENTS, Coefficient, is_constant, stretch_over_systems
from metaeval.stats.correlating.tails import Alternative, TwoSided
from metaeval.stats.intervals import Interval, bootstrap_interval
from metaeval.stats.resampling import is_enumerable, tail_p_value
from metaeval.stats.results import SignificanceResult

ONE_SYSTEM = "fewer than two systems"

CorrelationLevel = Literal["system", "input", "global"]
PermutationMethod = Literal["systems", "inputs", "both-cells", "both-crossed"]
BootstrapMethod = Literal["systems", "inputs", "both"]

_OVER_REJECTS = "can over-reject where a metric is biased per system; exchanging systems does not"
_NOTES = {
    "perm-both-cells": _OVER_REJECTS,
    "perm-both-crossed": _OVER_REJECTS,
    "boot-both": "counts the noise of inputs twice, as its authors define it: the interval errs on the wide side",
}
"""What a reader of the result should know about its method."""


@dataclass(frozen=True)
class MetricComparison(SignificanceResult):
    """Two metrics' correlations with the judgements, their difference, and its p-value.

    Attributes
    ----------
    method : str
        What was exchanged or resampled.
    correlation_level : {'system', 'input', 'global'}
        What the coefficient was computed over.
    coefficient : {'pearson', 'spearman', 'kendall'}
        Which coefficient.
    first, second, difference : float
        The two correlations and their difference; NaN where they are undefined.
    pvalue : float
        P-value of the difference.
    p_error : float
        Monte Carlo standard error of a sampled p-value.
    alternative : {'two-sided', 'greater', 'less'}
        Alternative hypothesis.
    exact : bool
        Whether every exchange was enumerated.
    n_resamples : int
        How many exchanges or resamples were used.
    undefined : int
        In how many of them a correlation was undefined.
    systems, inputs : int
        How many there are.
    left_out : int
        How many cells of a metric were undefined and not used.
    interval : Interval or None
        Bootstrap interval of the difference.
    reason : str
        Why the value is undefined; empty if it is defined.
    notes : tuple of str
        What a reader should know.
    """

    method: str
    correlation_level: CorrelationLevel
    coefficient: Coefficient
    first: float
    second: float
    difference: float
    pvalue: float
    p_error: float
    alternative: Alternative
    exact: bool
    n_resamples: int
    undefined: int
    systems: int
    inputs: int
    left_out: int
    interval: Interval | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def statistic(self) -> float:
        """`difference`, under the name that SciPy's results have."""
        return self.difference


class Cells(NamedTuple):
    """Two metrics and the judgements, each (inputs, systems), and where both metrics, and the judgements, exist."""

    x: Matrix
    y: Matrix
    z: Matrix
    has: Mask
    has_z: Mask


class PairedMetrics:
    """Two metrics and the judgements of the same systems on the same inputs, checked once.

    Parameters
    ----------
    first, second : array_like, shape (systems, inputs)
        Item-level values of the two metrics. NaN marks missing values; a cell is used where both metrics have it.
    judgements : array_like, shape (systems, inputs)
        The judgements; each is used where it exists.
    correlation_level : {'system', 'input', 'global'}, default 'system'
        Whether the coefficient is of the systems' means, averaged over inputs, or of all cells.
    coefficient : {'pearson', 'spearman', 'kendall'}, default 'pearson'
        Which correlation coefficient.

    Raises
    ------
    ValueError
        If they are not three matrices of the same shape with finite values or NaN.

    Notes
    -----
    A single column contains one value per system. At the `system` level, the metrics are averaged over their cells and
    the judgements over theirs (metrics may cover the whole dataset, judgements only the shown instances); at the
    `input` level, the coefficient is computed over systems for each input and averaged over the inputs where it is
    defined; at the `global` level, it is computed over all cells. Both metrics are standardised over their cells, so
    that exchanging them makes sense; values that differ only by rounding are tied (`metaeval.stats.ties`).
    """

    def __init__(
        self,
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        judgements: npt.ArrayLike,
        *,
        correlation_level: CorrelationLevel = "system",
        coefficient: Coefficient = "pearson",
    ) -> None:
        checked_choice("correlation_level", correlation_level, get_args(CorrelationLevel))
        checked_choice("coefficient", coefficient, COEFFICIENTS)
        first, second, judgements = aligned(first=first, second=second, judgements=judgements)
        x, y, z = (_matrix(m, name) for m, name in ((first, "first"), (second, "second"), (judgements, "judgements")))
        if not x.shape == y.shape == z.shape:
            msg = f"first, second and judgements have shapes {x.shape}, {y.shape}, {z.shape}; expected one shape"
            raise ValueError(msg)
        self.correlation_level, self.coefficient = correlation_level, coefficient
        self.systems: int = x.shape[0]
        self.inputs: int = x.shape[1]
        both = ~(np.isnan(x) | np.isnan(y))
        self.left_out = int(both.size - both.sum())
        self.cells = int(both.sum())
        has, has_z = (np.ascontiguousarray(mask.T) for mask in (both, ~np.isnan(z)))
        values = (standardised(x.T, has), standardised(y.T, has), standardised(z.T, has_z))
        self._cells = Cells(*values, has, has_z)
        self.first, self.second = self._observed()
        self.reason = self._undefined_because(x, y, z)

    @property
    def difference(self) -> float:
        """The first metric's correlation minus the second's."""
        return self.first - self.second

    def permutation_plan(self, method: PermutationMethod, *, n_resamples: int, seed: Seed = 0) -> ResamplingPlan:
        """Null replicates of the difference (n_resamples,); all 2^u exchanges of u units if there are no more."""
        from metaeval import generator
        from metaeval.stats.correlating import coefficient_kernels

        from . import paired_kernels

        checked_choice("method", method, get_args(PermutationMethod))
        units = self._units(method)
        exact = is_enumerable(units, n_resamples)
        how = get_args(PermutationMethod).index(method)
        correlation_level = get_args(CorrelationLevel).index(self.correlation_level)
        which = coefficient_kernels.NUMBER[self.coefficient]

        def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
            state = generator.state(stream)
            found: Replicates = paired_kernels.permuted(
                state, False, 0, size, how, self._cells, correlation_level, which
            )
            return found

        if not exact:
            return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)
        no_state = np.zeros(4, dtype=np.uint64)

        def enumerate_all(_: np.random.SeedSequence, size: int) -> Replicates:
            found: Replicates = paired_kernels.permuted(
                no_state, True, 0, size, how, self._cells, correlation_level, which
            )
            return found

        return ResamplingPlan(enumerate_all, n_resamples=2**units, seed=seed, block=2**units)

    def bootstrap_plan(self, method: BootstrapMethod, *, n_resamples: int, seed: Seed = 0) -> ResamplingPlan:
        """Replicates of both correlations (n_resamples, 2)."""
        from metaeval import generator
        from metaeval.stats.correlating import coefficient_kernels

        from . import paired_kernels

        checked_choice("method", method, get_args(BootstrapMethod))
        over = (method != "inputs", method != "systems")
        correlation_level = get_args(CorrelationLevel).index(self.correlation_level)
        which = coefficient_kernels.NUMBER[self.coefficient]

        def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
            state = generator.state(stream)
            found: Replicates = paired_kernels.resampled(state, size, *over, self._cells, correlation_level, which)
            return found

        return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)

    def permutation_result(
        self,
        method: PermutationMethod,
        replicates: Replicates,
        alternative: Alternative = "two-sided",
        two_sided: TwoSided = "double",
    ) -> MetricComparison:
        """The test, from all null replicates."""
        units = self._units(method)
        exact = len(replicates) == 2**units
        return self._result(f"perm-{method}", replicates, alternative, two_sided, self.difference, exact=exact)

    def bootstrap_result(
        self,
        method: BootstrapMethod,
        replicates: Replicates,
        alternative: Alternative = "two-sided",
        confidence_level: float = 0.95,
    ) -> MetricComparison:
        """The test and the interval of the difference, from all replicates of both correlations."""
        differences = replicates[:, 0] - replicates[:, 1]
        over_systems = method == "systems" and self.correlation_level != "global" and not self.reason
        interval = bootstrap_interval(
            differences,
            confidence_level=confidence_level,
            observed=self.difference,
            centred=over_systems,
            stretch=self._stretch(confidence_level) if over_systems else 1.0,
            undefined_because=self.reason,
        )
        # a replicate across zero, r <= 0, means d - r >= d: mirrored like this, the tails are those of a null
        mirrored = self.difference - differences
        return self._result(
            f"boot-{method}", mirrored, alternative, "double", self.difference, exact=False, interval=interval
        )

    def _result(
        self,
        method: str,
        null: Replicates,
        alternative: Alternative,
        two_sided: TwoSided,
        observed: float,
        *,
        exact: bool,
        interval: Interval | None = None,
    ) -> MetricComparison:
        p = math.nan if self.reason else tail_p_value(null, observed, alternative, two_sided, exact=exact)
        doubled = alternative == "two-sided" and two_sided == "double"
        tail = p / 2 if doubled else p
        return MetricComparison(
            method=method,
            correlation_level=self.correlation_level,
            coefficient=self.coefficient,
            first=self.first,
            second=self.second,
            difference=self.difference,
            pvalue=p,
            p_error=0.0 if exact else (2 if doubled else 1) * math.sqrt(tail * (1 - tail) / len(null)),
            alternative=alternative,
            exact=exact,
            n_resamples=len(null),
            undefined=int(np.isnan(null).sum()),
            systems=self.systems,
            inputs=self.inputs,
            left_out=self.left_out,
            interval=interval,
            reason=self.reason,
            notes=tuple(note for name, note in _NOTES.items() if method == name),
        )

    def _stretch(self, confidence_level: float) -> float:
        """For a difference of Pearson's r, also use Student's quantile instead of the normal one (Hesterberg 2015, What
        Teachers Should Know about the Bootstrap, the expanded percentile interval)."""
        from scipy.special import ndtri, stdtrit  # slow to import, and only needed here

        stretch = stretch_over_systems(self.coefficient, self.systems)
        if self.coefficient != "pearson":
            return stretch
        tail = (1 + confidence_level) / 2
        return stretch * float(stdtrit(self.systems - 1, tail) / ndtri(tail))

    def _units(self, method: PermutationMethod) -> int:
        units: dict[PermutationMethod, int] = {
            "systems": self.systems,
            "inputs": self.inputs,
            "both-cells": self.cells,
            "both-crossed": self.systems + self.inputs,
        }
        return units[method]

    def _observed(self) -> tuple[float, float]:
        from metaeval.stats.correlating import coefficient_kernels

        from . import paired_kernels

        x, y, z, has, has_z = self._cells
        rest = (get_args(CorrelationLevel).index(self.correlation_level), coefficient_kernels.NUMBER[self.coefficient])
        room = np.empty((4, max(x.size, 1)))
        return (
            float(paired_kernels.correlate(x, z, has, has_z, *rest, room)),
            float(paired_kernels.correlate(y, z, has, has_z, *rest, room)),
        )

    def _undefined_because(self, x: Matrix, y: Matrix, z: Matrix) -> str:
        if not (math.isnan(self.first) or math.isnan(self.second)):
            return ""
        if self.systems < 2:
            return ONE_SYSTEM
        for values, name in ((x, "first"), (y, "second"), (z, "judgements")):
            defined = values[~np.isnan(values)]
            if len(defined) == 0 or is_constant(defined):
                return f"all values of {name} are equal or missing"
        return (
            f"the {self.correlation_level}-level correlation is undefined: nowhere two systems that differ in all three"
        )


def _matrix(values: npt.ArrayLike, name: str) -> Matrix:
    matrix = as_numbers(name, values, "a matrix (systems, inputs)")
    if matrix.ndim != 2 or 0 in matrix.shape:
        msg = f"{name} has shape {matrix.shape}; expected (systems, inputs), at least 1 of each"
        raise ValueError(msg)
    if np.isinf(matrix).any():
        msg = f"{name} holds an infinite value; expected finite ones, mark what is missing by NaN"
        raise ValueError(msg)
    return matrix


def standardised(values: Matrix, has: Mask) -> Matrix:
    """Mean 0 and standard deviation 1 over the non-missing cells; 0 elsewhere."""
    answer = np.zeros(values.shape)
    there = values[has]
    if len(there):
        spread = there.std()
        answer[has] = (there - there.mean()) / (spread if spread > 0 else 1.0)
    return answer
