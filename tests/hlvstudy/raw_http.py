"""HTTP as bytes: requests that no library writes, and answers read as a strict client reads them, one after another."""

import http.client
import socket
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

ADDRESS = "/health/live"
LIVE = b'{"status": "ok"}'


def request(*lines: str, start: str = f"GET {ADDRESS} HTTP/1.1", body: bytes = b"") -> bytes:
    return "\r\n".join((start, "Host: 127.0.0.1", *lines, "", "")).encode("latin-1") + body


def chunked(body: bytes) -> bytes:
    return request("Transfer-Encoding: chunked", body=body)


LENGTHS = ("5, 5", "+5", "-5", "0x5", "5 5", "5_0", "\xb2", "", "9" * 5000)
CODINGS = ("", "chunked, chunked", ",", "identity", "gzip, chunked", "chunked, gzip", "\x85chunked", "xchunked")
CHUNKS = {
    "a line that ends in LF": b"5\n\r\nhello\r\n0\r\n\r\n",
    "an addition that ends in LF": b"5;a\n\r\nhello\r\n0\r\n\r\n",
    "LF only": b"5\nhello\n0\n\n",
    "an empty line before": b"\r\n5\r\nhello\r\n0\r\n\r\n",
    "more than announced": b"5\r\nhello!\r\n0\r\n\r\n",
    "less than announced": b"6\r\nhello\r\n0\r\n\r\n",
    "what comes after the last": b"0\r\nX: a\r\n\r\n",
    "what comes after the last ends in LF": b"0\r\nX: a\n\n",
    "LF after the last": b"0\r\n\n",
    "a line of two thousand bytes": b"5;" + b"a" * 2000 + b"\r\nhello\r\n0\r\n\r\n",
} | {
    f"the size {size}": f"{size}\r\nhello\r\n0\r\n\r\n".encode() for size in ("+5", "-5", "0x5", " 5", "5 ", "0_5", "x")
}

TAKEN = {
    "nothing special": request(),
    "a body": request("Content-Length: 5", body=b"hello"),
    "zeros before the length": request("Content-Length: 005", body=b"hello"),
    "chunks": chunked(b"5\r\nhello\r\nA;a=b\r\n0123456789\r\n0\r\n\r\n"),
    "chunks in capitals": request("TRANSFER-ENCODING: Chunked", body=b"5\r\nhello\r\n0\r\n\r\n"),
    "an empty line before": b"\r\n" + request(),
    "a whole address": request(start=f"GET http://127.0.0.1{ADDRESS} HTTP/1.1"),
    "it waits for nothing": request("Expect: 100-continue"),
    "kept alive in HTTP/1.0": request("Connection: keep-alive", start=f"GET {ADDRESS} HTTP/1.0"),
}
"""Requests that are answered with 200, and the next on that connection, too."""
REFUSED = {
    "a length and chunks": request("Content-Length: 5", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "chunks and a length": request("Transfer-Encoding: chunked", "Content-Length: 5", body=b"0\r\n\r\n"),
    "no coding and a length": request("Transfer-Encoding:", "Content-Length: 0"),
    "two codings": request("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "two lengths": request("Content-Length: 0", "Content-Length: 1"),
    "a length twice": request("Content-Length: 0", "Content-Length: 0"),
    "chunks in HTTP/1.0": request(
        "Connection: keep-alive", "Transfer-Encoding: chunked", start=f"GET {ADDRESS} HTTP/1.0", body=b"0\r\n\r\n"
    ),
    "chunks in HTTP/1.9": request(
        "Connection: keep-alive", "Transfer-Encoding: chunked", start=f"GET {ADDRESS} HTTP/1.9", body=b"0\r\n\r\n"
    ),
    "HTTP/2": request(start="PRI * HTTP/2.0"),
    "no version": request(start=f"GET {ADDRESS}"),
    "no address": request(start="GET  HTTP/1.1"),
    "an address that is none": request(start="GET http://[ HTTP/1.1"),
    "a folded line": request("X: a", " b"),
    "a folded coding": request("Transfer-Encoding:", " chunked", body=b"0\r\n\r\n"),
    "a folded length": request("Content-Length: 1", "\t2", body=b"hello, hello"),
    "a folded host": f"GET {ADDRESS} HTTP/1.1\r\n Host: 127.0.0.1\r\n\r\n".encode(),
    "a space before the colon": request("Content-Length : 5", body=b"hello"),
    "no colon": request("Content-Length 5", body=b"hello"),
    "LF for CR LF": f"GET {ADDRESS} HTTP/1.1\r\nHost: 127.0.0.1\nContent-Length: 5\r\n\r\nhello".encode(),
    "LF after the first line": f"GET {ADDRESS} HTTP/1.1\nHost: 127.0.0.1\r\n\r\n".encode(),
    "CR in a line": request("X: a\rContent-Length: 5", body=b"hello"),
    "NUL in a line": request("X: a\0b"),
    "no host": f"GET {ADDRESS} HTTP/1.1\r\n\r\n".encode(),
    "two hosts": request("Host: 127.0.0.1"),
    "a large header": request("X: " + "a" * 40_000),
    "a large body": request("Content-Length: 100000000"),
    "a large body that waits": request("Expect: 100-continue", "Content-Length: 100000000"),
    "a wrong length that waits": request("Expect: 100-continue", "Content-Length: x"),
    **{f"the length {length[:8]!r}": request(f"Content-Length: {length}", body=b"hello") for length in LENGTHS},
    **{
        f"the coding {coding!r}": request(f"Transfer-Encoding: {coding}", body=b"5\r\nhello\r\n0\r\n\r\n")
        for coding in CODINGS
    },
    **{f"chunks: {name}": chunked(body) for name, body in CHUNKS.items()},
}
"""Requests that two programs could read differently, that cannot be read, or that are too large: no other follows."""
HALF = {
    "nothing": b"\r\n",
    "half a first line": b"GET /health",
    "half a header": request()[:-2],
    "LF only": request().replace(b"\r\n", b"\n"),
    "half a body": request("Content-Length: 100", body=b"hello"),
    "half a size": chunked(b"5"),
    "half a chunk": chunked(b"5\r\nhe"),
    "half an end": chunked(b"5\r\nhello\r"),
    "half a last chunk": chunked(b"5\r\nhello\r\n0\r\n\r"),
}
PIPELINE = [("HEAD", 200), ("GET", 200), ("HEAD", 404), ("GET", 404), ("HEAD", 200), ("HEAD", 404), ("GET", 200)]
"""Methods and statuses of requests in one packet."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def is_last(self) -> bool:
        """Whether the server says that it will close the connection."""
        return self.headers.get("Connection", "").lower() == "close"


class Connection:
    """A connection to a port of this machine; `wrapped` puts TLS around it."""

    def __init__(self, port: int, *, wrapped: Callable[[socket.socket], socket.socket] = lambda plain: plain) -> None:
        self._stack = ExitStack()
        plain = self._stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=15))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = self._stack.enter_context(wrapped(plain))
        self._file = self._stack.enter_context(self._socket.makefile("rb"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def send(self, *parts: bytes) -> Self:
        for part in parts:
            self._socket.sendall(part)
        return self

    def end(self) -> Self:
        """Send nothing more."""
        self._socket.shutdown(socket.SHUT_WR)
        return self

    def answer(self, *, to: str = "GET") -> Answer:
        """The next answer, to a request with that method."""
        first = self._file.readline()
        version, _, rest = first.partition(b" ")
        assert version in {b"HTTP/1.0", b"HTTP/1.1"}, f"no answer begins with {first[:80]!r}"
        status, headers = int(rest[:3]), http.client.parse_headers(self._file)
        lengths, codings = headers.get_all("Content-Length", []), headers.get_all("Transfer-Encoding", [])
        assert len(lengths) + len(codings) <= 1
        if to == "HEAD" or status < 200 or status in {204, 304}:
            assert to == "HEAD" or status == 304 or not lengths + codings
            return Answer(status, headers, b"")
        if codings == ["chunked"]:
            return Answer(status, headers, b"".join(iter(self._chunk, b"")))
        assert lengths, f"no length in {headers.items()}"
        body = self._file.read(int(lengths[0]))
        assert len(body) == int(lengths[0])
        return Answer(status, headers, body)

    def _chunk(self) -> bytes:
        size = int(self._file.readline(), 16)
        chunk = self._file.read(size)
        assert len(chunk) == size
        assert self._file.readline() == b"\r\n"
        return chunk

    def pipelined(self) -> list[Answer]:
        """The answers to all of PIPELINE, sent at once."""
        addresses = [ADDRESS if status == 200 else "/api/nothing" for _, status in PIPELINE]
        parts = [
            request(start=f"{method} {address} HTTP/1.1")
            for (method, _), address in zip(PIPELINE, addresses, strict=True)
        ]
        self.send(b"".join(parts))
        return [self.answer(to=method) for method, _ in PIPELINE]

    def part(self) -> bytes:
        """The next bytes that come, whatever they are."""
        return self._file.read1()

    def rest(self) -> bytes:
        """What comes until the server closes the connection."""
        try:
            return self._file.read()
        except ConnectionResetError:  # it closed before it had read everything
            return b""
