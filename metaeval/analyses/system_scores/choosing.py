"""Which metrics a result has, where datasets differ in their kind of task: accuracy stands beside micro F1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.system_scores.result import ComparedMetric
from metaeval.metrics import WrongTaskError
from metaeval.metrics.pair import Task

PAIRS = (("accuracy", "micro_f1"), ("soft_accuracy", "soft_micro_f1"))
"""The metrics that Kurniawan et al. (2026) put into one column: for one label per text, and for several labels."""
MULTILABEL: Task = "multilabel"


def chosen_metrics(tasks: Iterable[str], names: Sequence[str]) -> list[ComparedMetric]:
    """The named metrics, or all that the tasks of all datasets have; the six of the tasks come first.

    If some texts have one label and others several, each of the `PAIRS` is one column.
    """
    kinds = list(dict.fromkeys(metrics.checked_task(task) for task in tasks))
    if MULTILABEL not in kinds or len(kinds) == 1:
        return [ComparedMetric.named(name) for name in _shared(kinds, names)]
    if names:
        return _unique([_paired(name, kinds) for name in names])
    one_label = next(kind for kind in kinds if kind != MULTILABEL)
    six = [_paired(entry.name, kinds) for entry in metrics.defaults(one_label)]
    return _unique([*six, *(ComparedMetric.named(name) for name in _shared(kinds, names))])


def name_for(metric: ComparedMetric, task: str) -> str:
    """The metric of a column for a dataset with this kind of task.

    >>> name_for(chosen_metrics(["multiclass", "multilabel"], ["accuracy"])[0], "multilabel")
    'micro_f1'
    """
    return metric.multilabel if metric.multilabel and task == MULTILABEL else metric.name


def _shared(kinds: Sequence[Task], names: Sequence[str]) -> list[str]:
    """The named metrics, or all that are defined for all these tasks."""
    of_tasks = []
    for kind in kinds:
        try:
            found = metrics.select(kind, names) if names else (*metrics.defaults(kind), *metrics.available(kind))
        except WrongTaskError as error:
            raise AnalysisError(f"{error}.") from error
        of_tasks.append(dict.fromkeys(entry.name for entry in found))  # the six of the task come first
    return [name for name in of_tasks[0] if all(name in others for others in of_tasks)]


def _paired(name: str, kinds: Sequence[Task]) -> ComparedMetric:
    """The metric, with its counterpart where it is not defined for all tasks itself."""
    if all(kind in metrics.get(name).tasks for kind in kinds):
        return ComparedMetric.named(name)
    pair = next((pair for pair in PAIRS if name in pair), None)
    if pair is None:
        return ComparedMetric.named(*_shared(kinds, [name]))  # says for which task it is not defined
    first, second = map(metrics.get, pair)
    title = f"{first.title} or {second.title[:1].lower()}{second.title[1:]}"
    return ComparedMetric.named(first.name).model_copy(update={"title": title, "multilabel": second.name})


def _unique(found: Iterable[ComparedMetric]) -> list[ComparedMetric]:
    """Each once, and none that a pair has: soft micro F1 of one label per text is soft accuracy."""
    kept: dict[str, ComparedMetric] = {}
    for metric in found:
        kept.setdefault(metric.name, metric)
    in_pairs = {metric.multilabel for metric in kept.values()}
    return [metric for metric in kept.values() if metric.name not in in_pairs]
