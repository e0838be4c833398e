"""HTTP/1.1 as a browser speaks it over one kept connection, and no more: it must cost the measured machine little."""

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HEADER_END = b"\r\n\r\n"
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Reply:
    """A response, its header names in lower case; `cookies` are those that it set."""

    status: int
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body) if self.body else None


class Connection(asyncio.Protocol):
    """One kept connection to a port of this machine; opened again when the server has closed it."""

    def __init__(self, port: int, *, tls: ssl.SSLContext | None = None) -> None:
        self._port, self._tls = port, tls
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Reply] | None = None
        self._received = bytearray()
        self._closed = True

    async def ask(self, method: str, path: str, headers: str, body: bytes = b"") -> Reply:
        """Send a request and wait for its response; `headers` are whole lines, each with its line end.

        A kept connection that the server closed before it answered is opened again, once, as browsers do.
        """
        request = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
        )
        kept = not self._closed
        try:
            return await self._once(request.encode() + body)
        except ConnectionError:
            if not kept:
                raise
            return await self._once(request.encode() + body)

    async def _once(self, request: bytes) -> Reply:
        if self._closed:
            loop = asyncio.get_running_loop()
            await loop.create_connection(lambda: self, "127.0.0.1", self._port, ssl=self._tls)
        assert self._transport is not None
        self._received.clear()
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self._waiting

    def close(self) -> None:
        if self._transport:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._closed = transport, False

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        if self._waiting and not self._waiting.done():
            reply = whole(bytes(self._received), is_over=True)
            if reply:
                self._waiting.set_result(reply)
            else:
                self._waiting.set_exception(ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._waiting and not self._waiting.done():
            reply = whole(bytes(self._received))
            if reply:
                if reply.headers.get("connection", "").lower() == "close":
                    self._closed = True
                    self.close()
                self._waiting.set_result(reply)


def trusting() -> ssl.SSLContext:
    """Trusts the certificate that the harness has just made."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def whole(received: bytes, *, is_over: bool = False) -> Reply | None:
    """The response, once all of it is there; without a length it ends with the connection.

    >>> whole(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{") is None
    True
    >>> whole(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}").data
    {}
    """
    head, found, body = received.partition(HEADER_END)
    if not found:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    status = int(first.split(" ", 2)[1])
    headers, cookies = {}, {}
    for line in lines:
        name, _, value = line.partition(":")
        name, value = name.lower(), value.strip()
        if name == "set-cookie":
            cookie, _, content = value.split(";", 1)[0].partition("=")
            cookies[cookie] = content
        else:
            headers[name] = value
    if status in {204, 304}:
        body = b""
    elif "content-length" in headers:
        if len(body) < int(headers["content-length"]):
            return None
    elif headers.get("transfer-encoding", "").lower() == "chunked":
        if not body.endswith(b"0\r\n\r\n"):
            return None
        body = _unchunked(body)
    elif not is_over:
        return None
    return Reply(status, headers, cookies, body)


def _unchunked(body: bytes) -> bytes:
    parts = []
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size.split(b";")[0], 16)
        if not length:
            break
        parts.append(body[:length])
        body = body[length + 2 :]
    return b"".join(parts)
