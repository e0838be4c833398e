"""Command-line options made from an analysis's parameters, and what a command is about, as rows of the database."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from annotations.management.console import SHOWN, dataset_of
from annotations.models import Study
from metaeval.analyses.base.parameters import Parameters
from metaeval.analyses.base.registry import Analysis
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import has_votes


def chosen_subject(entry: Analysis, *, study: str | None, datasets: Sequence[str]) -> Subject:
    """The study, the dataset (or its votes), the datasets, or nothing, by what was given and what the analysis
    supports.

    A single dataset is taken as one, unless the analysis is only about several.
    """
    if study is not None and datasets:
        raise CommandError("Give a study or --dataset, not both.")
    if study is not None:
        return Subject.of_study(_study(study))
    chosen = [dataset_of(slug) for slug in datasets]
    if not chosen:
        if SubjectKind.NOTHING in entry.subjects:
            return Subject.nothing()
        raise CommandError(f"{entry.name} needs something to be about: {', '.join(entry.subjects)}.")
    if len(chosen) > 1 or not {SubjectKind.DATASET, SubjectKind.VOTES} & set(entry.subjects):
        return Subject.of_datasets(chosen)
    return Subject.of_dataset(chosen[0], kind=SubjectKind.VOTES if has_votes(chosen[0]) else SubjectKind.DATASET)


def _study(slug: str) -> Study:
    try:
        return Study.objects.select_related("dataset").get(slug=slug)
    except Study.DoesNotExist:
        slugs = ", ".join(Study.objects.values_list("slug", flat=True)[:SHOWN]) or "none yet"
        raise CommandError(f"There is no study {slug!r}. Studies: {slugs}.") from None


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
