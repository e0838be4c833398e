"""A browser whose requests reach Django as they do through gunicorn, and what strangers may send with it."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.test import Client

from hlvstudy.bounds import bounded
from hlvstudy.logs import OwnFaultsInFull, WithRequest


class HostileClient(Client):
    """Errors are answered, not raised; the WSGI application's bounds hold."""

    def __init__(self, **defaults: Any) -> None:
        super().__init__(raise_request_exception=False, **defaults)
        self.sent = 0

    def request(self, **request: Any) -> Any:
        self.sent += 1
        environ = self._base_environ(**request)  # type: ignore[attr-defined]  # not in the stubs
        return super().request(**bounded(environ))


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """What the server would write to its log meanwhile."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.addFilter(OwnFaultsInFull())
    handler.addFilter(WithRequest())
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield text
    finally:
        root.removeHandler(handler)
