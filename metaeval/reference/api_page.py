"""docs/reference/api.md: every address of the API and every error that it returns."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from annotations.api.schema import api_schema
from annotations.errors import HLVError
from metaeval.reference.markdown import first_paragraph, table, written_by
from metaeval.training.extra import ROOMS

HEAD = """
Addresses are relative to `/api/v1/`. Every server describes its own at `/api/v1/docs/`, with the shape of every request
and answer, where each can be tried. [Permissions](permissions.md) says who may do what. Sign in with a session, or send
`Authorization: Bearer hlv_...`. A refusal is JSON with `code`, `detail` and, where it is about fields, `fields`.

*Sends*: the fields of the request, with the values that a field can have; those in brackets may be left out.
"""
PACKAGES = ("annotations", "metaeval")
PREFIX = "/api/v1/"
METHODS = ("get", "post", "put", "patch", "delete")
MOST_FIELDS, MOST_VALUES = 15, 8
NOT_SETTINGS = ("dataset", "slug", "preset", "version")
"""Fields for creating or changing a study besides its settings, which have their own table."""


def api_page() -> str:
    """The page."""
    parts = [written_by("The API", HEAD)]
    for tag, rows in sorted(_addresses().items()):
        parts.append(f"## {tag}\n\n{table(['address', 'what', 'sends'], rows)}\n")
    told = [(f"`{error.code}`", str(error.status), first_paragraph(error.__doc__)) for error in errors()]
    parts.append(f"## Errors\n\n{table(['code', 'status', 'when'], told)}\n")
    return "\n".join(parts)


def _addresses() -> dict[str, list[tuple[str, str, str]]]:
    """What each operation does, by its tag, as the schema says."""
    schema = api_schema()
    found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for address, operations in schema["paths"].items():
        for method in METHODS:
            if method in operations:
                told = operations[method]
                name = f"`{method.upper()} {address.removeprefix(PREFIX)}`"
                sends = _sends(told.get("requestBody", {}), schema["components"]["schemas"])
                found[told["tags"][0]].append((name, first_paragraph(told.get("description")), sends))
    return found


def _sends(body: dict[str, Any], known: dict[str, Any]) -> str:
    """The fields of a request."""
    shape: dict[str, Any] = next((kind["schema"] for kind in body.get("content", {}).values()), {})
    shape = known.get(_name(shape), shape)
    fields = shape.get("properties", {})
    if len(fields) > MOST_FIELDS:
        return f"[settings of a study](settings.md#the-settings-of-a-study), {_fields(fields, NOT_SETTINGS, known)}"
    needed = [name for name in fields if name in shape.get("required", [])]
    others = _fields(fields, [name for name in fields if name not in needed], known)
    return ", ".join([_fields(fields, needed, known)] * bool(needed) + [f"[{others}]"] * bool(others))


def _fields(fields: dict[str, Any], names: Iterable[str], known: dict[str, Any]) -> str:
    said = []
    for name in names:
        if name in fields:
            values = [str(value) for value in _values(fields[name], known) if value]
            said.append(f"`{name}`" + (f" ({', '.join(values)})" if 0 < len(values) <= MOST_VALUES else ""))
    return ", ".join(said)


def _values(field: dict[str, Any], known: dict[str, Any]) -> list[Any]:
    """The values that a field can have, if they are listed."""
    kinds = [field, *field.get("allOf", []), *field.get("oneOf", []), *field.get("anyOf", [])]
    return [value for kind in kinds for value in known.get(_name(kind), kind).get("enum", [])]


def _name(shape: dict[str, Any]) -> str:
    return str(shape.get("$ref", "")).rpartition("/")[2]


def errors() -> list[type[HLVError]]:
    """Every error that the code can raise, by its code."""
    for package in PACKAGES:
        _import_all(package)
    ours = {
        error
        for error in _below(HLVError)
        if error.__module__.startswith(("annotations.", "metaeval.")) and not error.__module__.startswith(ROOMS)
    }
    return sorted(ours, key=lambda error: (error.code, error.status, first_paragraph(error.__doc__)))


def _import_all(name: str) -> None:
    """A package and what is in it, except what only a machine that trains can import."""
    package = importlib.import_module(name)
    for child in pkgutil.iter_modules(getattr(package, "__path__", ())):
        inside = f"{name}.{child.name}"
        if child.name != "migrations" and inside not in ROOMS:
            _import_all(inside)


def _below(base: type[Any]) -> Iterator[type[Any]]:
    for error in base.__subclasses__():
        yield error
        yield from _below(error)
