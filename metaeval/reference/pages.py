"""Every page of the reference, and whether docs/reference is still true and complete."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from metaeval.reference.analyses_page import analyses_page
from metaeval.reference.api_page import api_page
from metaeval.reference.commands_page import commands_page
from metaeval.reference.events_page import events_page
from metaeval.reference.formats_page import formats_page
from metaeval.reference.methods_page import methods_page
from metaeval.reference.metrics_page import PICTURE, metrics_page, picture
from metaeval.reference.settings_page import settings_page
from metaeval.reference.statistics_page import statistics_page
from metaeval.reference.stored_data_page import stored_data_page

PAGES: Mapping[str, Callable[[], str]] = {
    "metrics.md": metrics_page,
    PICTURE.as_posix(): picture,
    "methods.md": methods_page,
    "statistics.md": statistics_page,
    "analyses.md": analyses_page,
    "formats.md": formats_page,
    "commands.md": commands_page,
    "settings.md": settings_page,
    "api.md": api_page,
    "events.md": events_page,
    "stored-data.md": stored_data_page,
}


class PageState(StrEnum):
    """Whether a page agrees with the code."""

    UP_TO_DATE = "up to date"
    INCOMPLETE = "lacks what was added since"
    UNTRUE = "is no longer true"


def standing(written: str, now: str) -> PageState:
    """Whether a page says what the code says. One that only lacks lines is incomplete: everything that it says is true.

    Adding a metric adds lines and makes nothing untrue.

    >>> standing("a\\nb\\n", "a\\nnew\\nb\\n"), standing("a\\nold\\n", "a\\nnew\\n")
    (<PageState.INCOMPLETE: 'lacks what was added since'>, <PageState.UNTRUE: 'is no longer true'>)
    """
    if written == now:
        return PageState.UP_TO_DATE
    fresh = iter(now.splitlines())
    return PageState.INCOMPLETE if all(line in fresh for line in written.splitlines()) else PageState.UNTRUE


def standings(folder: Path) -> dict[str, PageState]:
    """The state of every page in the folder; a missing one lacks everything."""
    found = {}
    for name, page in PAGES.items():
        path = folder / name
        found[name] = standing(path.read_text(encoding="utf-8") if path.exists() else "", page())
    return found


def write(folder: Path) -> list[str]:
    """Write the pages that are not up to date; returns their names."""
    behind = [name for name, found in standings(folder).items() if found is not PageState.UP_TO_DATE]
    for name in behind:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGES[name](), encoding="utf-8")
    return behind
