"""The registry of figures: a decorator in the file that draws one, in the folder `figures` of its analysis.

A figure may come in variants, such as one per metric: the figure `scatter` has the variants `scatter-po_jsd`,
`scatter-micro_f1` and so on, besides the overview, which is `scatter` itself. Variants of something with a name of its
own, such as a system, are called `scatter-2-roberta-base`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotations.ground.registry import Registry, UnknownName
from metaeval.figures.captions import name_in_words, with_words
from metaeval.figures.sizes import SIZES, Size

if TYPE_CHECKING:  # Altair takes most of a second to import, so only when drawing
    from altair.typing import ChartType as Chart


Draw = Callable[[Any, str, Size], "Chart"]
"""Draws a result, as its analysis declares it, in a variant and size."""

figures: Registry[Figure] = Registry("metaeval.analyses.*.figures.*", kind="figure")
LONGEST = 60


@dataclass(frozen=True)
class Figure:
    """A registered figure. `title` is its name in a list, before it is drawn; `variants` lists a result's variants;
    `draw` gets the result, the variant (empty for the overview) and the size; `exists` says whether a result has what
    it draws, which earlier results may lack."""

    name: str
    title: str
    variants: Callable[[Any], list[str]]
    draw: Draw
    exists: Callable[[Any], bool]


def figure(
    title: str = "",
    *,
    variants: Callable[[Any], list[str]] = lambda _: [],
    exists: Callable[[Any], bool] = lambda _: True,
) -> Callable[[Draw], Draw]:
    """Register the decorated drawing function under its own name, which is also its title if none is given."""

    def register(draw_it: Draw) -> Draw:
        name = str(getattr(draw_it, "__name__", ""))
        figures.register(name)(Figure(name, title or name_in_words(name), variants, draw_it, exists))
        return draw_it

    return register


def names_in(folder: str) -> list[str]:
    """The figures that the modules of a package draw, by name.

    >>> names_in("metaeval.analyses.power.figures.")
    ['power_curve', 'power_map']
    """
    return [entry.name for entry in figures if str(getattr(entry.draw, "__module__", "")).startswith(folder)]


def names(families: Sequence[str], result: Any) -> list[str]:
    """The names of every figure of a result, by the figures that its analysis declares."""
    return [
        name
        for family in families
        if figures.get(family).exists(result)
        for name in (family, *(f"{family}-{variant}" for variant in figures.get(family).variants(result)))
    ]


def draw(name: str, families: Sequence[str], result: Any, *, size: str | Size = "screen") -> Chart:
    """The chart called `name` in one of the `SIZES`, with its words; `UnknownName` lists the known figures.

    A page with less room than a paper passes one of them with a different height.
    """
    room = size if isinstance(size, Size) else SIZES[size]
    possible = names(families, result)
    if name not in possible:
        raise UnknownName(f"There is no figure {name!r}. Known: {', '.join(possible)}.", name=name)
    family, _, variant = name.partition("-")
    chart = figures.get(family).draw(result, variant, room)
    is_simulated = bool(getattr(result, "is_simulated", False))
    return with_words(chart, name=name, size=room, is_simulated=is_simulated)


def titles(drawn: Sequence[str]) -> dict[str, str]:
    """The titles of figures in a list, by family, before they are drawn; unknown ones are left out.

    >>> titles(["scatter", "scatter-po_jsd", "of a package that is not installed"])
    {'scatter': 'Each metric and the experts’ preference'}
    """
    families = dict.fromkeys(name.partition("-")[0] for name in drawn)
    return {family: figures.get(family).title for family in families if family in figures.names()}


def variants_of(names: Sequence[str]) -> list[str]:
    """One variant per name, if there are several: its position from 1, and as much of the name as fits into a URL.

    >>> variants_of(["roberta / A", "Übung"]), variants_of(["alone"])
    (['1-roberta-A', '2-bung'], [])
    """
    if len(names) < 2:
        return []
    words = (re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:LONGEST] for name in names)
    return [f"{place}-{word}".rstrip("-.") for place, word in enumerate(words, start=1)]


def place_of(variant: str) -> int:
    """The position, from 0, of what a variant is about.

    >>> place_of("2-roberta-base")
    1
    """
    return int(variant.partition("-")[0]) - 1


def shown_in(names: Sequence[str], variant: str, most: int) -> list[str]:
    """What a figure shows: what its variant is about, or the first few.

    >>> shown_in(["a", "b", "c"], "", 2), shown_in(["a", "b", "c"], "3-c", 2)
    (['a', 'b'], ['c'])
    """
    return [names[place_of(variant)]] if variant else list(names[:most])


def note_on_others(names: Sequence[str], variant: str, most: int, what: str) -> list[str]:
    """A sentence about what the figure does not show although it has no variant; none if it shows all."""
    if variant or len(names) <= most:
        return []
    return [f"The first {most} of {len(names)} {what}." if most > 1 else f"The first of {len(names)} {what}."]
