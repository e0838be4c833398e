"""The registry of metrics: one decorator in the file that defines a metric, and nowhere else to edit.

A new file in this package is found automatically. An external package adds metrics with the same decorator and names
the module that holds them in the entry-point group ``hlvstudy.metrics``. A metric returns a `MetricValue`, and `help()`
shows its author's text in numpydoc sections, with what the registry knows.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector
from annotations.ground.registry import Registry
from metaeval.checking import checked_names, checked_type, shown
from metaeval.describing import described, sections_of

from .pair import Pair, Reads, Task, checked_input, checked_task

ORDER = ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")
PAIR = """\
P, Q : array_like, shape (N, K)
    Human and predicted distributions of N instances over K labels, with values in [0, 1]. Rows sum to 1 unless the
    task is multilabel. DataFrames are matched by the names of their rows and columns."""
ZERO_DIVISION = """\
zero_division : float, default 1.0
    The value of 0/0 in an F1 score, in [0, 1], or NaN for undefined. Metrics without such a fraction ignore it."""
MULTICLASS: frozenset[Task] = frozenset({"multiclass", "ordinal"})
"""Including ordinal label sets, whose order these metrics do not use: their rows are distributions, too."""
ORDINAL: frozenset[Task] = frozenset({"ordinal"})
MULTILABEL: frozenset[Task] = frozenset({"multilabel"})
EVERY_TASK: frozenset[Task] = MULTICLASS | MULTILABEL
KINDS: tuple[Task, ...] = ("multiclass", "ordinal", "multilabel")
"""Every kind of task, in the order in which they are listed."""
Items = Callable[[Pair], Vector]
"""Values of the instances of a pair, shape (N,); NaN where an instance has none."""
metrics: Registry[Metric] = Registry("metaeval.metrics.*", kind="metric", group="hlvstudy.metrics", by_name=False)


class MetricValue(float):
    """A metric's value: a float that can say why it is NaN.

    It can be used wherever a float can (arithmetic, NumPy, formatting).

    Parameters
    ----------
    value : float
        The value.
    reason : str, optional
        Why the value is undefined; required if it is NaN, and only then.

    Attributes
    ----------
    reason : str
        Why the value is undefined; empty if it is defined.
    is_defined : bool
        Whether there is a value.

    Raises
    ------
    ValueError
        If a NaN has no reason, or another value has one.

    Examples
    --------
    >>> MetricValue(0.5) + 1
    1.5
    >>> undefined("every entropy of Q is the same")
    MetricValue(nan, 'every entropy of Q is the same')
    """

    __slots__ = ("_reason",)
    _reason: str

    def __new__(cls, value: float, reason: str = "") -> Self:
        self = super().__new__(cls, value)
        if math.isnan(self) != bool(reason):
            msg = f"a value is NaN if and only if it has a reason, got value={value!r}, reason={reason!r}"
            raise ValueError(msg)
        self._reason = reason
        return self

    @property
    def reason(self) -> str:
        """Why the value is undefined; empty where it is defined."""
        return self._reason

    @property
    def is_defined(self) -> bool:
        return not self._reason

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: ``{"value": float | None, "reason": str}``."""
        return {"value": None if self._reason else float(self), "reason": self._reason}

    def __repr__(self) -> str:
        return f"MetricValue(nan, {self._reason!r})" if self._reason else float.__repr__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (float(self), self._reason))


def undefined(reason: str) -> MetricValue:
    """The NaN of an undefined metric, with its reason.

    Parameters
    ----------
    reason : str
        Why there is no value, for people to read.

    Returns
    -------
    MetricValue
        NaN with this reason.
    """
    return MetricValue(math.nan, reason)


def with_sections(text: str, known: Mapping[str, str]) -> str:
    """`text` in numpydoc sections: `known` comes first in each of them.

    An author may write the sections, or only paragraphs. The first paragraph is then the summary, examples go to
    Examples, and the rest goes to Notes.

    >>> print(with_sections("Mean of Q.\\n\\nFormula: the mean.", {"References": "This example."}))
    Mean of Q.
    <BLANKLINE>
    Notes
    -----
    Formula: the mean.
    <BLANKLINE>
    References
    ----------
    This example.
    """
    prose, written = sections_of(text.strip())
    summary, *rest = re.split(r"\n\s*\n", prose)
    sections: dict[str, list[str]] = {title: [known[title]] if title in known else [] for title in ORDER}
    for paragraph in rest:
        sections["Examples" if paragraph.startswith(">>>") else "Notes"].append(paragraph)
    for title, body in written.items():
        if title == "Returns":
            sections[title].clear()  # the author's section is about this metric
        sections.setdefault(title, []).append(body)
    between = {"Notes": "\n\n", "Examples": "\n\n"}
    parts = [
        f"{title}\n{'-' * len(title)}\n{between.get(title, chr(10)).join(bodies)}"
        for title, bodies in sections.items()
        if bodies
    ]
    return "\n\n".join([summary, *parts])


def sections_of_pairs(kinds: list[str], limits: tuple[float, float], orientation: str, source: str) -> dict[str, str]:
    """The sections of every metric of distributions."""
    low, high = limits
    until = f"{high:.4g}]" if np.isfinite(high) else "infinity)"
    choices = ", ".join(repr(kind) for kind in kinds)
    needed = "multilabel" in kinds and len(kinds) > 1
    which = "Required, because the metric is defined for several kinds." if needed else "May be left out."
    raises = [
        "DistributionError\n    If P and Q are not two matrices of distributions of the same shape.",
        "WrongTaskError\n    If the metric is not defined for this kind of task.",
    ]
    if needed:
        raises.append("TypeError\n    If `task` is missing.")
    return {
        "Parameters": f"{PAIR}\ntask : {{{choices}}}\n    Kind of task. {which}\n{ZERO_DIVISION}",
        "Returns": (
            f"MetricValue\n    A float in [{low:.4g}, {until}; {orientation} is better. "
            "Where the metric is undefined, it "
            "is NaN and\n    its `reason` says why."
        ),
        "Raises": "\n".join(raises),
        "References": f"{source}.",
    }


class WrongTaskError(ValueError):
    """The metric is not defined for that kind of task."""


class MetricFunction(Protocol):
    """What the decorator leaves in the module: a metric that checks its input and returns a `MetricValue`."""

    __name__: str

    def __call__(
        self, P: npt.ArrayLike, Q: npt.ArrayLike, task: str | None = None, *, zero_division: float = 1.0, **options: Any
    ) -> MetricValue: ...


@described
@dataclass(frozen=True)
class Metric:
    """What the registry knows about a metric, and how it is computed from a checked pair."""

    name: str
    title: str
    """The name in code, and the name for people."""
    tasks: frozenset[Task]
    default_for: frozenset[Task]
    """Kinds of task for which it is defined, and those for which analyses use it by default."""
    orientation: Literal["higher", "lower"]
    """Which values are better."""
    range: tuple[float, float]
    """The lowest and the highest possible value."""
    source: str
    """The paper that defines it."""
    works_per_item: bool
    """Whether it is a mean of one value per instance."""
    description: str
    """The docstring of its definition."""
    definition: Callable[..., float]
    """The metric as its author wrote it, a function of a `Pair`."""
    function: MetricFunction
    """The metric as a notebook calls it: it takes two matrices, and checks them."""
    reads: Reads = ""
    """Which of the shared sums it needs, so that one pass over P and Q computes no others."""
    items: Items | None = None
    """Computes the values of a block of instances."""

    @property
    def options(self) -> dict[str, Any]:
        """The metric's own parameters and their defaults."""
        parameters = [*inspect.signature(self.definition).parameters.values()][1:]
        return {parameter.name: parameter.default for parameter in parameters}

    @property
    def is_ours(self) -> bool:
        """Whether it is part of this project, not added by another package."""
        return self.definition.__module__.startswith(f"{__package__}.")

    def of(self, pair: Pair, **options: Any) -> MetricValue:
        """The metric's value for a checked pair."""
        self._check_task(pair)
        value = self.definition(pair, **options)
        if isinstance(value, MetricValue):
            return value
        if value != value:  # noqa: PLR0124 - NaN, which only zero_division=NaN can have brought in
            return undefined("0/0 in a class without any mass in P and Q, and zero_division is NaN")
        return MetricValue(value)

    def per_item(self, pair: Pair) -> Vector:
        """The instances' values, shape (N,), whose mean is the metric; NaN where an instance has none.

        Raises `WrongTaskError` for a metric that is not such a mean.
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

    Parameters
    ----------
    title : str
        The name for people.
    tasks : frozenset of str
        Kinds of task for which the metric is defined, such as `MULTICLASS`.
    source : str
        The paper that defines it.
    works_per_item : bool
        Whether the metric is a mean of one value per instance.
    default_for : frozenset of str, optional
        Kinds of task for which analyses use the metric by default.
    orientation : {'higher', 'lower'}, default 'higher'
        Which values are better.
    range : tuple of float, default (0.0, 1.0)
        The lowest and the highest possible value.
    reads : {'', 'tallies', 'information'}, default ''
        Which of the shared sums the definition takes from the pair.
    items : callable, optional
        Computes the values of a block of instances. Without it, the definition is called for each row separately.

    Returns
    -------
    callable
        A decorator that replaces the definition by a function of two matrices (see `MetricFunction`), whose docstring
        is the definition's, in numpydoc sections.

    Raises
    ------
    ValueError
        If `tasks` contains anything but kinds of task, or another metric has this name.

    Notes
    -----
    Keyword-only parameters of the definition become options of the metric.
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

        sections = sections_of_pairs([kind for kind in KINDS if kind in tasks], range, orientation, source)
        evaluate.__doc__ = with_sections(inspect.getdoc(definition) or title, sections)
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
    """The metric with a given name.

    Parameters
    ----------
    name : str
        Name of the metric.

    Returns
    -------
    Metric
        Its entry in the registry.

    Raises
    ------
    UnknownName
        If there is none; the message lists the known names.
    """
    checked_type("name", name, str, "the name of a metric")
    return metrics.get(name)


def available(task: str | None = None) -> tuple[Metric, ...]:
    """Every metric, or every metric of one kind of task.

    Parameters
    ----------
    task : {'multiclass', 'ordinal', 'multilabel'}, optional
        Kind of task. The default is all of them.

    Returns
    -------
    tuple of Metric
        In the order of registration.

    Raises
    ------
    DistributionError
        If `task` is not a kind of task.
    """
    kind = None if task is None else checked_task(task)
    return tuple(entry for entry in metrics if kind is None or kind in entry.tasks)


def defaults(task: str) -> tuple[Metric, ...]:
    """The metrics that analyses use by default: the six of Kurniawan et al. (2026).

    Parameters
    ----------
    task : {'multiclass', 'ordinal', 'multilabel'}
        Kind of task.

    Returns
    -------
    tuple of Metric
        In the order of registration.

    Raises
    ------
    DistributionError
        If `task` is not a kind of task.
    """
    return tuple(entry for entry in available(task) if task in entry.default_for)


def select(task: Task, names: Collection[str] | None) -> tuple[Metric, ...]:
    """The metrics with the given names, or the task's defaults.

    Parameters
    ----------
    task : {'multiclass', 'ordinal', 'multilabel'}
        Kind of task.
    names : collection of str or None
        Names of metrics, or None for the defaults.

    Returns
    -------
    tuple of Metric
        In the order of the names.

    Raises
    ------
    UnknownName
        If there is no metric with one of the names.
    WrongTaskError
        If a metric is not defined for the task.
    TypeError
        If `names` is a single string.
    """
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
    """The kind of task, which need not be given for a metric that is defined for only one."""
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
