"""What is taken out of a request before Django reads it, and out of an answer before a server sends it.

Django reads some headers before any middleware or view, and there an error would be a 500 with a traceback. And it
answers HEAD with what GET would get, body and all: whoever reads the connection next would take that for their answer.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

BOUNDARY = re.compile(
    r'boundary="?([0-9A-Za-z\'()+_,./:=?-][0-9A-Za-z\'()+_,./:=? -]{0,69})"?(?:;|\s*$)', re.IGNORECASE
)
TYPE = re.compile(r"\s*([\w.+-]+/[\w.+-]+)", re.ASCII)
MOST_COOKIES = 16 * 1024

NO_BODY = re.compile(r"1\d\d|204|304")
"""Statuses whose answers end with their header (RFC 9110, 6.4.1)."""
OF_A_BODY = {"content-length", "transfer-encoding"}

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def bounded(environ: dict[str, Any]) -> dict[str, Any]:
    """The request's variables without what could not be read.

    Content types keep their boundary only: everything is UTF-8, and a charset that is no encoding of texts (such as
    zlib) would stop Django. Cookies with a backslash are left out: `\\000` would become a character that PostgreSQL
    refuses, and no cookie of ours has one.

    >>> bounded({"CONTENT_TYPE": "text/csv; charset=zlib; boundary=ab", "HTTP_COOKIE": 'a="\\\\000"; b=2'})
    {'CONTENT_TYPE': 'text/csv; boundary=ab', 'HTTP_COOKIE': 'b=2'}
    """
    content_type = str(environ.get("CONTENT_TYPE") or "")[:1000]
    if content_type:
        kind, boundary = TYPE.match(content_type), BOUNDARY.search(content_type)
        named = kind[1] if kind else "application/octet-stream"
        environ["CONTENT_TYPE"] = f"{named}; boundary={boundary[1]}" if boundary else named
    cookies = environ.get("HTTP_COOKIE", "")
    if len(cookies) > MOST_COOKIES:
        environ["HTTP_COOKIE"] = ""
    elif "\\" in cookies or "\x00" in cookies:
        cookies_allowed = (
            cookie.strip() for cookie in cookies.split(";") if "\\" not in cookie and "\x00" not in cookie
        )
        environ["HTTP_COOKIE"] = "; ".join(cookies_allowed)
    return environ


def within_bounds(application: Application) -> Application:
    """The same application, for requests of strangers."""

    def bounded_application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        return application(bounded(environ), start_response)

    return bounded_application


def without_needless_bodies(application: Application) -> Application:
    """The same application, without a body where none may follow the header. The body is closed all the same.

    The application starts its answer before it returns it, as Django does. Answers to HEAD keep the length that GET
    would get.
    """

    def answering(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        sends_body = environ["REQUEST_METHOD"] != "HEAD"

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            nonlocal sends_body
            if NO_BODY.match(status):
                sends_body = False
                headers = [(name, value) for name, value in headers if name.lower() not in OF_A_BODY]
            return start_response(status, headers, *error)

        body = application(environ, start)
        if sends_body:
            return body
        if close := getattr(body, "close", None):
            close()
        return []

    return answering
