"""docs/reference/api.md: every address of the API and every error that it returns."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from annotations.api.schema import Schema, api_schema
from annotations.ground.errors import HLVError
from metaeval.reference.markdown import first_paragraph, table, written_by
from metaeval.training.extra import ROOMS

HEAD = """
Addresses are relative to `/api/v1/`. Every server describes its own at `/api/v1/docs/`, with the shape of every request
and answer, where each can be tried. [Permissions](permissions.md) says who may do what. Sign in with a session, or send
`Authorization: Bearer hlv_...`. A refusal is JSON with `code`, `detail` and, where it is about fields, `fields`.

*Sends*: the fields of the request, with the values that a field can have; those in brackets may be left out, and those
with a question mark stand in the address. *Answers*: the [shape](#shapes) of the answer, or the kind of file.

A field or an address that goes needs a line in [CHANGELOG](../../CHANGELOG.md) that names it: `make check` asks for it.
"""
SHAPES = """
What requests and answers are made of: each shape's fields, with the shape of a field where it has one.
"""
PACKAGES = ("annotations", "metaeval")
PREFIX = "/api/v1/"
JSON = "application/json"
METHODS = ("get", "post", "put", "patch", "delete")
MOST_FIELDS, MOST_VALUES = 15, 8


def api_page() -> str:
    """The page."""
    schema = api_schema()
    known = schema["components"]["schemas"]
    parts = [written_by("The API", HEAD)]
    for tag, rows in sorted(_addresses(schema["paths"], known).items()):
        parts.append(f"## {tag}\n\n{table(['address', 'what', 'sends', 'answers'], rows)}\n")
    shapes = [(f"`{name}`", _fields(known[name], known[name]["properties"], known)) for name in _shapes(schema)]
    parts.append(f"## Shapes\n{SHAPES}\n{table(['shape', 'fields'], shapes)}\n")
    told = [(f"`{error.code}`", str(error.status), first_paragraph(error.__doc__)) for error in errors()]
    parts.append(f"## Errors\n\n{table(['code', 'status', 'when'], told)}\n")
    return "\n".join(parts)


def _addresses(paths: Schema, known: Schema) -> dict[str, list[tuple[str, str, str, str]]]:
    """What each operation does, takes and answers, by its tag, as the schema says."""
    found: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for address, operations in paths.items():
        for method in METHODS:
            if method in operations:
                told = operations[method]
                name = f"`{method.upper()} {address.removeprefix(PREFIX)}`"
                said = (first_paragraph(told.get("description")), _sends(told, known), _answers(told, known))
                found[told["tags"][0]].append((name, *said))
    return found


def _sends(operation: Schema, known: Schema) -> str:
    """The fields of a request: in the address, needed, and others."""
    asked = [f"`?{one['name']}`" for one in operation.get("parameters", []) if one["in"] == "query"]
    shape = _sent(operation)
    name = _name(shape)
    shape = known.get(name, shape)
    fields = shape.get("properties", {})
    needed = [field for field in fields if field in shape.get("required", [])]
    if len(fields) > MOST_FIELDS:
        return ", ".join([*asked, f"`{name}`"])
    others = _fields(shape, [field for field in fields if field not in needed], known)
    given = [_fields(shape, needed, known)] * bool(needed) + [f"[{others}]"] * bool(others)
    return ", ".join([*given, *asked])


def _answers(operation: Schema, known: Schema) -> str:
    """The shape of the answer, or the kinds of files that it can be."""
    bodies = _answered(operation)
    named = [f"`{name}`" for body in bodies.values() for name in _shapes_in(body) if _is_shape(name, known)]
    return ", ".join(dict.fromkeys(named)) or ", ".join(kind for kind in bodies if kind != JSON)


def _sent(operation: Schema) -> Schema:
    bodies = operation.get("requestBody", {}).get("content", {}).values()
    return next((kind["schema"] for kind in bodies), {})


def _answered(operation: Schema) -> Schema:
    """The schema of each kind of answer that is no error."""
    good = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    return {kind: body["schema"] for answer in good for kind, body in answer.get("content", {}).items()}


def _shapes(schema: Schema) -> list[str]:
    """Every shape that requests and answers name, and that these name in turn, by its name."""
    known = schema["components"]["schemas"]
    operations = [item[method] for item in schema["paths"].values() for method in METHODS if method in item]
    waiting = [
        name for one in operations for name in _shapes_in([*_answered(one).values(), _inside(_sent(one), known)])
    ]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _shapes_in(known[name])
    return sorted(name for name in found if _is_shape(name, known))


def _inside(sent: Schema, known: Schema) -> Schema:
    """A request, without its own name if all of its fields are listed at the address."""
    shape: Schema = known.get(_name(sent), sent)
    return sent if len(shape.get("properties", {})) > MOST_FIELDS else shape


def _shapes_in(node: Any) -> list[str]:
    """The names of the schema's parts that a part of it refers to, each once."""
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    here = [_name(node)] if isinstance(node, dict) and isinstance(node.get("$ref"), str) else []
    return list(dict.fromkeys([*here, *(name for child in inner for name in _shapes_in(child))]))


def _is_shape(name: str, known: Schema) -> bool:
    return bool(known[name].get("properties"))


def _fields(shape: Schema, names: Iterable[str], known: Schema) -> str:
    """Fields with the values that they can have, if they are few, or with their one shape."""
    fields, said = shape.get("properties", {}), []
    for name in names:
        values = [str(value) for value in _values(fields[name], known) if value]
        if not 0 < len(values) <= MOST_VALUES:
            values = [inner for inner in _shapes_in(fields[name]) if _is_shape(inner, known)]
            values = values if len(values) == 1 else []
        said.append(f"`{name}`" + (f" ({', '.join(values)})" if values else ""))
    return ", ".join(said)


def _values(field: Schema, known: Schema) -> list[Any]:
    """The values that a field can have, if they are listed."""
    kinds = [field, *field.get("allOf", []), *field.get("oneOf", []), *field.get("anyOf", [])]
    return [value for kind in kinds for value in known.get(_name(kind), kind).get("enum", [])]


def _name(shape: Schema) -> str:
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
