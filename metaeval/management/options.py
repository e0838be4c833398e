"""Command-line options made from an analysis's parameter model, so that nothing is declared twice."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.analyses.registry import Parameters

_TYPES: dict[str, type] = {"integer": int, "number": float, "string": str}


def add_options(parser: argparse.ArgumentParser, parameters: type[Parameters]) -> None:
    """One option a parameter: its type, choices, default and help. Bounds are checked by the model itself."""
    for name, schema in parameters.model_json_schema()["properties"].items():
        options: dict[str, Any] = {"dest": name, "default": argparse.SUPPRESS, "help": _help(schema)}
        if schema["type"] == "boolean":
            options["action"] = argparse.BooleanOptionalAction
        elif schema["type"] == "array":
            items = schema["items"]
            options |= {"nargs": "+", "type": _TYPES[items["type"]], "choices": items.get("enum")}
        else:
            options |= {"type": _TYPES[schema["type"]], "choices": schema.get("enum")}
        parser.add_argument(f"--{name.replace('_', '-')}", **options)


def given(options: dict[str, Any], parameters: type[Parameters]) -> dict[str, Any]:
    """What the caller set, of the parameters."""
    return {name: options[name] for name in parameters.model_fields if name in options}


def _help(schema: dict[str, Any]) -> str:
    default = schema["default"]
    words = " ".join(map(str, default)) if isinstance(default, list) else str(default)
    bounds = [f"{word} {schema[key]:,}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in schema]
    notes = "; ".join(part for part in (" ".join(bounds), f"default: {words}" if words else "") if part)
    text = f"{schema['description']} ({notes})" if notes else str(schema["description"])
    return text.replace("%", "%%")
