"""Statistics of meta-evaluation: correlation with permutation tests, corrections, regression lines; and,
in `agreement`, how far people agree, and in `uncertainty`, what their disagreement means for machines.

Pure NumPy and SciPy, with compiled loops where they pay; no Django, no pandas, no I/O. Every random
function takes a seed, and every result is a small frozen dataclass whose `to_dict()` is plain JSON.
"""

from .coefficients import COEFFICIENTS, Coefficient, Correlation, correlation
from .correlating import correlation_tests
from .multiplicity import benjamini_hochberg, holm
from .permutation import Alternative, CorrelationTest, PermutationPlan, TwoSided
from .regression import RegressionLine, regression_line
from .results import Result, plain

__all__ = [
    "COEFFICIENTS",
    "Alternative",
    "Coefficient",
    "Correlation",
    "CorrelationTest",
    "PermutationPlan",
    "RegressionLine",
    "Result",
    "TwoSided",
    "benjamini_hochberg",
    "correlation",
    "correlation_tests",
    "holm",
    "plain",
    "regression_line",
]
