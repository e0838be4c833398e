"""Headers for every response."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from annotations.storing import origins
from annotations.storing.origins import client_address, is_trusted

FORWARDED = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PORT")


class ForwardedMiddleware:
    """Forgets what a client says about a proxy, where the trusted ones are named and it is none of them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.ONLY_TRUSTED_PROXIES and not is_trusted(request.META.get("REMOTE_ADDR", "")):
            for name in FORWARDED:
                request.META.pop(name, None)
        return self.get_response(request)


FEATURES = (
    "accelerometer autoplay bluetooth browsing-topics camera clipboard-read display-capture encrypted-media fullscreen "
    "gamepad geolocation gyroscope hid idle-detection local-fonts magnetometer microphone midi payment "
    "picture-in-picture screen-wake-lock serial sync-xhr usb web-share xr-spatial-tracking"
)
PERMISSIONS = ", ".join(f"{feature}=()" for feature in FEATURES.split())
"""What browsers can do and no page of ours needs. Passkeys (publickey-credentials-*) stay ours."""


class OriginMiddleware:
    """Gives each request its number (`X-Request-ID`: a given one if it is one), which logs, jobs and the answer name;
    and answers the headers that shut out other sites and what no page needs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        number = origins.number_of(request.headers.get("X-Request-ID", ""))
        request.origin = origins.RequestOrigin(number, client_address(request))  # type: ignore[attr-defined]  # for signals
        token = origins.current.set(request.origin)  # type: ignore[attr-defined]  # as above
        try:
            response = self.get_response(request)
        finally:
            origins.current.reset(token)
        response["X-Request-ID"] = number
        if response.headers.get("Content-Type", "").startswith("text/html"):  # 600 bytes, which only documents obey
            response.setdefault("Permissions-Policy", PERMISSIONS)
        response.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response


DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""For responses that are data: a browser that is made to show one as a page loads and runs nothing from it."""


class PolicyMiddleware(CSPMiddleware):
    """django-csp for pages. Data gets a policy that is stricter and always the same, so nothing is put together."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.headers.get("Content-Type") == "application/json":
            response.headers[HEADER] = DATA_POLICY
            return response
        return super().process_response(request, response)


class NoStoreMiddleware:
    """Keeps the API's responses and the page's shell out of all caches, because they contain texts and answers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not request.path.startswith("/static/"):
            response["Cache-Control"] = "no-store"
            del response["Expires"]  # meant for caches, which must not keep anything
        return response
