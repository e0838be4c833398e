"""The registry of metrics: one decorator in the file that defines a metric, and no other place to edit.

Every module of this package is imported the first time somebody asks, so that a new file is found by being there.
A package outside the project adds metrics with the same decorator and names the module that holds them in the
entry-point group ``hlvstudy.metrics``; it is imported the first time somebody asks for the registry.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import wraps
from importlib.metadata import entry_points
from typing import Literal, Protocol

import numpy.typing as npt

from .pair import Pair, Task, checked_matrix, checked_pair, checked_task
from .value import MetricValue, undefined

MULTICLASS: frozenset[Task] = frozenset({"multiclass", "ordinal"})
"""An ordinal label set is one whose order these metrics do not use: its rows are distributions all the
same."""
MULTILABEL: frozenset[Task] = frozenset({"multilabel"})
EVERY_TASK: frozenset[Task] = MULTICLASS | MULTILABEL

ENTRY_POINTS = "hlvstudy.metrics"


class UnknownMetricError(LookupError):
    """No metric of that name is registered."""


class WrongTaskError(ValueError):
    """The metric is not defined for that kind of task."""


class MetricFunction(Protocol):
    """What the decorator leaves in the module: a metric that checks its input and answers with a
    `MetricValue`."""

    __name__: str

    def __call__(
        self, P: npt.ArrayLike, Q: npt.ArrayLike, task: str | None = None, *, zero_division: float = 1.0
    ) -> MetricValue: ...


_SIGNATURE = inspect.signature(MetricFunction.__call__)
_SIGNATURE = _SIGNATURE.replace(parameters=[*_SIGNATURE.parameters.values()][1:])


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
    definition: Callable[[Pair], float]

    def of(self, pair: Pair) -> MetricValue:
        """The metric's value for a pair that passed the door."""
        if pair.task not in self.tasks:
            kinds = ", ".join(sorted(self.tasks))
            msg = f"{self.name} is not defined for a {pair.task} task; it is for: {kinds}"
            raise WrongTaskError(msg)
        value = self.definition(pair)
        if isinstance(value, MetricValue):
            return value
        if value != value:  # noqa: PLR0124 - NaN, which only zero_division=NaN can have brought in
            return undefined("0/0 in a class without any mass in P and Q, and zero_division is NaN")
        return MetricValue(value)


_metrics: dict[str, Metric] = {}
_loading = threading.Lock()
_loaded = False


def metric(
    *,
    title: str,
    tasks: frozenset[Task],
    source: str,
    works_per_item: bool,
    default_for: frozenset[Task] = frozenset(),
    orientation: Literal["higher", "lower"] = "higher",
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 - the word for it
) -> Callable[[Callable[[Pair], float]], MetricFunction]:
    """Register the decorated definition, a function of a checked `Pair`, under its own name.

    `default_for` names the task kinds for which the metric belongs to the set that analyses use by default;
    `works_per_item` says whether the metric is a mean of values that exist for each instance alone. What
    the module gets in place of the definition is a function of two matrices (see `MetricFunction`), with
    its docstring.
    """

    def register(definition: Callable[[Pair], float]) -> MetricFunction:
        name = definition.__name__
        if name in _metrics:
            msg = f"a metric named {name!r} is registered already, by {_metrics[name].definition.__module__}"
            raise ValueError(msg)
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
        )
        _metrics[name] = entry

        @wraps(definition)
        def evaluate(
            P: npt.ArrayLike, Q: npt.ArrayLike, task: str | None = None, *, zero_division: float = 1.0
        ) -> MetricValue:
            kind = _task_of(entry, task)
            pair = checked_pair(checked_matrix("P", P, kind), checked_matrix("Q", Q, kind), kind, zero_division)
            return entry.of(pair)

        vars(evaluate)["__signature__"] = _SIGNATURE  # so that help() shows P and Q, not the definition's pair
        return evaluate

    return register


def get(name: str) -> Metric:
    """The metric registered as `name`; `UnknownMetricError` lists what there is."""
    _load_plugins()
    try:
        return _metrics[name]
    except KeyError:
        msg = f"no metric is called {name!r}; there are: {', '.join(sorted(_metrics))}"
        raise UnknownMetricError(msg) from None


def available(task: str | None = None) -> tuple[Metric, ...]:
    """Every metric, or every metric of one kind of task, in the order of registration."""
    _load_plugins()
    return tuple(entry for entry in _metrics.values() if task is None or task in entry.tasks)


def defaults(task: str) -> tuple[Metric, ...]:
    """The metrics that analyses use unless told otherwise: the six of Kurniawan et al. (2025)."""
    return tuple(entry for entry in available(task) if task in entry.default_for)


def select(task: Task, names: Collection[str] | None) -> tuple[Metric, ...]:
    """The metrics called `names`, or the task's defaults; refuses unknown and unfitting ones."""
    if names is None:
        return defaults(task)
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
    if entry.tasks <= MULTICLASS:
        return "multiclass"
    if entry.tasks <= MULTILABEL:
        return "multilabel"
    msg = f'{entry.name} is defined for several kinds of task: pass task="multiclass" or task="multilabel"'
    raise TypeError(msg)


def _load_plugins() -> None:
    global _loaded  # noqa: PLW0603 - once a process
    with _loading:
        if not _loaded:
            _loaded = True
            package = importlib.import_module(__package__)
            for module in pkgutil.iter_modules(package.__path__, f"{__package__}."):
                importlib.import_module(module.name)
            for plugin in entry_points(group=ENTRY_POINTS):
                plugin.load()
