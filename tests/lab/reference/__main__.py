"""`python -m tests.lab.reference`: write the pages of docs/reference that follow from the code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from tests.lab import PAGES_FOLDER
from tests.lab.reference.computing import PICTURE, analyses_page, methods_page, metrics_page, picture, statistics_page
from tests.lab.reference.data import events_page, formats_page, stored_data_page
from tests.lab.reference.serving import api_page, commands_page, settings_page

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


def page_state(written: str, now: str) -> PageState:
    """Whether a page says what the code says. One that only lacks lines is incomplete: what it says is true."""
    if written == now:
        return PageState.UP_TO_DATE
    fresh = iter(now.splitlines())
    return PageState.INCOMPLETE if all(line in fresh for line in written.splitlines()) else PageState.UNTRUE


def outdated(folder: Path) -> dict[str, tuple[PageState, str]]:
    """The pages in the folder that are not up to date: their state, and what they should be."""
    texts = {name: page() for name, page in PAGES.items()}
    states = {name: page_state(_written(folder / name), text) for name, text in texts.items()}
    return {name: (state, texts[name]) for name, state in states.items() if state is not PageState.UP_TO_DATE}


def _written(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.reference", description=__doc__)
    parser.add_argument("--folder", type=Path, default=PAGES_FOLDER, help="where to write")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is not up to date")
    options = parser.parse_args(arguments)
    pages = outdated(options.folder)
    if pages and options.check:
        states = "; ".join(f"{name} {state}" for name, (state, _) in pages.items())
        sys.exit(f"The reference is out of date: {states}. Run: make reference")
    for name, (_, text) in pages.items():
        path = options.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"Written: {', '.join(pages)}" if pages else "Up to date")


if __name__ == "__main__":
    main()
