"""Command-line options made from an analysis's parameter model, so that nothing is declared twice."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.analyses.base.parameters import Parameters

_TYPES: dict[str, type] = {"integer": int, "number": float, "string": str}


def add_options(parser: argparse.ArgumentParser, parameters: type[Parameters]) -> None:
    """One option per parameter: its type, choices, default and help. Bounds are checked by the model itself."""
    for name, schema in parameters.model_json_schema()["properties"].items():
        options: dict[str, Any] = {"dest": name, "default": argparse.SUPPRESS, "help": _help(schema)}
        value = _without_null(schema)
        if value["type"] == "boolean":
            options["action"] = argparse.BooleanOptionalAction
        elif value["type"] == "array":
            items = value["items"]
            options |= {"nargs": "+", "type": _TYPES[items["type"]], "choices": items.get("enum")}
        else:
            options |= {"type": _TYPES[value["type"]], "choices": value.get("enum")}
        parser.add_argument(f"--{name.replace('_', '-')}", **options)


def given(options: dict[str, Any], parameters: type[Parameters]) -> dict[str, Any]:
    """The parameters that the caller set."""
    return {name: options[name] for name in parameters.model_fields if name in options}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a value that may also be null."""
    return next((part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"), schema)


def _help(schema: dict[str, Any]) -> str:
    default = schema["default"]
    values = default if isinstance(default, list) else [] if default is None else [default]
    words = " ".join(map(str, values))
    value = _without_null(schema)
    bounds = [f"{word} {value[key]:,}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in value]
    notes = "; ".join(part for part in (" ".join(bounds), f"default: {words}" if words else "") if part)
    text = f"{schema['description']} ({notes})" if notes else str(schema["description"])
    return text.replace("%", "%%")
