"""Metrics of human label variation: how well does a predicted distribution match the human one?

    from metaeval.metrics import soft_micro_f1
    soft_micro_f1(P, Q, task="multilabel")

P (human) and Q (predicted) are matrices of N instances x K labels with values in [0, 1]; rows sum to 1
unless the task is multilabel. Every metric is oriented so that more is better. Nothing here knows of
Django, files or tables.
"""

from . import hard, entropy, divergence, soft  # isort: skip  # noqa: F401 - the order of published tables
from .computing import MetricTable, compute
from .divergence import po_jsd
from .entropy import entropy_correlation
from .hard import accuracy, macro_f1, micro_f1
from .pair import DistributionError, Pair, Task, checked_task
from .registry import (
    EVERY_TASK,
    MULTICLASS,
    MULTILABEL,
    Metric,
    UnknownMetricError,
    WrongTaskError,
    available,
    defaults,
    get,
    metric,
    select,
)
from .soft import soft_accuracy, soft_macro_f1, soft_micro_f1
from .value import MetricValue, undefined

__all__ = [
    "EVERY_TASK",
    "MULTICLASS",
    "MULTILABEL",
    "DistributionError",
    "Metric",
    "MetricTable",
    "MetricValue",
    "Pair",
    "Task",
    "UnknownMetricError",
    "WrongTaskError",
    "accuracy",
    "available",
    "checked_task",
    "compute",
    "defaults",
    "entropy_correlation",
    "get",
    "macro_f1",
    "metric",
    "micro_f1",
    "po_jsd",
    "select",
    "soft_accuracy",
    "soft_macro_f1",
    "soft_micro_f1",
    "undefined",
]
