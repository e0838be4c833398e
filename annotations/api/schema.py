"""What the OpenAPI schema says about every operation: its current address, and the errors it can return."""

import json
from functools import cache
from threading import Lock
from typing import Any

from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema as SpectacularAutoSchema
from drf_spectacular.renderers import OpenApiJsonRenderer
from rest_framework.permissions import AllowAny

from annotations.api.errors import ErrorSerializer
from annotations.api.paging import CURRENT, PARAMETERS
from annotations.api.parsing import WRITES, takes_other_keys

Schema = dict[str, Any]


class AutoSchema(SpectacularAutoSchema):
    """Documents, besides what a view declares, every error it may return instead, all of the same shape."""

    def get_override_parameters(self) -> list[Any]:
        """A paged list takes a page number and a page length."""
        declared: list[Any] = list(super().get_override_parameters())
        answer = self.get_response_serializers()
        return declared + (PARAMETERS if getattr(answer, "is_page", False) else [])

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = dict(super()._get_response_bodies(direction))
        described: Any = self._get_response_for_code  # the library does not type it
        for status in sorted(self.errors() - set(bodies)):
            bodies[status] = described(ErrorSerializer, status)
        return bodies

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> dict[str, Any]:
        """A body takes no other keys (parsing.py)."""
        described: Any = super()._map_basic_serializer  # the library does not type it
        mapped: dict[str, Any] = dict(described(serializer, direction))
        is_closed = direction == "request" and not takes_other_keys(serializer)
        return mapped | {"additionalProperties": False} if is_closed else mapped

    def errors(self) -> set[str]:
        """Errors that are always possible; 400 only if the request contains something: a body, a page, a number in the
        address.
        """
        codes = {"403", "404", "429", "503"}
        if AllowAny not in getattr(self.view, "permission_classes", ()):
            codes.add("401")
        if self.method in WRITES:
            codes |= {"400", "409", "413", "415"}
        if self.get_override_parameters() or self._is_list_view() or "{" in self.path.replace("{slug}", ""):
            codes.add("400")
        # A page says who it is acting for, and is told when somebody else has signed in since.
        codes.add("409")
        return codes


def current_version_only(endpoints: list[Any]) -> list[Any]:
    """The old addresses still work but are not described: new clients use the current ones."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith((CURRENT, "/health/"))]


_MAKING = Lock()
_MADE: list[bytes] = []


def schema_json() -> bytes:
    """The schema that `manage.py spectacular` writes, in English; made once in a process, because it takes seconds.

    By one thread at a time: the library looks its classes up anew whenever a schema is made, and a second thread would
    find that half done.
    """
    with _MAKING:
        if not _MADE:
            generator: Any = SchemaGenerator
            with translation.override("en"):
                _MADE.append(OpenApiJsonRenderer().render(generator().get_schema(request=None, public=True)))
        return _MADE[0]


@cache
def api_schema() -> Schema:
    """The same, read."""
    document: Schema = json.loads(schema_json())
    return document
