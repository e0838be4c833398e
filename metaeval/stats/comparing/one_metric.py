"""How certain one metric's correlation with the judgements is at each level: bootstrap intervals over systems, inputs
or both."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy.typing as npt

from metaeval.checking import checked_count, checked_level
from metaeval.sampling import Seed, Steps, chosen_seed
from metaeval.stats.correlating.coefficients import Coefficient
from metaeval.stats.intervals import Interval, bootstrap_interval
from metaeval.stats.results import Statistic

from .paired_metrics import BootstrapMethod, CorrelationLevel, PairedMetrics

_COUNTED_TWICE = (
    "over inputs, the noise of inputs that the observed values hold is added once more, as the authors define it"
)


@dataclass(frozen=True)
class LevelCorrelation(Statistic):
    """A metric's correlation with the judgements at a level, and its interval.

    Attributes
    ----------
    method : {'systems', 'inputs', 'both'}
        What was resampled.
    correlation_level : {'system', 'input', 'global'}
        What the coefficient was computed over.
    coefficient : {'pearson', 'spearman', 'kendall'}
        Which coefficient.
    value : float
        In [-1, 1]; NaN where it is undefined.
    interval : Interval
        Its bootstrap interval.
    systems, inputs : int
        How many there are.
    left_out : int
        How many cells of the metric are missing.
    reason : str
        Why the value is undefined; empty if it is defined.
    notes : tuple of str
        What a reader should know.
    """

    method: BootstrapMethod
    correlation_level: CorrelationLevel
    coefficient: Coefficient
    value: float
    interval: Interval
    systems: int
    inputs: int
    left_out: int
    reason: str = ""
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value


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
    correlation_level : {'system', 'input', 'global'}, default 'system'
        Whether the coefficient is of the systems' means, averaged over inputs, or of all cells.
    coefficient : {'pearson', 'spearman', 'kendall'}, default 'pearson'
        Which correlation coefficient.
    n_resamples : int, default 10,000
        How many resamples to draw.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    progress : callable, optional
        Called with the numbers of steps done and of all steps.

    Returns
    -------
    LevelCorrelation
        The correlation and both limits in [-1, 1], or NaN with a reason.

    Raises
    ------
    ValueError
        If the shapes differ, a value is infinite, or an option is not one of those above.

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
