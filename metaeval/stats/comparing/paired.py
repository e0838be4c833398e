"""Two metrics and the judgements of the same systems on the same inputs: correlations at three levels, permutation and
bootstrap tests of their difference, and the interval of one metric's correlation.

Source: Deutsch, Dror and Roth 2021, A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
Methods, TACL 9 (tests and intervals over systems, inputs, or both).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Matrix
from metaeval.checking import as_numbers, checked_choice, checked_count, checked_level
from metaeval.describing import described, described_as
from metaeval.frames import aligned
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.correlating.coefficients import COEFFICIENTS, Coefficient, is_constant, stretch_over_systems
from metaeval.stats.intervals import Interval, bootstrap_interval
from metaeval.stats.resampling import SIDES, Alternative, TwoSided, error_of_p, is_enumerable, tail_p_value
from metaeval.stats.results import SignificanceResult, Statistic

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

_COUNTED_TWICE = (
    "over inputs, the noise of inputs that the observed values hold is added once more, as the authors define it"
)


@described
@dataclass(frozen=True)
class MetricComparison(SignificanceResult, statistic="difference"):
    """Two metrics' correlations with the judgements, their difference, and its p-value."""

    method: str
    """What was exchanged or resampled."""
    correlation_level: CorrelationLevel
    """What the coefficient was computed over."""
    coefficient: Coefficient
    """Which coefficient."""
    first: float
    second: float
    difference: float
    """The two correlations and their difference; NaN where they are undefined."""
    pvalue: float
    """P-value of the difference."""
    p_error: float
    """Monte Carlo standard error of a sampled p-value."""
    alternative: Alternative
    """Alternative hypothesis."""
    exact: bool
    """Whether every exchange was enumerated."""
    n_resamples: int
    """How many exchanges or resamples were used."""
    undefined: int
    """In how many of them a correlation was undefined."""
    systems: int
    inputs: int
    """How many there are."""
    left_out: int
    """How many cells of a metric were undefined and not used."""
    interval: Interval | None = None
    """Bootstrap interval of the difference."""
    reason: str = ""
    notes: tuple[str, ...] = ()


class Cells(NamedTuple):
    """Two metrics and the judgements, each (inputs, systems), and where both metrics, and the judgements, exist."""

    x: Matrix
    y: Matrix
    z: Matrix
    has: Mask
    has_z: Mask


@described
class PairedMetrics:
    """Two metrics and the judgements of the same systems on the same inputs, checked once.

    Parameters
    ----------
    first, second : array_like, shape (systems, inputs)
        Item-level values of the two metrics. NaN marks missing values; a cell is used where both metrics have it.
    judgements : array_like, shape (systems, inputs)
        The judgements; each is used where it exists.

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

        from . import paired_kernels

        checked_choice("method", method, get_args(PermutationMethod))
        ways = 2 ** self._units(method)
        exact = is_enumerable(self._units(method), n_resamples)
        rest = (get_args(PermutationMethod).index(method), self._cells, *self._numbers())

        def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
            state = np.zeros(4, dtype=np.uint64) if exact else generator.state(stream)
            differences: Replicates = paired_kernels.permuted(state, exact, 0, size, *rest)
            return differences

        if not exact:
            return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)
        return ResamplingPlan(draw, n_resamples=ways, seed=seed, block=ways)

    def bootstrap_plan(self, method: BootstrapMethod, *, n_resamples: int, seed: Seed = 0) -> ResamplingPlan:
        """Replicates of both correlations (n_resamples, 2)."""
        from metaeval import generator

        from . import paired_kernels

        checked_choice("method", method, get_args(BootstrapMethod))
        rest = (method != "inputs", method != "systems", self._cells, *self._numbers())

        def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
            both: Replicates = paired_kernels.resampled(generator.state(stream), size, *rest)
            return both

        return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)

    def permutation_result(
        self,
        method: PermutationMethod,
        replicates: Replicates,
        alternative: Alternative = "two-sided",
        two_sided: TwoSided = "double",
    ) -> MetricComparison:
        """The test, from all null replicates."""
        exact = len(replicates) == 2 ** self._units(method)
        return self._result(f"perm-{method}", replicates, alternative, two_sided, exact=exact)

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
        return self._result(f"boot-{method}", mirrored, alternative, "double", exact=False, interval=interval)

    def _result(
        self,
        method: str,
        null: Replicates,
        alternative: Alternative,
        two_sided: TwoSided,
        *,
        exact: bool,
        interval: Interval | None = None,
    ) -> MetricComparison:
        p = math.nan if self.reason else tail_p_value(null, self.difference, alternative, two_sided, exact=exact)
        doubled = alternative == "two-sided" and two_sided == "double"
        return MetricComparison(
            method=method,
            correlation_level=self.correlation_level,
            coefficient=self.coefficient,
            first=self.first,
            second=self.second,
            difference=self.difference,
            pvalue=p,
            p_error=error_of_p(p, len(null), doubled=doubled, exact=exact),
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

    def _numbers(self) -> tuple[int, int]:
        """The level and the coefficient as the compiled loops know them."""
        from metaeval.stats.correlating.coefficient_kernels import NUMBER

        return get_args(CorrelationLevel).index(self.correlation_level), NUMBER[self.coefficient]

    def _observed(self) -> tuple[float, float]:
        from .paired_kernels import correlate

        x, y, z, has, has_z = self._cells
        rest = (z, has, has_z, *self._numbers(), np.empty((4, max(x.size, 1))))
        return float(correlate(x, *rest)), float(correlate(y, *rest))

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
    present = values[has]
    if len(present):
        spread = present.std()
        answer[has] = (present - present.mean()) / (spread if spread > 0 else 1.0)
    return answer


@described
def permutation_comparison(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    judgements: npt.ArrayLike,
    *,
    method: PermutationMethod = "systems",
    correlation_level: CorrelationLevel = "system",
    coefficient: Coefficient = "pearson",
    n_resamples: int = 10_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    alternative: Alternative = "two-sided",
    two_sided: TwoSided = "double",
    progress: Steps | None = None,
) -> MetricComparison:
    """Whether `first` correlates with the judgements differently than `second`, by exchanging their values.

    Parameters
    ----------
    first, second : array_like, shape (systems, inputs)
        Values of the two metrics; see `PairedMetrics`.
    judgements : array_like, shape (systems, inputs)
        The judgements.
    method : {'systems', 'inputs', 'both-cells', 'both-crossed'}, default 'systems'
        What is exchanged; see Notes.
    n_resamples : int, default 10,000
        How many exchanges to sample. If there are no more than this, all are enumerated.

    Returns
    -------
    MetricComparison
        The difference and its p-value, or NaN with a reason.

    Raises
    ------
    ValueError
        If the shapes differ, a value is infinite, or an option is not one of those above.

    Notes
    -----
    Under the null the metrics are exchangeable. `systems` (PERM-SYS) exchanges all values of a system at once, `inputs`
    (PERM-INPUT) all of an input. Two different tests are called PERM-BOTH: `both-cells` exchanges every cell
    independently (the original), `both-crossed` exchanges the cells where a drawn row and a drawn column disagree (row
    XOR column, as in the `nlpstats` package). p = (1 + count) / (1 + n_resamples), or count / 2^u when all exchanges of
    the u units are enumerated. See `PairedMetrics` for shapes, levels and missing values. Either PERM-BOTH can
    over-reject when a metric is biased per system: 42% at a nominal 5% in one simulation, where `systems` rejects 7%;
    hence the default. Undefined (NaN with the reason) where a correlation is.

    References
    ----------
    Deutsch et al. 2021, the section on hypothesis tests by permutation.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> judged = rng.normal(size=(8, 5))
    >>> good, bad = judged + rng.normal(size=(8, 5)) / 2, rng.normal(size=(8, 5))
    >>> test = permutation_comparison(good, bad, judged)
    >>> test.exact, test.n_resamples, test.difference > 0
    (True, 256, True)
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    checked_choice("alternative", alternative, tuple(SIDES))
    checked_choice("two_sided", two_sided, get_args(TwoSided))
    metrics = PairedMetrics(first, second, judgements, correlation_level=correlation_level, coefficient=coefficient)
    plan = metrics.permutation_plan(method, n_resamples=n_resamples, seed=seed)
    return metrics.permutation_result(method, plan.run(progress), alternative, two_sided)


@described_as(permutation_comparison)
def bootstrap_comparison(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    judgements: npt.ArrayLike,
    *,
    method: BootstrapMethod = "systems",
    correlation_level: CorrelationLevel = "system",
    coefficient: Coefficient = "pearson",
    n_resamples: int = 10_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    progress: Steps | None = None,
) -> MetricComparison:
    """Whether `first` correlates with the judgements differently than `second`, by resampling, with an interval.

    Parameters
    ----------
    method : {'systems', 'inputs', 'both'}, default 'systems'
        What is resampled: BOOT-SYS, BOOT-INPUT or BOOT-BOTH.
    n_resamples : int, default 10,000
        How many resamples to draw.

    Returns
    -------
    MetricComparison
        The difference, its p-value and its interval, or NaN with a reason.

    Notes
    -----
    p is the share of resamples in which the difference is on the other side of zero, (1 + count) / (1 + n_resamples),
    doubled for two sides; the interval is the percentile interval of the difference, over systems, it is centred and
    expanded for their small number (Hesterberg 2015). `systems` asks about other systems on these inputs, `inputs`
    about these systems on other inputs, `both` about both. Resamples in which a correlation is undefined count against
    the difference. Deutsch et al. find the bootstrap less powerful than the permutation test. In simulations with 25
    systems and 60 inputs, the 95% interval over systems or over inputs contains the average difference of repetitions
    in 92 to 96% of studies; over both, as the authors define it, in 97 to 98%, because the inputs' noise is counted
    twice (not so in `correlation_intervals`): a note says so.

    References
    ----------
    Deutsch et al. 2021, the sections on bootstrapping.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> judged = rng.normal(size=(8, 5))
    >>> good = judged + rng.normal(size=(8, 5)) / 2
    >>> bootstrap_comparison(good, -good, judged, n_resamples=500).pvalue < 0.05
    True
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    checked_level(confidence_level)
    checked_choice("alternative", alternative, tuple(SIDES))
    metrics = PairedMetrics(first, second, judgements, correlation_level=correlation_level, coefficient=coefficient)
    plan = metrics.bootstrap_plan(method, n_resamples=n_resamples, seed=seed)
    return metrics.bootstrap_result(method, plan.run(progress), alternative, confidence_level)


@described
@dataclass(frozen=True)
class LevelCorrelation(Statistic):
    """A metric's correlation with the judgements at a level, and its interval."""

    method: BootstrapMethod
    """What was resampled."""
    correlation_level: CorrelationLevel
    """What the coefficient was computed over."""
    coefficient: Coefficient
    """Which coefficient."""
    value: float
    """In [-1, 1]; NaN where it is undefined."""
    interval: Interval
    """Its bootstrap interval."""
    systems: int
    inputs: int
    """How many there are."""
    left_out: int
    """How many cells of the metric are missing."""
    reason: str = ""
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value


@described_as(bootstrap_comparison)
def bootstrap_correlation(
    metric: npt.ArrayLike,
    judgements: npt.ArrayLike,
    *,
    method: BootstrapMethod = "systems",
    correlation_level: CorrelationLevel = "system",
    coefficient: Coefficient = "pearson",
    n_resamples: int = 10_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    confidence_level: float = 0.95,
    progress: Steps | None = None,
) -> LevelCorrelation:
    """One metric's correlation with the judgements at a level, with the interval of Deutsch et al.

    Parameters
    ----------
    metric, judgements : array_like, shape (systems, inputs)
        Item-level values; NaN where one is missing.
    method : {'systems', 'inputs', 'both'}, default 'systems'
        What is resampled: BOOT-SYSTEMS, BOOT-INPUTS or BOOT-BOTH.

    Returns
    -------
    LevelCorrelation
        The correlation and both limits in [-1, 1], or NaN with a reason.

    Notes
    -----
    At the `system` level, the coefficient is that of the systems' means; at the `input` level, it is computed over the
    systems for each input and averaged over the inputs where it is defined; at the `global` level, it is computed over
    all cells. `method` draws with replacement whole `systems` (BOOT-SYSTEMS: other systems on these inputs), whole
    `inputs` (BOOT-INPUTS: these systems on other inputs), or `both` independently (BOOT-BOTH). The limits are the
    percentiles (1 - confidence_level) / 2 and (1 + confidence_level) / 2 of the resamples' coefficients.

    These are the intervals of the paper, for comparing with published results. For a study's judgements, which have
    comparisons and experts, use `correlation_intervals`, whose limits also allow for few systems and do not count the
    judges' noise twice. Undefined where the correlation is (equal or missing values, fewer than two systems), and the
    interval where the correlation is undefined in more than half of the resamples.

    References
    ----------
    Deutsch, Dror and Roth 2021, A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods,
    TACL 9, the section on confidence intervals by bootstrapping.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> judged = rng.normal(size=(12, 5))
    >>> found = bootstrap_correlation(judged + rng.normal(size=(12, 5)) / 2, judged, method="both", n_resamples=500)
    >>> 0 < found.interval.low < found.value < found.interval.high < 1
    True
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    checked_level(confidence_level)
    pair = PairedMetrics(metric, metric, judgements, correlation_level=correlation_level, coefficient=coefficient)
    replicates = pair.bootstrap_plan(method, n_resamples=n_resamples, seed=seed).run(progress)[:, 0]
    reason = pair.reason.replace("of first", "of the metric").replace("of judgements", "of the judgements")
    reason = reason.replace("in all three", "in both")
    return LevelCorrelation(
        method=method,
        correlation_level=correlation_level,
        coefficient=coefficient,
        value=math.nan if reason else pair.first,
        interval=bootstrap_interval(replicates, confidence_level=confidence_level, undefined_because=reason),
        systems=pair.systems,
        inputs=pair.inputs,
        left_out=pair.left_out,
        reason=reason,
        notes=() if method == "systems" else (_COUNTED_TWICE,),
    )
