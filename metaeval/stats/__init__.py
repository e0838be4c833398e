"""Statistics of meta-evaluation, a room for each question:

- `correlating`: does a metric agree with the judgements, and how sure is that?
- `comparing`: does one metric agree with them better than another?
- `power`: how likely is a study to find what is there?
- `ranking`: which systems are best?
- `responses`: what did experts answer, and how?
- `agreement`: how far do people agree?
- `uncertainty`: what does their disagreement mean for machines?

Beside them is what they share: intervals, p-values, corrections for several tests, results.

Pure NumPy and SciPy, with compiled loops where they pay; no Django, no pandas, no I/O. Every random
function takes a seed, and every result is a small frozen dataclass whose `to_dict()` is plain JSON.
"""

from metaeval.sampling import ResamplingPlan, Seed

from .comparing import (
    BootstrapMethod,
    Level,
    MetricComparison,
    PairedMetrics,
    PairwisePValues,
    PermutationMethod,
    SoftPairwiseAccuracy,
    TieCalibration,
    WilliamsTest,
    bootstrap_comparison,
    calibrate_ties,
    pairwise_accuracy,
    pairwise_p_values,
    permutation_comparison,
    soft_pairwise_accuracy,
    williams,
    williams_test,
)
from .correlating import (
    COEFFICIENTS,
    Alternative,
    Coefficient,
    Correlation,
    CorrelationBootstrap,
    CorrelationInterval,
    CorrelationTest,
    PermutationPlan,
    RegressionLine,
    TwoSided,
    Unit,
    correlation,
    correlation_intervals,
    correlation_tests,
    regression_line,
)
from .intervals import Interval, IntervalMethod, bootstrap_interval, wilson_interval
from .multiplicity import benjamini_hochberg, holm
from .power import JudgedDesign, Power, PowerCurve, PowerPoint, StudyDesign, power, power_curve
from .ranking import (
    STRENGTH_METHODS,
    OverallStandings,
    PairwiseOutcomes,
    RankedSystem,
    Ranking,
    Standing,
    Strengths,
    WilcoxonTest,
    leaderboard,
    rank_by_fraction,
    rank_by_outcomes,
    strengths,
    unrankable_because,
    wilcoxon,
    wilcoxon_clusters,
)
from .responses import (
    BlindingIndex,
    GuessedBlinding,
    Judgements,
    PositionBias,
    PreferenceVariance,
    SelfConsistency,
    Share,
    blinding_index,
    guessed_blinding,
    position_bias,
    preference_variance,
    self_consistency,
)
from .results import Statistic, plain

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
