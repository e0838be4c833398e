"""Correlation of scores with judgements: coefficients, permutation tests, bootstrap intervals, the fitted line."""

from .bootstrap import CorrelationBootstrap, CorrelationInterval, Unit, correlation_intervals
from .coefficients import COEFFICIENTS, Coefficient, Correlation, correlation
from .permutation import Alternative, CorrelationTest, PermutationPlan, TwoSided
from .regression import RegressionLine, regression_line
from .tested import correlation_tests

__all__ = [
    "COEFFICIENTS",
    "Alternative",
    "Coefficient",
    "Correlation",
    "CorrelationBootstrap",
    "CorrelationInterval",
    "CorrelationTest",
    "PermutationPlan",
    "RegressionLine",
    "TwoSided",
    "Unit",
    "correlation",
    "correlation_intervals",
    "correlation_tests",
    "regression_line",
]
