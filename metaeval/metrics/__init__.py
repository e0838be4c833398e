"""Metrics of human label variation: how well does a predicted distribution match the human one?

    from metaeval.metrics import soft_micro_f1
    soft_micro_f1(P, Q, task="multilabel")

P (human) and Q (predicted) are matrices of N instances x K labels with values in [0, 1]; rows sum to 1
unless the task is multilabel. Every metric is oriented so that more is better. Nothing here depends on Django, files or
tables.

The names below are listed for editors and type checkers. A metric needs no line here: any metric defined in this folder
or by a plug-in can be imported from here by name.
"""

from annotations.ground.registry import UnknownName

from . import hard, information, soft  # isort: skip  # noqa: F401 - the order of published tables
from .calibration import (
    ReliabilityBin,
    classwise_ece,
    classwise_errors,
    distribution_calibration_error,
    distribution_calibration_errors,
    entropy_calibration_error,
    entropy_calibration_errors,
    expected_calibration_error,
    guess_calibration_errors,
    label_calibration_errors,
    ranking_calibration_score,
    reliability,
)
from .classes import ClassRow, ClassTable, Scores, class_table
from .computing import MetricTable, compute, per_item
from .hard import accuracy, macro_f1, micro_f1
from .information import cross_entropy, entropy_correlation, entropy_similarity, js_distance, kl_divergence, po_jsd, tvd
from .pair import DistributionError, Pair, Task, checked_task
from .perspectivist import (
    AnnotationError,
    AnnotationMetric,
    AnnotationScore,
    annotation_metrics,
    error_rate,
    most_frequent_labels,
    multilabel_error_rate,
    normalised_absolute_distance,
    predict_most_frequent,
    predict_random,
)
from .registry import (
    EVERY_TASK,
    MULTICLASS,
    MULTILABEL,
    ORDINAL,
    Metric,
    MetricFunction,
    MetricValue,
    WrongTaskError,
    available,
    defaults,
    get,
    metric,
    select,
    undefined,
)
from .relationship import Relation, Relationship, metric_relationship
from .resampling import (
    ErrorHistogram,
    HistogramComparison,
    Resample,
    compare_errors,
    error_histogram,
    resampled_humans,
)
from .soft import soft_accuracy, soft_macro_f1, soft_micro_f1
from .soft_labels import manhattan_distance, mean_soft_label, random_soft_labels, wasserstein_distance
from .temperature import Temperature, best_temperature, temperature_scaled

__all__ = [
    "EVERY_TASK",
    "MULTICLASS",
    "MULTILABEL",
    "ORDINAL",
    "AnnotationError",
    "AnnotationMetric",
    "AnnotationScore",
    "ClassRow",
    "ClassTable",
    "DistributionError",
    "ErrorHistogram",
    "HistogramComparison",
    "Metric",
    "MetricFunction",
    "MetricTable",
    "MetricValue",
    "Pair",
    "Relation",
    "Relationship",
    "ReliabilityBin",
    "Resample",
    "Scores",
    "Task",
    "Temperature",
    "UnknownName",
    "WrongTaskError",
    "accuracy",
    "annotation_metrics",
    "available",
    "best_temperature",
    "checked_task",
    "class_table",
    "classwise_ece",
    "classwise_errors",
    "compare_errors",
    "compute",
    "cross_entropy",
    "defaults",
    "distribution_calibration_error",
    "distribution_calibration_errors",
    "entropy_calibration_error",
    "entropy_calibration_errors",
    "entropy_correlation",
    "entropy_similarity",
    "error_histogram",
    "error_rate",
    "expected_calibration_error",
    "get",
    "guess_calibration_errors",
    "js_distance",
    "kl_divergence",
    "label_calibration_errors",
    "macro_f1",
    "manhattan_distance",
    "mean_soft_label",
    "metric",
    "metric_relationship",
    "micro_f1",
    "most_frequent_labels",
    "multilabel_error_rate",
    "normalised_absolute_distance",
    "per_item",
    "po_jsd",
    "predict_most_frequent",
    "predict_random",
    "random_soft_labels",
    "ranking_calibration_score",
    "reliability",
    "resampled_humans",
    "select",
    "soft_accuracy",
    "soft_macro_f1",
    "soft_micro_f1",
    "temperature_scaled",
    "tvd",
    "undefined",
    "wasserstein_distance",
]


def __getattr__(name: str) -> MetricFunction:
    if not name.startswith("_"):
        try:
            return get(name).function
        except UnknownName:
            pass
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}, and no metric is called that", name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *(entry.name for entry in available())})
