"""Parameters, declared once: the API's validation, the command's options and the page's form come from the model.

A parameter whose possible values depend on the subject names their source:

    metrics: MetricNames = Field(default=[], title="Metrics", description="...", json_schema_extra=choices("metrics"))

`narrowed` then writes the values of one study or dataset into the schema, and the page offers them as choices.

Plans, runs and bundles of earlier versions hold parameters of earlier versions. A parameter that is added later, or
whose values are renamed, says so where it is declared:

    exchangeable: Annotated[Exchangeable | None, Absent("systems")] = Field(default=None, ...)
    instances: Annotated[Literal["all", "judged"], Renamed({"shown": "judged"})] = Field(default="all", ...)

So today's default may improve, while a plan that was stamped without the parameter keeps its meaning.

A list that means "everything" when empty names the part of the result that says what everything was:

    metrics: Annotated[MetricNames, AllThereWas("metrics")] = Field(default=[], ...)

So a result can be reproduced although there are more metrics today, or a plug-in adds some.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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

ZeroDivision = Literal["1", "0", "undefined"]
"""What 0/0 counts as."""
ZERO_DIVISION: dict[ZeroDivision, float] = {"1": 1.0, "0": 0.0, "undefined": float("nan")}


def _in_one_line(schema: Json) -> None:
    """Descriptions as the page, the command and the catalogues have them: docstrings without their line breaks."""
    for field in schema.get("properties", {}).values():
        if "description" in field:
            field["description"] = " ".join(field["description"].split())


class Parameters(BaseModel):
    """Base of every analysis's parameters. Types are plain: numbers with bounds, strings, `Literal`, bool, lists of
    these, and any of these `| None`. Every field has a default, a title and a description: the docstring below it, or
    `description=`."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, json_schema_extra=_in_one_line
    )


class StudyParameters(Parameters):
    """Base of the parameters of an analysis that can read a study's responses."""

    include_pilot: bool = Field(default=False, title="Include the pilot")
    """Count the responses of the pilot too (studies only)."""


Level = Annotated[float, Field(ge=0.5, le=0.999, title="Level", description="The confidence level of the intervals.")]
ResamplesOfItems = Annotated[
    int, Field(ge=100, le=100_000, title="Resamples", description="How many bootstrap samples of the items are drawn.")
]


def choices(source: Source) -> dict[str, JsonValue]:
    """`json_schema_extra` of a parameter whose values are the subject's own."""
    return {CHOICES: source}


def _registered(names: list[str]) -> list[str]:
    for name in names:
        try:
            metrics.get(name)
        except LookupError as error:
            raise ValueError(str(error.args[0])) from error
    return list(dict.fromkeys(names))


MetricNames = Annotated[list[str], AfterValidator(_registered)]
"""Names of registered metrics, without duplicates."""


def narrowed(schema: Json, options: Options) -> Json:
    """The JSON Schema with the subject's own values as choices. If the subject has none, the field stays free."""
    schema = copy.deepcopy(schema)
    for field in schema.get("properties", {}).values():
        source = field.pop(CHOICES, None)
        values = options(source) if source else []
        if values:
            holder = values_of(field)
            holder["enum"] = [value for value, _ in values]
            holder[TITLES] = [title for _, title in values]
    return schema


def values_of(field: Json) -> Json:
    """The part of a parameter's schema that describes one value."""
    if "anyOf" in field:
        field = next(part for part in field["anyOf"] if part.get("type") != "null")
    return field["items"] if field.get("type") == "array" else field


@dataclass(frozen=True)
class Absent:
    """For a parameter that was added later: the value used by everything stored without it."""

    means: JsonValue


@dataclass(frozen=True, eq=False)
class Renamed:
    """For a parameter whose values were renamed: old name -> new name. A dropped name must not be used for another
    value."""

    names: Mapping[str, JsonValue]


@dataclass(frozen=True)
class AllThereWas:
    """For a list that means "everything" when empty: the key of the result whose entries' names say what it was."""

    key: str


def held(declared: type[BaseModel], parameters: Mapping[str, object], result: Mapping[str, object]) -> Json:
    """Parameters of a stored result, with what an empty list meant when it was computed.

    >>> from typing import Annotated
    >>> from pydantic import create_model
    >>> Example = create_model("Example", metrics=(Annotated[list[str], AllThereWas("metrics")], []))
    >>> held(Example, {"metrics": []}, {"metrics": [{"name": "tvd"}, {"name": "po_jsd"}]})
    {'metrics': ['tvd', 'po_jsd']}
    >>> held(Example, {"metrics": ["tvd"]}, {"metrics": [{"name": "tvd"}]})
    {'metrics': ['tvd']}
    """
    meaning = dict(parameters)
    for name, field in declared.model_fields.items():
        for entry in field.metadata:
            entries = result.get(entry.key) if isinstance(entry, AllThereWas) and not meaning.get(name) else None
            if isinstance(entries, list):
                meaning[name] = [part["name"] for part in entries]
    return meaning


def recalled(declared: type[BaseModel], stored: Mapping[str, object]) -> Json:
    """Stored parameters in today's terms, with the meaning of those that are missing.

    >>> from typing import Annotated
    >>> from pydantic import create_model
    >>> unit = Annotated[str, Absent("systems")], "methods"
    >>> Example = create_model("Example", unit=unit, on=(Annotated[str, Renamed({"shown": "judged"})], "all"))
    >>> recalled(Example, {"on": "shown"})
    {'on': 'judged', 'unit': 'systems'}
    >>> recalled(Example, {"on": "all", "unit": "methods"})
    {'on': 'all', 'unit': 'methods'}
    """
    meaning = dict(stored)
    for name, field in declared.model_fields.items():
        for entry in field.metadata:
            if isinstance(entry, Absent) and name not in meaning:
                meaning[name] = entry.means
            elif isinstance(entry, Renamed) and isinstance(value := meaning.get(name), str):
                meaning[name] = entry.names.get(value, value)
    return meaning
