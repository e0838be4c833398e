"""Two metrics and the same judgements: which agrees with them better?"""

from .paired import bootstrap_comparison, permutation_comparison
from .paired_metrics import BootstrapMethod, Level, MetricComparison, PairedMetrics, PermutationMethod
from .pairwise import (
    PairwisePValues,
    SoftPairwiseAccuracy,
    TieCalibration,
    calibrate_ties,
    pairwise_accuracy,
    pairwise_p_values,
    soft_pairwise_accuracy,
)
from .williams import WilliamsTest, williams, williams_test

__all__ = [
    "BootstrapMethod",
    "Level",
    "MetricComparison",
    "PairedMetrics",
    "PairwisePValues",
    "PermutationMethod",
    "SoftPairwiseAccuracy",
    "TieCalibration",
    "WilliamsTest",
    "bootstrap_comparison",
    "calibrate_ties",
    "pairwise_accuracy",
    "pairwise_p_values",
    "permutation_comparison",
    "soft_pairwise_accuracy",
    "williams",
    "williams_test",
]
