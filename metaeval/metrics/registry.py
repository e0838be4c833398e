"""The registry of metrics: one decorator in the file that defines a metric, and no other place to edit.

A new file of this package is found by being there. A package outside the project adds metrics with the same decorator
and names the module that holds them in the entry-point group ``hlvstudy.metrics``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from annotations.arrays import Vector
from annotations.registry import Registry
from metaeval.checking import checked_names, checked_type, shown

from .pair import Pair, Task, checked_input, checked_task
from .sums import Reads
from .value import MetricValue, undefined

MULTICLASS: frozenset[Task] = frozenset({"multiclass", "ordinal"})
"""An ordinal label set is one whose order these metrics do not use: its rows are distributions all the
same."""
ORDINAL: frozenset[Task] = frozenset({"ordinal"})
MULTILABEL: frozenset[Task] = frozenset({"multilabel"})
EVERY_TASK: frozenset[Task] = MULTICLASS | MULTILABEL


class WrongTaskError(ValueError):
    """The metric is not defined for that kind of task."""


class MetricFunction(Protocol):
    """What the decorator leaves in the module: a metric that checks its input and answers with a
    `MetricValue`."""

    __name__: str

    def __call__(
        self, P: npt.ArrayLike, Q: npt.ArrayLike, task: str | None = None, *, zero_division: float = 1.0, **options: Any
    ) -> MetricValue: ...


Items = Callable[[Pair], Vector]
"""Values of the instances of a pair, shape (N,); NaN where an instance has none."""


@dataclass(frozen=True)
class Metric:
    """A registered metric: what it is called, where it applies, and how it is computed from a checked
    pair."""

    name: str
    title: str
    tasks: frozenset[Task]
    default_for: frozenset[Task]
    orientation: Literal["higher", "lower"]
    range: tuple[float, float]
    source: str
    works_per_item: bool
    description: str
    definition: Callable[..., float]
    function: MetricFunction
    """The metric as a notebook calls it: it takes two matrices, and checks them."""
    reads: Reads = ""
    """Which of the shared sums it needs: what tells one pass over P and Q how much to take along."""
    items: Items | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Its own parameters and their defaults."""
        parameters = [*inspect.signature(self.definition).parameters.values()][1:]
        return {parameter.name: parameter.default for parameter in parameters}

    @property
    def is_ours(self) -> bool:
        """Not one that another package on this machine has added."""
        return self.definition.__module__.startswith(f"{__package__}.")

    def of(self, pair: Pair, **options: Any) -> MetricValue:
        """The metric's value for a pair that passed the door."""
        self._check_task(pair)
        value = self.definition(pair, **options)
        if isinstance(value, MetricValue):
            return value
        if value != value:  # noqa: PLR0124 - NaN, which only zero_division=NaN can have brought in
            return undefined("0/0 in a class without any mass in P and Q, and zero_division is NaN")
        return MetricValue(value)

    def per_item(self, pair: Pair) -> Vector:
        """The instances' own values, shape (N,), whose mean the metric is; NaN where an instance has none.

        Raises `WrongTaskError` for a metric that is no such mean.
        """
        self._check_task(pair)
        if not self.works_per_item:
            msg = f"{self.name} is not a mean over instances, so that a single one has no value"
            raise WrongTaskError(msg)
        if self.items is not None:
            return pair.items(self.items)
        rows = (replace(pair, P=pair.P[i : i + 1], Q=pair.Q[i : i + 1]) for i in range(pair.instances))
        return np.array([float(self.definition(row)) for row in rows])

    def _check_task(self, pair: Pair) -> None:
        if pair.task not in self.tasks:
            kinds = ", ".join(sorted(self.tasks))
            msg = f"{self.name} is not defined for a {pair.task} task; it is for: {kinds}"
            raise WrongTaskError(msg)


metrics: Registry[Metric] = Registry("metaeval.metrics.*", kind="metric", group="hlvstudy.metrics", by_name=False)


def metric(
    *,
    title: str,
    tasks: frozenset[Task],
    source: str,
    works_per_item: bool,
    default_for: frozenset[Task] = frozenset(),
    orientation: Literal["higher", "lower"] = "higher",
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 - the word for it
    reads: Reads = "",
    items: Items | None = None,
) -> Callable[[Callable[..., float]], MetricFunction]:
    """Register the decorated definition, a function of a checked `Pair`, under its own name.

    `default_for` names the task kinds for which the metric belongs to the set that analyses use by default;
    `works_per_item` says whether the metric is a mean of values that exist for each instance alone, and `items`
    computes these for a block of instances (without it, each row is put to the definition by itself). `reads` names
    the shared sums that the definition takes from the pair. Keyword-only parameters of the definition become
    options of the metric. What the module gets in place of the definition is a function of two matrices (see
    `MetricFunction`), with its docstring.
    """

    if not isinstance(tasks, (set, frozenset)) or not tasks or not tasks <= EVERY_TASK:
        msg = f"tasks is {shown(tasks)}; expected a set of some of {', '.join(sorted(EVERY_TASK))}, such as MULTICLASS"
        raise ValueError(msg)

    def register(definition: Callable[..., float]) -> MetricFunction:
        @wraps(definition)
        def evaluate(
            P: npt.ArrayLike, Q: npt.ArrayLike, task: str | None = None, *, zero_division: float = 1.0, **options: Any
        ) -> MetricValue:
            kind = _task_of(entry, task)
            return entry.of(checked_input(P, Q, kind, zero_division), **options)

        evaluate.__doc__ = f"{inspect.getdoc(definition) or title}\n\nSource: {source}."
        vars(evaluate)["__signature__"] = _signature(definition)  # so that help() shows P and Q, not the pair
        name = definition.__name__
        entry = Metric(
            name=name,
            title=title,
            tasks=tasks,
            default_for=default_for,
            orientation=orientation,
            range=range,
            source=source,
            works_per_item=works_per_item,
            description=inspect.getdoc(definition) or "",
            definition=definition,
            function=evaluate,
            reads=reads,
            items=items,
        )
        metrics.register(name)(entry)
        return evaluate

    return register


def _signature(definition: Callable[..., float]) -> inspect.Signature:
    common = inspect.signature(MetricFunction.__call__)
    shown = [parameter for parameter in common.parameters.values() if parameter.name not in {"self", "options"}]
    return common.replace(parameters=[*shown, *[*inspect.signature(definition).parameters.values()][1:]])


def get(name: str) -> Metric:
    """The metric registered as `name`; `UnknownName` lists what there is."""
    checked_type("name", name, str, "the name of a metric")
    return metrics.get(name)


def available(task: str | None = None) -> tuple[Metric, ...]:
    """Every metric, or every metric of one kind of task, in the order of registration."""
    kind = None if task is None else checked_task(task)
    return tuple(entry for entry in metrics if kind is None or kind in entry.tasks)


def defaults(task: str) -> tuple[Metric, ...]:
    """The metrics that analyses use unless told otherwise: the six of Kurniawan et al. (2026)."""
    return tuple(entry for entry in available(task) if task in entry.default_for)


def select(task: Task, names: Collection[str] | None) -> tuple[Metric, ...]:
    """The metrics called `names`, or the task's defaults; refuses unknown and unfitting ones."""
    task = checked_task(task)
    if names is None:
        return defaults(task)
    if isinstance(names, str):
        msg = f"metrics is {names!r}; expected a sequence of names, such as [{names!r}]"
        raise TypeError(msg)
    names = checked_names("metrics", names)
    chosen = tuple(get(name) for name in names)
    for entry in chosen:
        if task not in entry.tasks:
            possible = ", ".join(other.name for other in available(task))
            msg = f"{entry.name} is not defined for a {task} task; these are: {possible}"
            raise WrongTaskError(msg)
    return chosen


def _task_of(entry: Metric, task: str | None) -> Task:
    """A metric of one kind of task needs none named; one that means two things has to be told which."""
    if task is not None:
        return checked_task(task)
    if entry.tasks == ORDINAL:
        return "ordinal"
    if entry.tasks <= MULTICLASS:
        return "multiclass"
    if entry.tasks <= MULTILABEL:
        return "multilabel"
    msg = f'{entry.name} is defined for several kinds of task: pass task="multiclass" or task="multilabel"'
    raise TypeError(msg)
