"""Statistics of meta-evaluation: correlation, its tests and intervals, comparisons of metrics, rankings, people; and,
in `agreement`, how far people agree, and in `uncertainty`, what their disagreement means for machines.

Pure NumPy and SciPy, with compiled loops where they pay; no Django, no pandas, no I/O. Every random
function takes a seed, and every result is a small frozen dataclass whose `to_dict()` is plain JSON.
"""

from metaeval.sampling import ResamplingPlan, Seed

from .bootstrap import CorrelationBootstrap, CorrelationInterval, Unit, correlation_intervals
from .coefficients import COEFFICIENTS, Coefficient, Correlation, correlation
from .correlating import correlation_tests
from .intervals import Interval, IntervalMethod, bootstrap_interval, wilson_interval
from .judgements import Judgements
from .multiplicity import benjamini_hochberg, holm
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
from .people import (
    BlindingIndex,
    GuessedBlinding,
    PositionBias,
    SelfConsistency,
    Share,
    blinding_index,
    guessed_blinding,
    position_bias,
    self_consistency,
)
from .permutation import Alternative, CorrelationTest, PermutationPlan, TwoSided
from .power import Power, StudyDesign, power
from .power_curve import JudgedDesign, PowerCurve, PowerPoint, power_curve
from .preference_variance import PreferenceVariance, preference_variance
from .ranking import (
    STRENGTH_METHODS,
    PairwiseOutcomes,
    RankedSystem,
    Ranking,
    Strengths,
    rank_by_fraction,
    rank_by_outcomes,
    strengths,
    unrankable_because,
)
from .regression import RegressionLine, regression_line
from .results import Statistic, plain
from .wilcoxon import OverallStandings, Standing, WilcoxonTest, leaderboard, wilcoxon, wilcoxon_clusters
from .williams import WilliamsTest, williams, williams_test

__all__ = [
    "COEFFICIENTS",
    "STRENGTH_METHODS",
    "Alternative",
    "BlindingIndex",
    "BootstrapMethod",
    "Coefficient",
    "Correlation",
    "CorrelationBootstrap",
    "CorrelationInterval",
    "CorrelationTest",
    "GuessedBlinding",
    "Interval",
    "IntervalMethod",
    "JudgedDesign",
    "Judgements",
    "Level",
    "MetricComparison",
    "OverallStandings",
    "PairedMetrics",
    "PairwiseOutcomes",
    "PairwisePValues",
    "PermutationMethod",
    "PermutationPlan",
    "PositionBias",
    "Power",
    "PowerCurve",
    "PowerPoint",
    "PreferenceVariance",
    "RankedSystem",
    "Ranking",
    "RegressionLine",
    "ResamplingPlan",
    "Seed",
    "SelfConsistency",
    "Share",
    "SoftPairwiseAccuracy",
    "Standing",
    "Statistic",
    "Strengths",
    "StudyDesign",
    "TieCalibration",
    "TwoSided",
    "Unit",
    "WilcoxonTest",
    "WilliamsTest",
    "benjamini_hochberg",
    "blinding_index",
    "bootstrap_comparison",
    "bootstrap_interval",
    "calibrate_ties",
    "correlation",
    "correlation_intervals",
    "correlation_tests",
    "guessed_blinding",
    "holm",
    "leaderboard",
    "pairwise_accuracy",
    "pairwise_p_values",
    "permutation_comparison",
    "plain",
    "position_bias",
    "power",
    "power_curve",
    "preference_variance",
    "rank_by_fraction",
    "rank_by_outcomes",
    "regression_line",
    "self_consistency",
    "soft_pairwise_accuracy",
    "strengths",
    "unrankable_because",
    "wilcoxon",
    "wilcoxon_clusters",
    "williams",
    "williams_test",
    "wilson_interval",
]
