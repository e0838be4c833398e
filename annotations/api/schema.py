"""What the OpenAPI schema says of every operation: the current version's address, and the errors it can answer."""

from typing import Any

from drf_spectacular.openapi import AutoSchema as SpectacularAutoSchema
from rest_framework.permissions import AllowAny

from annotations.api.errors import ErrorSerializer
from annotations.api.paging import CURRENT, PARAMETERS

WRITES = {"POST", "PUT", "PATCH", "DELETE"}


class AutoSchema(SpectacularAutoSchema):
    """Documents, beside what a view declares, every error that may come in its stead, all of one shape."""

    def get_override_parameters(self) -> list[Any]:
        """A paged list can be asked for another page, and for longer ones."""
        declared: list[Any] = list(super().get_override_parameters())
        answer = self.get_response_serializers()
        return declared + (PARAMETERS if getattr(answer, "is_page", False) else [])

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = dict(super()._get_response_bodies(direction))
        described: Any = self._get_response_for_code  # the library does not type it
        for status in sorted(self.errors() - set(bodies)):
            bodies[status] = described(ErrorSerializer, status)
        return bodies

    def errors(self) -> set[str]:
        """Those that may always come; 400 where something is sent: a body, a list's page, an address's number."""
        codes = {"403", "404", "429", "503"}
        if AllowAny not in getattr(self.view, "permission_classes", ()):
            codes.add("401")
        if self.method in WRITES:
            codes |= {"400", "409", "413", "415"}
        if self.get_override_parameters() or self._is_list_view() or "{" in self.path.replace("{slug}", ""):
            codes.add("400")
        # A page says for whom it asks, and is told when somebody else has signed in since.
        codes.add("409")
        return codes


def current_version_only(endpoints: list[Any]) -> list[Any]:
    """The old addresses are kept and not described: who writes something new uses the current ones."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith((CURRENT, "/health/"))]
