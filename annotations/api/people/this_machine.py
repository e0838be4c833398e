"""Whether a request comes from this very machine, and to a demo: only then is a role given away without a password."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

OWN_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
# What a proxy, a tunnel or a load balancer adds: then the request comes from somewhere else, whatever the connection
# says.
PASSED_ON = ("HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP", "HTTP_CF_CONNECTING_IP", "HTTP_TRUE_CLIENT_IP")


def is_demo_here(request: HttpRequest) -> bool:
    """Whether this server is a demo, asked from the machine that it runs on, by an address of that machine.

    The name that was asked for counts too: a page elsewhere can have its own name lead to 127.0.0.1 (DNS rebinding).
    """
    return bool(settings.HLV_DEMO) and _connects_from_here(request) and _asks_for_here(request)


def is_from_own_page(request: HttpRequest) -> bool:
    """Whether a page of this server sends it. Every browser says from where it writes; who does not is no page."""
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
