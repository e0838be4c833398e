"""How a server is called, run and set up: the pages on the API, on commands and on settings."""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.db.models import Field

from annotations.api.designing.setting_up import SettingsSerializer
from annotations.api.schema import Schema, api_schema
from annotations.designing.presets import PRESETS
from annotations.ground.errors import HLVError
from annotations.models import Study
from metaeval.training.extra import ROOMS
from tests.lab.reference.markdown import anchor, first_paragraph, table, written_by

API_HEAD = """
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
    schema = api_schema()
    schemas = schema["components"]["schemas"]
    parts = [written_by("The API", API_HEAD)]
    for tag, operations in sorted(_addresses(schema["paths"], schemas).items()):
        parts.append(f"## {tag}\n\n{table(['address', 'what', 'sends', 'answers'], operations)}\n")
    shapes = [
        (f"`{name}`", _fields_of(schemas[name], schemas[name]["properties"], schemas)) for name in _shapes(schema)
    ]
    parts.append(f"## Shapes\n{SHAPES}\n{table(['shape', 'fields'], shapes)}\n")
    rows = [(f"`{error.code}`", str(error.status), first_paragraph(error.__doc__)) for error in errors()]
    parts.append(f"## Errors\n\n{table(['code', 'status', 'when'], rows)}\n")
    return "\n".join(parts)


def _addresses(paths: Schema, schemas: Schema) -> dict[str, list[tuple[str, str, str, str]]]:
    """What each operation does, takes and answers, by its tag, as the schema says."""
    by_tag: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for address, operations in paths.items():
        for method in METHODS:
            if operation := operations.get(method):
                name = f"`{method.upper()} {address.removeprefix(PREFIX)}`"
                description = first_paragraph(operation.get("description"))
                row = (name, description, _sends(operation, schemas), _answers(operation, schemas))
                by_tag[operation["tags"][0]].append(row)
    return by_tag


def _sends(operation: Schema, schemas: Schema) -> str:
    """The fields of a request: in the address, needed, and others."""
    query = [f"`?{field['name']}`" for field in operation.get("parameters", []) if field["in"] == "query"]
    shape = _sent(operation)
    name = _shape_name(shape)
    shape = schemas.get(name, shape)
    fields = shape.get("properties", {})
    needed = [field for field in fields if field in shape.get("required", [])]
    if len(fields) > MOST_FIELDS:
        return ", ".join([*query, f"`{name}`"])
    others = _fields_of(shape, [field for field in fields if field not in needed], schemas)
    body = [_fields_of(shape, needed, schemas)] * bool(needed) + [f"[{others}]"] * bool(others)
    return ", ".join([*body, *query])


def _answers(operation: Schema, schemas: Schema) -> str:
    """The shape of the answer, or the kinds of files that it can be."""
    bodies = _answered(operation)
    named = [f"`{name}`" for body in bodies.values() for name in _shapes_in(body) if _is_shape(name, schemas)]
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
    schemas = schema["components"]["schemas"]
    operations = [item[method] for item in schema["paths"].values() for method in METHODS if method in item]
    waiting = [
        name
        for operation in operations
        for name in _shapes_in([*_answered(operation).values(), _inside(_sent(operation), schemas)])
    ]
    names: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += _shapes_in(schemas[name])
    return sorted(name for name in names if _is_shape(name, schemas))


def _inside(sent: Schema, schemas: Schema) -> Schema:
    """A request, without its own name if all of its fields are listed at the address."""
    shape: Schema = schemas.get(_shape_name(sent), sent)
    return sent if len(shape.get("properties", {})) > MOST_FIELDS else shape


def _shapes_in(node: Any) -> list[str]:
    """The names of the schema's parts that a part of it refers to, each once."""
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    here = [_shape_name(node)] if isinstance(node, dict) and isinstance(node.get("$ref"), str) else []
    return list(dict.fromkeys([*here, *(name for child in inner for name in _shapes_in(child))]))


def _is_shape(name: str, schemas: Schema) -> bool:
    return bool(schemas[name].get("properties"))


def _fields_of(shape: Schema, names: Iterable[str], schemas: Schema) -> str:
    """Fields with the values that they can have, if they are few, or with their one shape."""
    fields, texts = shape.get("properties", {}), []
    for name in names:
        values = [str(value) for value in _field_values(fields[name], schemas) if value]
        if not 0 < len(values) <= MOST_VALUES:
            values = [inner for inner in _shapes_in(fields[name]) if _is_shape(inner, schemas)]
            values = values if len(values) == 1 else []
        texts.append(f"`{name}`" + (f" ({', '.join(values)})" if values else ""))
    return ", ".join(texts)


def _field_values(field: Schema, schemas: Schema) -> list[Any]:
    """The values that a field can have, if they are listed."""
    kinds = [field, *field.get("allOf", []), *field.get("oneOf", []), *field.get("anyOf", [])]
    return [value for kind in kinds for value in schemas.get(_shape_name(kind), kind).get("enum", [])]


def _shape_name(shape: Schema) -> str:
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


APPS = ("annotations", "metaeval", "hlvstudy")
OF_EVERY_COMMAND = {
    "help", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks",
}  # fmt: skip
SHARED = "seed and output"
"""The group of options that every analysis has."""

COMMANDS_HEAD = """
`$manage` stands for `hlvstudy manage` where the package is installed, and for `.venv/bin/python manage.py` in a
checkout. `$manage COMMAND --help` prints the same. The parameters of each analysis are in
[analyses](analyses.md): `$manage analyse STUDY ANALYSIS --help`.
"""


def commands_page() -> str:
    parts = [written_by("Commands", COMMANDS_HEAD)]
    for name, app in sorted(get_commands().items()):
        if app in APPS:
            command = load_command_class(app, name)
            parts.append(_command_section(name, str(command.help), command.create_parser("manage.py", name)))
    return "\n".join(parts)


def _command_section(name: str, says: str, parser: argparse.ArgumentParser) -> str:
    rows = [(_typed(action), _help_of(action)) for action in _arguments(parser)]
    arguments = "\n" + table(["argument", "meaning"], rows) + "\n" if rows else ""
    head = f"{anchor(name)}\n## `{name}`\n\n{' '.join(says.split())}\n{arguments}"
    return "\n".join([head, *_subcommands(name, parser)])


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Its own arguments, and those that all of its subcommands share."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield action
            for group in next(iter(action.choices.values()))._action_groups:
                if group.title == SHARED:
                    yield from group._group_actions
        elif action.dest not in OF_EVERY_COMMAND and action.help != argparse.SUPPRESS:
            yield action


def _subcommands(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """The subcommands of a command (`api_token make`); those of `analyse` are with the analyses."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for way, own in action.choices.items():
                if all(group.title != SHARED for group in own._action_groups):
                    rows = [(_typed(part), _help_of(part)) for part in _arguments(own)]
                    yield f"### `{name} {way}`\n\n{table(['argument', 'meaning'], rows)}\n"


def _typed(action: argparse.Action) -> str:
    """How it is typed."""
    values = "" if action.nargs == 0 else _typed_values(action)
    typed = [f"`{option} {values}`" if values else f"`{option}`" for option in action.option_strings]
    return ", ".join(typed) or f"`{values}`"


def _typed_values(action: argparse.Action) -> str:
    if isinstance(action, argparse._SubParsersAction):
        return str(action.metavar or "|".join(action.choices))
    if action.choices is not None and action.metavar is None:
        name = "|".join(map(str, action.choices))
    else:
        name = str(action.metavar or action.dest.upper().replace("_", "-"))
    if action.nargs in ("+", "*"):
        return f"{name}..." if action.nargs == "+" else f"[{name}...]"
    return f"[{name}]" if action.nargs == "?" else name


def _help_of(action: argparse.Action) -> str:
    words = str(action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
    return words.replace(os.getcwd() + os.sep, "")


MARK = "#: "
"""Comments that begin with this describe the variables that the next statement reads."""
READ = re.compile(r"#: `([A-Z_]+)`(?: \(([^)]*(?:\([^)]*\)[^)]*)*)\))?: ")

SETTINGS_HEAD = """
[What differs between machines](#the-settings-of-a-server), and [what each study decides](#the-settings-of-a-study).

## The settings of a server

Everything that differs between machines comes from the environment, or from lines `NAME=value` in a file `.env` beside
`manage.py`. [Deploying](../deploy.md) says which of them a server needs.
"""

OF_A_STUDY = """
## The settings of a study

The *Design* tab sets them step by step; the API takes them by these names (`PATCH studies/SLUG/`). The defaults are
those of the preset `safe`. [Running a study](../studies.md) explains what they do.
"""


def settings_page() -> str:
    head = written_by("Settings", SETTINGS_HEAD)
    server = table(["variable", "default", "meaning"], [(f"`{name}`", *more) for name, *more in described()])
    study = table(["setting", "default", "meaning"], [(f"`{name}`", *more) for name, *more in settings_of_a_study()])
    return f"{head}\n{server}\n{OF_A_STUDY}\n{study}\n"


def settings_of_a_study() -> list[tuple[str, str, str]]:
    """Name, default and meaning of each setting, as the API says it or, where it does not, the database."""
    safe, rows = PRESETS["safe"].settings, []
    for name, field in SettingsSerializer().fields.items():
        stored = cast("Field[Any, Any]", Study._meta.get_field(name))
        default = safe.get(name, stored.get_default())
        choices = "; ".join(f"`{value}`: {label}" for value, label in stored.choices or ())
        says = " ".join([str(field.help_text or stored.help_text)] + [f"{choices}."] * bool(choices))
        rows.append((name, "" if default in (None, "", []) else f"`{default}`", says))
    return rows


def described() -> list[tuple[str, str, str]]:
    """Name, default and meaning of each variable, in the order of the file."""
    variables: list[tuple[str, str, list[str]]] = []
    for line in source().splitlines():
        text = line.strip()
        begun = READ.match(text)
        if begun:
            variables.append((begun[1], begun[2] or "none", [text[begun.end() :]]))
        elif text.startswith(MARK) and variables:
            variables[-1][2].append(text.removeprefix(MARK))
    return [(name, default, " ".join(words)) for name, default, words in variables]


def variables_read() -> set[str]:
    """The names that settings.py reads from the environment."""
    calls = [node for node in ast.walk(ast.parse(source())) if isinstance(node, ast.Call)]
    reads = [call for call in calls if re.fullmatch(r"env(\.\w+)?", ast.unparse(call.func)) and call.args]
    names = {str(call.args[0].value) for call in reads if isinstance(call.args[0], ast.Constant)}
    return names | {"DATABASE_URL"}  # `env.db` reads it by itself


def source() -> str:
    return (Path(settings.BASE_DIR) / "hlvstudy" / "settings.py").read_text(encoding="utf-8")
