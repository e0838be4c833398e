"""docs/reference/api.md: every address of the API and every error that it answers with."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from annotations.errors import HLVError
from metaeval.reference.markdown import first_paragraph, table, written_by

HEAD = """
Addresses stand behind `/api/v1/`. Every server describes its own at `/api/v1/docs/`, with the shape of every request
and answer, where each can be tried. [Permissions](permissions.md) says who may do what. Sign in with a session, or send
`Authorization: Bearer hlv_...`. A refusal is JSON with `code`, `detail` and, where it is about fields, `fields`.
"""
PACKAGES = ("annotations", "metaeval")
PREFIX = "/api/v1/"
METHODS = ("get", "post", "put", "patch", "delete")


def api_page() -> str:
    """The page."""
    parts = [written_by("The API", HEAD)]
    for tag, rows in sorted(_addresses().items()):
        parts.append(f"## {tag}\n\n{table(['address', 'what'], rows)}\n")
    told = [(f"`{error.code}`", str(error.status), first_paragraph(error.__doc__)) for error in errors()]
    parts.append(f"## Errors\n\n{table(['code', 'status', 'when'], told)}\n")
    return "\n".join(parts)


def _addresses() -> dict[str, list[tuple[str, str]]]:
    """What each operation does, by its tag, as the schema says."""
    schema = json.loads((Path(settings.BASE_DIR) / "frontend" / "openapi.json").read_text(encoding="utf-8"))
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for address, operations in schema["paths"].items():
        for method in METHODS:
            if method in operations:
                told = operations[method]
                name = f"`{method.upper()} {address.removeprefix(PREFIX)}`"
                found[told["tags"][0]].append((name, first_paragraph(told.get("description"))))
    return found


def errors() -> list[type[HLVError]]:
    """Every error that the code can raise, by its code."""
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" not in module.name and ".training" not in module.name:
                importlib.import_module(module.name)
    ours = {error for error in _below(HLVError) if error.__module__.startswith(("annotations.", "metaeval."))}
    return sorted(ours, key=lambda error: (error.code, error.status, first_paragraph(error.__doc__)))


def _below(base: type[Any]) -> Iterator[type[Any]]:
    for error in base.__subclasses__():
        yield error
        yield from _below(error)
