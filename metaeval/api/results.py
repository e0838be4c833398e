"""Results on the wire: stored JSON as it is, in the schema as the types that the analyses declare."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction
from rest_framework import serializers

from metaeval.analyses.base.registry import analyses

REFERENCE = "#/components/schemas/{model}"


class ResultField(serializers.JSONField):
    """The result of any analysis; `analysis` says of which."""


class ResultFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # the library has no types
    """Writes the declared result of every analysis, and its parts, into the schema."""

    target_class = "metaeval.api.results.ResultField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        names = {}
        for entry in analyses:
            if entry.result is None:
                continue
            schema = entry.result.model_json_schema(ref_template=REFERENCE, mode="serialization")
            parts = schema.pop("$defs", {})
            for name, part in {**parts, entry.result.__name__: schema}.items():
                self._declare(auto_schema, name, part)
            names[entry.name] = REFERENCE.format(model=entry.result.__name__)
        return {
            "oneOf": [{"$ref": name} for name in names.values()],
            "discriminator": {"propertyName": "analysis", "mapping": names},
        }

    def _declare(self, auto_schema: AutoSchema, name: str, schema: dict[str, Any]) -> None:
        component = ResolvedComponent(  # type: ignore[no-untyped-call]  # as above
            name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=name
        )
        auto_schema.registry.register_on_missing(component)
