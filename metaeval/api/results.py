"""Results as sent: the stored JSON unchanged, described in the schema by the types that the analyses declare."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework import serializers

from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.parts import Json

REFERENCE = "#/components/schemas/{model}"


class ResultField(serializers.JSONField):
    """The result of any analysis; `analysis` says which."""


class ResultFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # the library has no types
    """Says in the schema that the field is one of the declared results."""

    target_class = "metaeval.api.results.ResultField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Json:
        names = {entry.name: REFERENCE.format(model=entry.result.__name__) for entry in analyses}
        return {
            "oneOf": [{"$ref": name} for name in names.values()],
            "discriminator": {"propertyName": "analysis", "mapping": names},
        }


def with_results(result: Json, generator: Any, request: Any, public: bool) -> Json:
    """Write the declared result of every analysis, and its parts, into the schema (a hook of drf-spectacular).

    It runs after the hook that names sets of choices, so that those in results stay where they are declared.
    """
    components = result["components"]["schemas"]
    for entry in analyses:
        schema = entry.result.model_json_schema(ref_template=REFERENCE, mode="serialization")
        declared = {**schema.pop("$defs", {}), entry.result.__name__: schema}
        for name, part in declared.items():
            if components.setdefault(name, part) != part:
                raise ValueError(f"the schema has two parts called {name}")
    result["components"]["schemas"] = dict(sorted(components.items()))
    return result
