"""docs/performance.md: a section for each command that measures something, written by that command alone.

Sections are marked by comments, so each can be written anew while the others stay as they are.
"""

import datetime
import os
import platform
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
ORDER = ("load", "answer_scaling", "moving", "numbers")
"""Sections in the order of the page, before any others; those that nothing has written are not there."""
INTRODUCTION = """\
# Performance

What the server bears, and what that was measured against. Each section is written by the command that stands in it, and
says when and where it ran. [Speed of the library](reference/performance.md) has the numerics.
"""


def write(name: str, title: str, body: str, *, command: str, page: Path = PAGE) -> None:
    """Write one section, and leave the others as they are.

    Args:
        name: a word; `ORDER` says where the section stands.
        body: Markdown without headings.
        command: what writes it again.
    """
    found = sections(page.read_text(encoding="utf-8")) if page.exists() else {}
    day = datetime.datetime.now(datetime.UTC).date()
    found[name] = f"## {title}\n\n`{command}`, {day}, {machine()}\n\n{body.strip()}"
    page.write_text(written(found), encoding="utf-8")


def sections(page: str) -> dict[str, str]:
    """The sections of a page, by name.

    >>> sections("# Performance\\n\\n<!-- load -->\\n## Load\\n\\ntold\\n<!-- /load -->\\n")
    {'load': '## Load\\n\\ntold'}
    """
    marked = re.finditer(r"^<!-- (\w+) -->\n(.*?)\n<!-- /\1 -->$", page, re.MULTILINE | re.DOTALL)
    return {section[1]: section[2] for section in marked}


def written(found: dict[str, str]) -> str:
    """The page."""
    names = [*(name for name in ORDER if name in found), *sorted(found.keys() - set(ORDER))]
    parts = [f"<!-- {name} -->\n{found[name]}\n<!-- /{name} -->\n" for name in names]
    return "\n".join([INTRODUCTION, *parts])


def machine() -> str:
    """What it ran on, without its name."""
    return f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
