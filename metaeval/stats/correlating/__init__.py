"""Correlation of scores with judgements: coefficients, permutation tests, bootstrap intervals, the fitted line."""

from metaeval.stats.resampling import Alternative, TwoSided

from .bootstrap import CorrelationBootstrap, CorrelationInterval, Unit, correlation_intervals
from .coefficients import COEFFICIENTS, Coefficient, Correlation, correlation, within_correlation
from .exchanging import StatisticName
from .jackknife import JackknifeInterval, jackknife_intervals
from .permutation import CorrelationTest, PermutationPlan, correlation_tests
from .regression import RegressionLine, regression_line

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
