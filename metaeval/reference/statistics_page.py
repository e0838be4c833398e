"""docs/reference/statistics.md: the library `metaeval.stats`, from its docstrings."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any

from metaeval import stats as library
from metaeval.reference.markdown import anchor, docstring, written_by
from metaeval.reference.signatures import signature

HEAD = """
`metaeval.stats` needs NumPy, SciPy and Numba, and nothing else of the platform. Every random function takes a seed;
every result is a small frozen dataclass.
"""
ROOMS = ("correlating", "comparing", "power", "ranking", "responses", "agreement", "uncertainty")
SHARED = ("intervals", "multiplicity", "results")


def statistics_page() -> str:
    """The page."""
    parts = [written_by("Statistics", HEAD)]
    for room in (*ROOMS, *SHARED):
        module = importlib.import_module(f"metaeval.stats.{room}")
        where = "metaeval.stats" if room not in ("agreement", "uncertainty") else f"metaeval.stats.{room}"
        names = _public(module, library if where == "metaeval.stats" else module)
        if names:
            parts.append(f"## {room.capitalize()}\n\n{docstring(module.__doc__)}\n\nImport from `{where}`.\n")
            parts += [_section(name, getattr(module, name)) for name in names]
    return "\n".join(parts)


def _public(module: ModuleType, of: ModuleType) -> list[str]:
    """Functions and classes that the module defines and the library offers."""
    names = []
    for name in getattr(of, "__all__", []):
        thing = getattr(module, name, None)
        is_own = (getattr(thing, "__module__", "") or "").startswith(module.__name__)
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and is_own:
            names.append(name)
    return sorted(names, key=lambda name: (inspect.isclass(getattr(module, name)), name))


def _section(name: str, thing: Any) -> str:
    said = f"{anchor(name)}\n### `{name}`\n"
    if inspect.isfunction(thing):
        said += f"\n```python\n{signature(thing)}\n```\n"
    return f"{said}\n{docstring(inspect.getdoc(thing))}\n"
