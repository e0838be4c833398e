"""Whether a request comes from this very machine and goes to a demo: only then is a role given without a password."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

OWN_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
# Headers that a proxy, a tunnel or a load balancer adds: the request then comes from elsewhere, whatever the
# connection says.
PASSED_ON = ("HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP", "HTTP_CF_CONNECTING_IP", "HTTP_TRUE_CLIENT_IP")


def is_demo_here(request: HttpRequest) -> bool:
    """Whether this server is a demo and the request comes from its own machine, at one of that machine's addresses.

    The requested host name matters too: a page elsewhere can point its own name at 127.0.0.1 (DNS rebinding).
    """
    return bool(settings.HLV_DEMO) and _connects_from_here(request) and _asks_for_here(request)


def is_from_own_page(request: HttpRequest) -> bool:
    """Whether it was sent by a page of this server. Every browser sends its origin when it writes."""
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}" and request.headers.get(
        "Sec-Fetch-Site", "same-origin"
    ) in {"same-origin", "none"}


def _connects_from_here(request: HttpRequest) -> bool:
    if any(name in PASSED_ON or name.startswith("HTTP_X_FORWARDED") for name in request.META):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def _asks_for_here(request: HttpRequest) -> bool:
    try:
        return urlsplit(f"//{request.META.get('HTTP_HOST', '')}").hostname in OWN_NAMES
    except ValueError:
        return False
