"""A section of docs/reference/validity.md: the function that computes its tables, and the registry of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotations.ground.errors import HLVError
from annotations.ground.registry import Registry


class NeedsData(HLVError):
    """A section reads real files, and their folder was not given."""

    code = "validity_needs_data"


@dataclass(frozen=True)
class ValidityTable:
    """A table of a section. Numbers, and shares with their errors, are written by `share` and similar functions."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Effort:
    """The effort: `simulations` of each kind, and the folder of real files for sections that read them."""

    simulations: int = 2000
    seed: int = 1
    data: Path | None = None

    def files(self) -> Path:
        """The folder of the real files. Raises `NeedsData` if none was given."""
        if self.data is None:
            raise NeedsData("This section reads real files: say where they are with --data DIR.")
        return self.data


Tables = Callable[[Effort], list[ValidityTable]]


@dataclass(frozen=True)
class ValiditySection:
    """A question, what was simulated or measured to answer it, what the answer means, and how it is computed."""

    name: str
    place: int
    title: str
    about: str
    finding: str
    needs_data: bool
    tables: Tables = field(repr=False)
    one_in: int = 1
    """For slow sections: one simulation is run for every so many requested."""


validity_sections: Registry[ValiditySection] = Registry("metaeval.validity.*", kind="validity section")


def validity_section(
    *, place: int, title: str, about: str, finding: str = "", needs_data: bool = False, one_in: int = 1
) -> Callable[[Tables], Tables]:
    """Register the decorated function, whose name is the section's: it takes an `Effort` and returns the tables.

    `place`: the order on the page; `about` comes before the tables and says what was done, `finding` comes after them
    and says what it means, in words that stay true if the last digits change.
    """

    def add(tables: Tables) -> Tables:
        name = str(getattr(tables, "__name__", ""))
        section = ValiditySection(name, place, title, about, finding, needs_data, tables, one_in)
        validity_sections.register(name)(section)
        return tables

    return add


def ordered_sections() -> list[ValiditySection]:
    """All sections, in the order of the page."""
    return sorted(validity_sections, key=lambda section: (section.place, section.name))


def share(found: float, of: int) -> str:
    """A share in per cent with its Monte Carlo standard error.

    >>> share(100, 2000)
    '5.0 ± 0.5'
    """
    p = found / of
    return f"{100 * p:.1f} ± {100 * math.sqrt(p * (1 - p) / of):.1f}"
