"""Statistics of meta-evaluation: correlation, its tests and intervals, comparisons of metrics, rankings, people; and,
in `agreement`, how far people agree, and in `uncertainty`, what their disagreement means for machines.

Pure NumPy and SciPy, with compiled loops where they pay; no Django, no pandas, no I/O. Every random
function takes a seed, and every result is a small frozen dataclass whose `to_dict()` is plain JSON.
"""

from .bootstrap import CorrelationBootstrap, CorrelationInterval, Unit, correlation_intervals
from .coefficients import COEFFICIENTS, Coefficient, Correlation, correlation
from .correlating import correlation_tests
from .intervals import Interval, IntervalMethod, bootstrap_interval, wilson_interval
from .judgements import Judgements
from .multiplicity import benjamini_hochberg, holm
from .permutation import Alternative, CorrelationTest, PermutationPlan, TwoSided
from .regression import RegressionLine, regression_line
from .resampling import ResamplingPlan
from .results import Result, plain
from .seeds import Seed

__all__ = [
    "COEFFICIENTS",
    "Alternative",
    "Coefficient",
    "Correlation",
    "CorrelationBootstrap",
    "CorrelationInterval",
    "CorrelationTest",
    "Interval",
    "IntervalMethod",
    "Judgements",
    "PermutationPlan",
    "RegressionLine",
    "ResamplingPlan",
    "Result",
    "Seed",
    "TwoSided",
    "Unit",
    "benjamini_hochberg",
    "bootstrap_interval",
    "correlation",
    "correlation_intervals",
    "correlation_tests",
    "holm",
    "plain",
    "regression_line",
    "wilson_interval",
]
