"""The site that passkeys belong to: where browsers allow them, and what they sign."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

STANDARD_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Site:
    """As WebAuthn names it."""

    domain: str
    origin: str


def site_of(public_url: str) -> Site | None:
    """The site of this address; None where browsers allow no passkeys: without HTTPS, or without a name.

    >>> site_of("https://study.example.org:443/")
    Site(domain='study.example.org', origin='https://study.example.org')
    >>> site_of("http://localhost:8000").origin
    'http://localhost:8000'
    >>> site_of("https://192.0.2.7"), site_of("http://study.example.org")
    (None, None)
    """
    parts = urlsplit(public_url)
    try:
        domain = (parts.hostname or "").encode("idna").decode()
    except UnicodeError:
        return None
    is_local = domain == "localhost" or domain.endswith(".localhost")
    if not domain or _is_number(domain) or not (parts.scheme == "https" or is_local):
        return None
    port = "" if parts.port in (None, STANDARD_PORTS.get(parts.scheme)) else f":{parts.port}"
    return Site(domain, f"{parts.scheme}://{domain}{port}")


def _is_number(domain: str) -> bool:
    try:
        ip_address(domain)
    except ValueError:
        return False
    return True
