"""Parameters, declared once: the API's validation, the command's options and the page's form come from the model.

A parameter whose possible values depend on the subject names their source:

    metrics: MetricNames = Field(default=[], title="Metrics", description="...", json_schema_extra=choices("metrics"))

`narrowed` then writes the values of one study or dataset into the schema, and the page offers them as choices.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from metaeval import metrics
from metaeval.analyses.inputs.parts import Json

Source = Literal["metrics", "labels", "systems", "models", "methods", "judges"]
"""Where the choices of a parameter come from."""

Option = tuple[str, str]
"""A value, and its name on the page."""

Options = Callable[[Source], Sequence[Option]]
"""Returns the options of a study or dataset."""

CHOICES, TITLES = "x-choices", "x-titles"


class Parameters(BaseModel):
    """Base of every analysis's parameters. Types are plain: numbers with bounds, strings, `Literal`, bool, lists of
    these, and any of these `| None`. Every field has a default, a title and a description."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class StudyParameters(Parameters):
    """Base of the parameters of an analysis that can read a study's responses."""

    include_pilot: bool = Field(
        default=False, title="Include the pilot", description="Count the responses of the pilot too (studies only)."
    )


def choices(source: Source) -> dict[str, JsonValue]:
    """`json_schema_extra` of a parameter whose values are the subject's own."""
    return {CHOICES: source}


def _known(names: list[str]) -> list[str]:
    for name in names:
        try:
            metrics.get(name)
        except LookupError as error:
            raise ValueError(str(error.args[0])) from error
    return list(dict.fromkeys(names))


MetricNames = Annotated[list[str], AfterValidator(_known)]
"""Names of registered metrics, without duplicates."""


def narrowed(schema: Json, options: Options) -> Json:
    """The JSON Schema with the subject's own values as choices. If the subject has none, the field stays free."""
    answer = copy.deepcopy(schema)
    for field in answer.get("properties", {}).values():
        source = field.pop(CHOICES, None)
        found = options(source) if source else []
        if found:
            holder = values_of(field)
            holder["enum"] = [value for value, _ in found]
            holder[TITLES] = [title for _, title in found]
    return answer


def values_of(field: Json) -> Json:
    """The part of a parameter's schema that describes one value."""
    if "anyOf" in field:
        field = next(part for part in field["anyOf"] if part.get("type") != "null")
    return field["items"] if field.get("type") == "array" else field
