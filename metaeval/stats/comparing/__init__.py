"""Two metrics and the same judgements: which agrees with them better, and how sure is each one's correlation?"""

from .paired import (
    BootstrapMethod,
    CorrelationLevel,
    LevelCorrelation,
    MetricComparison,
    PairedMetrics,
    PermutationMethod,
    bootstrap_comparison,
    bootstrap_correlation,
    permutation_comparison,
)
from .paired_units import PairedCorrelations, PairedUnits, paired_correlation_test
from .pairwise import (
    PairwisePValues,
    SoftPairwiseAccuracy,
    pairwise_p_values,
    soft_pairwise_accuracy,
)
from .tie_calibration import (
    TieCalibratedComparison,
    TieCalibration,
    calibrate_ties,
    pairwise_accuracy,
    tie_calibrated_comparison,
)
from .williams import WilliamsTest, williams, williams_test

__all__ = [
    "BootstrapMethod",
    "CorrelationLevel",
    "LevelCorrelation",
    "MetricComparison",
    "PairedCorrelations",
    "PairedMetrics",
    "PairedUnits",
    "PairwisePValues",
    "PermutationMethod",
    "SoftPairwiseAccuracy",
    "TieCalibratedComparison",
    "TieCalibration",
    "WilliamsTest",
    "bootstrap_comparison",
    "bootstrap_correlation",
    "calibrate_ties",
    "paired_correlation_test",
    "pairwise_accuracy",
    "pairwise_p_values",
    "permutation_comparison",
    "soft_pairwise_accuracy",
    "tie_calibrated_comparison",
    "williams",
    "williams_test",
]
