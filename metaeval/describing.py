"""Docstrings that say everything once: `described` completes them for `help()` and the reference.

What many functions take or return is described in `SHARED` and `RETURNED`. A field of a result is described by the
string below it, which is for all fields above it that have none of their own; it may begin with the shape of an array,
as in `(S, K): ...`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from textwrap import dedent, fill, indent
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

Described = TypeVar("Described", bound=Callable[..., Any])

ORDER = ("Parameters", "Attributes", "Returns", "Raises", "See Also", "Notes", "References", "Examples")
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_SHAPE = re.compile(r"(\([\w ,+]+\)): ")


def sections_of(text: str) -> tuple[str, dict[str, str]]:
    """What a docstring says before its numpydoc sections, and these by their titles."""
    summary, *written = _SECTION.split(text)
    return summary.strip(), dict(zip(written[::2], map(str.strip, written[1::2]), strict=True))


def entries(section: str) -> dict[str, str]:
    """The entries of a numpydoc section by the names that they describe.

    >>> entries("a, b : int\\n    Two numbers.\\nc : str\\n    A name.")["b"]
    'a, b : int\\n    Two numbers.'
    """
    blocks = re.split(r"\n(?=\S)", section.strip()) if section.strip() else []
    return {name.strip(): block for block in blocks for name in re.split(" : |\n", block, maxsplit=1)[0].split(",")}


SHARED = entries(
    """
alternative : {'two-sided', 'greater', 'less'}, default 'two-sided'
    Alternative hypothesis.
annotations : Annotations or array_like, shape (raters, units)
    The labels; in a matrix, NaN or None where a rater gave no label.
base : float, default e
    Base of the logarithms, above 1.
bootstrap : Bootstrap, optional
    How to compute an interval. The default is none.
coefficient : {'pearson', 'spearman', 'kendall'}, default 'pearson'
    Which correlation coefficient.
coefficients : sequence of {'pearson', 'spearman', 'kendall'}, optional
    Which correlation coefficients. The default is all three.
confidence_level : float, default 0.95
    Confidence level of the interval, between 0 and 1.
constant : float, default NaN
    The value where only one label occurs, so that no disagreement is expected by chance. Papers print 1.0.
correlation_level : {'system', 'input', 'global'}, default 'system'
    Whether the coefficient is of the systems' means, averaged over inputs, or of all cells.
distance : {'nominal', 'ordinal', 'interval', 'ratio', 'jaccard', 'masi'}, default 'nominal'
    The distance between two labels, or between two sets of labels.
exchangeable : str, optional
    What is exchanged under the null: 'systems', 'within model', 'methods jointly', 'models jointly', or 'models
    and methods'. The default follows from `units`.
expert : sequence, shape (R,)
    The expert of each response.
human : Annotations
    People's labels.
machine : Annotations
    The machine's labels.
null : {'auto', 'exact', 'approx'}, default 'auto'
    The null distribution: exact, the normal approximation, or exact up to 50 differences.
progress : callable, optional
    Called with the numbers of steps done and of all steps.
scale : {'nominal', 'ordinal'}, default 'nominal'
    Whether labels are ordered.
scores : mapping from str to array_like, shape (n,)
    Rows of scores by name, one score per system. NaN leaves the system out of the row.
seed, rng : int, SeedSequence or Generator, optional
    Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
squared : bool, default False
    Whether the divergence is returned instead of the distance.
systems : sequence of str, optional
    Names of the systems, for results and reasons.
target : array_like, shape (n,)
    One value per system. NaN leaves the system out of all rows.
target_name : str, default 'the target'
    What reasons call the target.
task : {'multiclass', 'ordinal', 'multilabel'}
    Kind of task.
two_sided : {'double', 'magnitude'}, default 'double'
    Two-sided p-value: twice the smaller tail, or the share of values that are at least as large in magnitude.
typical : ndarray of int, shape (items,), optional
    The label of each item, if not from `typical_labels`.
units : Crossing or sequence of (model, method), optional
    Model and method of each system. By default, systems share nothing.
"""
)

RETURNED = {
    "Correlation": "A value in [-1, 1], or NaN with a reason.",
    "MeasuredAgreement": "The measure, or NaN with a reason.",
    "WilliamsTest": "The test, or NaN with a reason.",
}


def described(thing: Described) -> Described:
    """Complete the docstring of a function or class by what is described elsewhere."""
    return described_as(None)(thing)


def described_as(other: Callable[..., Any] | None) -> Callable[[Described], Described]:
    """`described`, where what a docstring does not say of parameters, returns and raises is as for another function."""

    def describe(thing: Described) -> Described:
        summary, sections = sections_of(inspect.getdoc(thing) or "")
        if is_dataclass(thing):
            thing.__doc__ = _WithFields(summary, sections)  # type: ignore[assignment]  # a string once it is read
            return thing
        _, others = sections_of(inspect.getdoc(other) or "")
        signature = inspect.signature(thing)
        if (kind := signature.return_annotation) in RETURNED:
            sections["Returns"] = f"{kind}\n    {RETURNED[kind]}"
        inherited = ("Raises",) if inspect.isclass(thing) else ("Returns", "Raises")
        sections = {title: others[title] for title in inherited if title in others} | sections
        elsewhere = SHARED | entries(others.get("Parameters", ""))
        thing.__doc__ = _joined(summary, sections, "Parameters", signature.parameters, elsewhere)
        return thing

    return describe


def _joined(
    summary: str, sections: Mapping[str, str], title: str, names: Iterable[str], elsewhere: Mapping[str, str]
) -> str:
    """A docstring; one of its sections describes these names in order, as it does itself or as is said elsewhere."""
    own = entries(sections.get(title, ""))
    blocks = {**elsewhere, **own}
    ordered = dict.fromkeys([*(blocks[name] for name in names if name in blocks), *own.values()])
    bodies = {**sections, title: "\n".join(ordered)}
    parts = [f"{name}\n{'-' * len(name)}\n{bodies[name]}" for name in sorted(bodies, key=ORDER.index) if bodies[name]]
    return "\n\n".join([summary, *parts])


class _WithFields:
    """The docstring of a dataclass; its fields' descriptions are taken from the source when somebody reads it."""

    def __init__(self, summary: str, sections: Mapping[str, str]) -> None:
        self.summary, self.sections = summary, sections

    def __get__(self, _: object, owner: type) -> str:
        return _joined(self.summary, self.sections, "Attributes", inspect.get_annotations(owner), _fields(owner))


def _fields(owner: type) -> dict[str, str]:
    """What the strings below the fields of a class say, as entries of a numpydoc section; none without the source."""
    try:
        body = ast.parse(dedent(inspect.getsource(owner))).body[0]
    except (OSError, TypeError):
        return {}
    hints = get_type_hints(owner)
    inherited = {
        name
        for base in owner.__mro__[1:]
        for name in entries(sections_of(inspect.getdoc(base) or "")[1].get("Attributes", ""))
    }
    described_fields: dict[str, str] = {}
    above: dict[str, str] = {}
    for part in body.body if isinstance(body, ast.ClassDef) else ():
        match part:
            case ast.AnnAssign(target=ast.Name(id=name)):
                above = {other: kind for other, kind in above.items() if other not in inherited}
                above[name] = kind_of(hints[name])
            case ast.Expr(value=ast.Constant(value=str(says))) if above:
                described_fields |= dict.fromkeys(above, _entry(above, inspect.cleandoc(says)))
                above = {}
    return described_fields


def _entry(fields: Mapping[str, str], says: str) -> str:
    kind = next(iter(fields.values()))
    if match := _SHAPE.match(says):
        says = says[match.end() :]
        array, none, _ = kind.partition(" or None")
        kind = f"{array}, shape {match[1]}{',' + none if none else ''}"
    return f"{', '.join(fields)} : {kind}\n{indent(fill(says, 116), '    ')}"


def kind_of(hint: Any) -> str:
    """A type as numpydoc names it.

    >>> kind_of(Literal["a", "b"]), kind_of(tuple[float, ...] | None), kind_of(np.ndarray[Any, np.dtype[np.int64]])
    ("{'a', 'b'}", 'tuple of float or None', 'ndarray of int64')
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return f"{{{', '.join(map(repr, arguments))}}}"
    if origin in {Union, UnionType}:
        return " or ".join("None" if option is type(None) else kind_of(option) for option in arguments)
    if origin is tuple:
        return f"tuple of {kind_of(arguments[0])}"
    if origin is np.ndarray:
        (number,) = get_args(arguments[1])
        return "ndarray" if number is Any else f"ndarray of {number.__name__}"
    return str(getattr(origin or hint, "__name__", hint))
