"""One published figure beside ours, and the registry of groups of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotations.ground.registry import Registry

if TYPE_CHECKING:
    from metaeval.reproductions.bench import Bench


@dataclass(frozen=True)
class PublishedFigure:
    """A figure as it was printed (empty: only drawn), and our value; if they differ, `why` gives the reason."""

    what: str
    where: str
    published: str
    ours: float
    agrees: bool
    why: str = ""

    @classmethod
    def printed(cls, what: str, where: str, published: str, ours: float, *, why: str = "") -> PublishedFigure:
        """A figure that agrees if our value rounds to the printed one; `why` is kept only if it does not.

        >>> PublishedFigure.printed("kappa", "Table 1", "0.48", 0.4797, why="a typo").agrees
        True
        """
        agrees = as_printed(ours, published)
        return cls(what, where, published, ours, agrees, "" if agrees else why)

    @classmethod
    def drawn(cls, what: str, where: str, ours: float) -> PublishedFigure:
        """A point of a picture, whose value the paper does not print: there is nothing to compare ours with."""
        return cls(what, where, "", ours, agrees=True)

    @property
    def difference(self) -> float:
        return self.ours - float(self.published)


def as_printed(value: float, published: str) -> bool:
    """Whether the value rounds to what is printed: half a unit of its last digit.

    >>> as_printed(0.625495, "0.625"), as_printed(0.6256, "0.625")
    (True, False)
    """
    return abs(value - float(published)) <= 0.5 * 10.0 ** -digits(published) + 1e-9


def digits(published: str) -> int:
    """How many decimals are printed."""
    return len(published.partition(".")[2])


@dataclass(frozen=True)
class Reproduction:
    """A group of figures: from which paper, from which files, by which analysis, and how they are computed."""

    name: str
    title: str
    source: str
    files: Sequence[str]
    analysis: str
    golden: str
    note: str
    figures: Callable[[Bench], list[PublishedFigure]]


reproductions: Registry[Reproduction] = Registry("metaeval.reproductions.*", kind="reproduction")

Figures = Callable[["Bench"], list[PublishedFigure]]


def reproduction(
    *, title: str, source: str, files: Sequence[str], analysis: str, golden: str = "", note: str = ""
) -> Callable[[Figures], Figures]:
    """Register the decorated function: it takes a bench and returns its figures. Files are relative to the data folder;
    `golden` is the file with the published figures, if there is one."""

    def add(figures: Figures) -> Figures:
        name = str(getattr(figures, "__name__", ""))
        entry = Reproduction(name, title, source, tuple(files), analysis, golden, note, figures)
        reproductions.register(name)(entry)
        return figures

    return add


def rows_of(checks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The checks of a golden file that have a published figure, each once."""
    seen = {(check["name"], check["published_where"]): check for check in reversed(checks) if "published" in check}
    return list(reversed(seen.values()))
