"""The registry of figures: a decorator in the file that draws one.

A figure may come in variants, one a metric say: the figure `scatter` has the variants `scatter-po_jsd`,
`scatter-micro_f1` and so on beside the overview that is `scatter` itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # Altair takes most of a second to import: only who draws pays
    from altair.typing import ChartType as Chart

Result = dict[str, Any]
Draw = Callable[[Result, str], "Chart"]


class UnknownFigureError(LookupError):
    """The result has no figure of that name."""


@dataclass(frozen=True)
class Figure:
    """A registered figure. `variants` lists a result's variants; `draw` gets the variant, empty for the overview."""

    name: str
    variants: Callable[[Result], list[str]]
    draw: Draw


_figures: dict[str, Figure] = {}


def figure(*, variants: Callable[[Result], list[str]] = lambda _: []) -> Callable[[Draw], Draw]:
    """Register the decorated drawing function under its own name."""

    def register(draw_it: Draw) -> Draw:
        name = str(getattr(draw_it, "__name__", ""))
        if name in _figures:
            msg = f"two figures are named {name!r}"
            raise ValueError(msg)
        _figures[name] = Figure(name, variants, draw_it)
        return draw_it

    return register


def names(families: Sequence[str], result: Result) -> list[str]:
    """The names of every figure of a result, by the figures that its analysis declares."""
    return [
        name
        for family in families
        for name in (family, *(f"{family}-{variant}" for variant in _get(family).variants(result)))
    ]


def draw(name: str, families: Sequence[str], result: Result) -> Chart:
    """The chart called `name`; `UnknownFigureError` says which there are."""
    known = names(families, result)
    if name not in known:
        msg = f"There is no figure {name!r}. Known: {', '.join(known)}."
        raise UnknownFigureError(msg)
    family, _, variant = name.partition("-")
    return _get(family).draw(result, variant)


def _get(name: str) -> Figure:
    if name not in _figures:
        package = importlib.import_module(__package__)
        for module in pkgutil.iter_modules(package.__path__, f"{__package__}."):
            importlib.import_module(module.name)
    return _figures[name]
