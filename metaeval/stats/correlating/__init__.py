"""Correlation of scores with judgements: coefficients, permutation tests, bootstrap intervals, the fitted line."""

from .bootstrap import CorrelationBootstrap, CorrelationInterval, Unit, correlation_intervals
from .coefficients import COEFFICIENTS, Coefficient, Correlation, correlation
from .exchanging import StatisticName
from .jackknife import JackknifeInterval, jackknife_intervals
from .permutation import PermutationPlan
from .regression import RegressionLine, regression_line
from .tails import Alternative, CorrelationTest, TwoSided
from .tested import correlation_tests
from .within import within_correlation

__all__ = [
    "COEFFICIENTS",
    "Alternative",
    "Coefficient",
    "Correlation",
    "CorrelationBootstrap",
    "CorrelationInterval",
    "CorrelationTest",
    "JackknifeInterval",
    "PermutationPlan",
    "RegressionLine",
    "StatisticName",
    "TwoSided",
    "Unit",
    "correlation",
    "correlation_intervals",
    "correlation_tests",
    "jackknife_intervals",
    "regression_line",
    "within_correlation",
]
