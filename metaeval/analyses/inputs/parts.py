"""The parts of results: typed, convertible to plain JSON, with null for undefined numbers.

A result's parts are declared once, as models: computing fills them in, tables and figures read them, and the API's
schema and the pages' types are generated from them. Stored results are read back with the same declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, Self, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from metaeval.stats.results import Statistic, plain

Json = dict[str, Any]
"""A JSON object as stored or sent; the model that reads it knows its content."""

Number = float | None
"""A number; None means undefined. NaN and infinities become None."""


STORED_NAMES = {"pvalue": "p_value", "confidence_level": "level", "n_resamples": "resamples", "tested": "statistic"}
"""The library's names are SciPy's; stored results have kept theirs from the first version on."""


IS_JSON = {"is_json": True}
"""Context of a validation: the content is JSON already, so that no part need look through all that is below it."""


class LibraryResult(Protocol):
    """A result of the numeric library."""

    def to_dict(self) -> Mapping[str, object]: ...


class Part(BaseModel):
    """A part of a result. NumPy's values become Python's, and NaN becomes None, at any depth."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, json_schema_serialization_defaults_required=True
    )

    @model_validator(mode="before")
    @classmethod
    def _as_json_can_carry_it(cls, content: object, info: ValidationInfo) -> object:
        return plain(content) if isinstance(content, dict) and info.context is not IS_JSON else content

    @classmethod
    def from_json(cls, content: Mapping[str, object]) -> Self:
        """From a stored part, or one that is about to be stored."""
        return cls.model_validate(content, context=IS_JSON)

    @classmethod
    def from_found(cls, result: LibraryResult, **more: object) -> Self:
        """From a result of the numeric library, with further or replaced fields."""
        return cls.model_validate({**as_stored(result), **more})

    def plain(self) -> Json:
        """As plain JSON."""
        return self.model_dump(mode="json", by_alias=True)


def as_stored(result: LibraryResult) -> Json:
    """A result of the numeric library, under the names that stored results have.

    >>> from metaeval.stats import wilcoxon
    >>> as_stored(wilcoxon([1, 2, 3, 4]))["p_value"]
    0.125
    """
    if not isinstance(result, Statistic):
        return dict(result.to_dict())
    return {
        STORED_NAMES.get(name, name): _value_as_stored(getattr(result, name)) for name in result.__dataclass_fields__
    }


def _value_as_stored(value: object) -> object:
    if isinstance(value, Statistic):
        return as_stored(value)
    return [_value_as_stored(item) for item in value] if isinstance(value, (list, tuple)) else plain(value)


class Sparse(Part):
    """A part whose JSON has only the fields that were set."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    @model_serializer(mode="wrap")
    def _set_fields(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        content: dict[str, object] = handler(self)
        return {key: value for key, value in content.items() if key in self.model_fields_set}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The fields; those with a default may be missing, since a field that is not set is left out."""
        described: dict[str, object] = {key: part for key, part in core_schema.items() if key != "serialization"}
        schema = handler(cast(CoreSchema, described))  # pydantic cannot describe what a custom serializer returns
        for field in handler.resolve_ref_schema(schema)["properties"].values():
            field.pop("default", None)  # generators of types assume that a field with a default is always there
        return schema


class Exclusion(Sparse):
    """What was left out, how much of it, and why; further fields say from what."""

    what: str
    count: int
    reason: str = Field(min_length=1)
    system: str | None = None
    metric: str | None = None
    machine: str | None = None
    of: str | None = None
    dataset: str | None = None
    task: str | None = None


class StatedDataset(Sparse):
    """One of the datasets that a result is about."""

    kind: Literal["dataset"]
    slug: str
    title: str
    dataset: str | None = None
    task: str | None = None


class Stated(Sparse):
    """What the result is about; which fields there are depends on its kind."""

    kind: Literal["study", "dataset", "votes", "datasets", "nothing"]
    slug: str | None
    title: str
    dataset: str | None = None
    task: str | None = None
    compares: str | None = None
    state: str | None = None
    datasets: list[StatedDataset] | None = None
