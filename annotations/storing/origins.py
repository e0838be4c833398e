"""Where what happens comes from: the request's number and the client's address, for logs, events, jobs and limits.

The client's address is the one that the nearest proxy which is not ours saw.
"""

import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

NUMBER = re.compile(r"[A-Za-z0-9._-]{8,64}")
MOST_HOPS = 20
UNIX = "unix"


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """A request, or the job that it began."""

    number: str
    client: str = ""


current: ContextVar[RequestOrigin | None] = ContextVar("current", default=None)


def number_of(given: str) -> str:
    """The request's number as given by a proxy or a script, if it is one; otherwise a new one.

    >>> number_of("abc-123.x_y"), len(number_of("a\\nb" * 9)), len(number_of("x" * 65))
    ('abc-123.x_y', 22, 22)
    """
    return given if NUMBER.fullmatch(given) else secrets.token_urlsafe(16)


def client_address(request: HttpRequest) -> str:
    """The client's address: `X-Forwarded-For` read from its right end, only as far as trusted proxies wrote it.

    What stands further left may have been sent by the client, who can write anything there.
    """
    nearest: str = request.META.get("REMOTE_ADDR", "")
    if not is_trusted(nearest):
        return nearest
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "")[-2000:].split(",")
    for hop in hops[: -MOST_HOPS - 1 : -1]:
        address = _read(hop)
        if address is None:
            break  # a trusted proxy does not write this
        nearest = str(address)
        if not is_trusted(nearest):
            break
    return nearest


def is_trusted(address: str) -> bool:
    """Whether a proxy of ours is there (TRUSTED_PROXIES); gunicorn on a socket of the machine sees no address."""
    if address == "":
        return UNIX in settings.TRUSTED_PROXIES
    client = _read(address)
    return client is not None and any(
        client in ip_network(proxy) for proxy in settings.TRUSTED_PROXIES if proxy != UNIX
    )


def _read(hop: str) -> IPv4Address | IPv6Address | None:
    text = hop.strip().partition("%")[0]
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]  # with a port
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


def trusted_proxies(listed: list[str], *, behind_proxy: bool) -> list[str]:
    """The setting, checked. A proxy on the machine itself is what BEHIND_PROXY alone means.

    >>> trusted_proxies(["10.0.0.0/8", "unix"], behind_proxy=False), trusted_proxies([], behind_proxy=False)
    (['10.0.0.0/8', 'unix'], [])
    """
    for peer in listed:
        try:
            if peer != UNIX:
                ip_network(peer)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"TRUSTED_PROXIES names {peer!r}, which is no network. Give addresses or networks separated by commas, "
                "for example 127.0.0.1,10.0.0.0/8, or unix for a proxy that comes through a socket."
            ) from error
    return listed or (["127.0.0.0/8", "::1/128", UNIX] if behind_proxy else [])
