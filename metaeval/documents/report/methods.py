"""How results were computed, as in a paper: a paragraph per analysis (methods.txt beside it, else its docstring), and
the works cited (texts/references.json)."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from metaeval.analyses.base.registry import analyses

TEXTS = Path(__file__).parent / "texts"


def design() -> str:
    """How experts were asked: the same in every study."""
    return _read(TEXTS / "design.txt")


def every_result() -> str:
    """What holds for every result."""
    return _read(TEXTS / "every_result.txt")


def _read(path: Path) -> str:
    return " ".join(path.read_text(encoding="utf-8").split())


def methods_text(analysis: str) -> str:
    """The paragraph of an analysis, or else its docstring."""
    entry = analyses.get(analysis)
    file = Path(inspect.getfile(entry.compute)).with_name("methods.txt")
    if file.is_file():
        return _read(file)
    return " ".join((inspect.getdoc(entry.compute) or entry.title).replace("`", "").split())


def parameters_in_words(analysis: str, parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each parameter by its title with its value, in the order of the declaration."""
    declared = analyses.get(analysis).schema().get("properties", {})
    order = [*declared, *(name for name in parameters if name not in declared)]
    titles = {name: str(declared.get(name, {}).get("title", name)) for name in order}
    return [(titles[name], _value(parameters[name])) for name in order if name in parameters]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_value, value)) or "all"
    if isinstance(value, int):
        return f"{value:,}"
    return "none" if value is None else str(value)


@cache
def works() -> dict[str, str]:
    """Every work by its key: authors and year, as cited in texts (with or without parentheses around the year)."""
    file = Path(__file__).parent / "texts" / "references.json"
    return dict(json.loads(file.read_text(encoding="utf-8")))


def cited(text: str) -> list[str]:
    """The works that a text cites, in order of their keys.

    >>> [work[:20] for work in cited("by Holm (1979), and see Cohen 1960")]
    ['Cohen, J. (1960). A ', 'Holm, S. (1979). A s']
    """
    plain = re.sub(r"[()]", "", " ".join(text.split()))
    return [work for key, work in sorted(works().items()) if key in plain]
