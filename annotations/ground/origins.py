"""Where what happens now comes from: the request's number and the client's address, for logs, events and jobs."""

import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass

NUMBER = re.compile(r"[A-Za-z0-9._-]{8,64}")


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
