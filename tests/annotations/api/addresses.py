"""Every address that the server has.

What is at /api/v1/ is at /api/, too, as it was before there were versions: the same views, which
test_lists.py holds. So each of them is asked once, where it is now.
"""

import re
import uuid
from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver

ENDS_THE_SESSION = ("/api/v1/account/sign-out/", "/api/v1/account/break-in/", "/api/v1/account/close/")


def every_address() -> list[str]:
    """Each route of the server, with this study's values in the places of its parameters.

    What ends the session comes last: all after it would be asked by nobody.
    """
    return sorted(_every_route(), key=lambda address: address in ENDS_THE_SESSION)


def _every_route() -> Iterator[str]:

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for pattern in patterns:
            here = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, here)
            else:
                yield here

    for route in walk(get_resolver().url_patterns, ""):
        if "^" in route or "(" in route:
            continue  # what answers every other address: asked below
        if route.startswith("api/") and not route.startswith("api/v1/"):
            continue
        yield "/" + re.sub(r"<(?:(\w+):)?(\w+)>", _filled, route)
    yield from ("/", "/studies/the-study", "/api/nothing/", "/api/studies/nothing/", "/static/nothing", "/admin/")


def _filled(parameter: re.Match[str]) -> str:
    kind, name = parameter.groups()
    values = {"slug": "the-study", "uuid": str(uuid.UUID(int=1)), "int": "1"}
    return "tidy" if name in {"name", "format_name"} else values.get(kind, "the-study")
