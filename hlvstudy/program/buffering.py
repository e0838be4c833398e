"""gunicorn's processes with waitress's connections: a thread works on a request only when all of it has arrived.

gunicorn's own threads read from their client and write to it, so eight clients that send half a request and wait stop a
server with eight threads. Here one loop per process receives requests and sends answers for all its connections, and
threads see neither a slow sender nor a slow reader. What never becomes a request is closed after a while.
"""

import copy
import logging
import os
import re
import resource
import time
from contextlib import suppress
from typing import Any

from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask, Task, ThreadedTaskDispatcher, WSGITask
from waitress.utilities import BadRequest, RequestHeaderFieldsTooLarge

FIRST_SECONDS = 20
"""How long a request may take to arrive, however small it is."""
LEAST_BYTES_PER_SECOND = 4096
"""How fast a larger one must arrive, on average."""
QUIET_SECONDS = 30
"""How long a connection stays open on which nothing moves, in either direction."""
MOST_CONNECTIONS = 2000
"""Per process; fewer if the system allows fewer open files."""
FILES_PER_CONNECTION = 2
"""The connection, and the file that a large request or answer is kept in."""
OTHER_FILES = 100
ROOM = 0.1
"""The share of connections that are closed when all are taken: those that have not asked for anything yet."""
UPLOADS = "/api/v1/imports/"
"""Where a request may be as large as an upload; everywhere else DATA_UPLOAD_MAX_MEMORY_SIZE is the limit."""
MARGIN = 2**20
"""What a form adds to its files. Up to here, the app itself says in a sentence what is too large."""
ANSWER_BYTES = 2**31
"""How much of an answer is taken from its thread before its reader has any; above a megabyte, in a file."""
LINE_BYTES = 1024
"""The most before a chunk of a body: its size, and what nobody needs."""
FOLDED = re.compile(rb"\n[ \t]")
CODINGS = re.compile(rb"^transfer-encoding:(.*)$", re.IGNORECASE | re.MULTILINE)


class BoundedChunks(ChunkedReceiver):  # type: ignore[misc]  # waitress has no types
    """Chunks as the standard writes them, and no others: a line before each, which ends in CR LF, and nothing after the
    last. Where one program sees the end of a line and another does not, they see different requests; and waitress keeps
    a line however long it is."""

    def received(self, data: bytes) -> int:
        """Take the first part of it: of a line, of a chunk, or of what ends one. The channel gives the rest again."""
        if self.chunk_remainder:
            return int(super().received(data[: self.chunk_remainder]))
        if self.validate_chunk_end:
            return int(super().received(data[: 2 - len(self.chunk_end)]))
        if self.all_chunks_received:
            part = data[: 2 - len(self.trailer)]
            is_valid = b"\r\n".startswith(self.trailer + part)
        else:
            part = data[: data.find(b"\n") + 1 or None]
            line = self.control_line + part
            is_valid = len(line) <= LINE_BYTES and (line.endswith(b"\r\n") or b"\n" not in line) and line != b"\r\n"
        if is_valid:
            return int(super().received(part))
        self.error = BadRequest("The body's chunks are not written as HTTP/1.1 asks for.")
        return len(data)


class BoundedParser(HTTPRequestParser):  # type: ignore[misc]  # as above
    """Refuses what another program on the way could read as other requests; and a large body by its address before it
    arrives: what arrives is kept, and nobody has signed in yet."""

    adj: Any
    body_rcv: Any
    command = ""

    def received(self, data: bytes) -> int:
        consumed = int(super().received(data))
        if self.completed:
            self.expect_continue = False  # to ask for more would add the next request's header to this one
        if isinstance(self.error, RequestHeaderFieldsTooLarge):  # waitress puts another one in its place
            self.command = method(self.header_plus)
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        self.command = method(header_plus)  # also if the rest cannot be read
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # Python's, of an address or a length
            raise ParsingError(f"The header cannot be read: {error}") from error
        if FOLDED.search(header_plus):
            raise ParsingError("A line of the header goes on in the next line.")
        if self.version not in {"1.0", "1.1"}:
            raise ParsingError("The version is neither HTTP/1.0 nor HTTP/1.1.")
        codings = [coding.strip().lower() for coding in CODINGS.findall(header_plus)]
        if codings and ("CONTENT_LENGTH" in self.headers or self.version == "1.0" or codings != [b"chunked"]):
            raise ParsingError("Transfer-Encoding can only be `chunked`, in HTTP/1.1, without a Content-Length.")
        if self.chunked:
            self.body_rcv = BoundedChunks(self.body_rcv.getbuf())
        if "close" in re.split(r"[\s,]+", self.headers.get("CONNECTION", "").lower()):
            self.headers["CONNECTION"] = "close"
        if not self.path.startswith(UPLOADS):
            self.adj = self.adj.elsewhere


def method(header: bytes) -> str:
    return header.lstrip().partition(b" ")[0].decode("latin-1")


class WithoutBodyForHead(Task):  # type: ignore[misc]  # as above
    """An answer that ends with its header if that is all that was asked for: also if it is an error, or has chunks."""

    def write(self, data: bytes) -> None:
        is_header_only = self.channel.command == "HEAD"
        super().write(b"" if is_header_only else data)
        if is_header_only:
            self.chunked_response = False  # the line after the last chunk would be a body, too


class AnswerTask(WithoutBodyForHead, WSGITask):  # type: ignore[misc]  # as above
    """What the application answers."""


class RefusalTask(WithoutBodyForHead, ErrorTask):  # type: ignore[misc]  # as above
    """What is answered to what is no request, or if there is no answer."""


class PatientChannel(HTTPChannel):  # type: ignore[misc]  # as above
    """A connection that knows since when its unfinished request has been arriving."""

    parser_class = BoundedParser
    task_class = AnswerTask
    error_task_class = RefusalTask
    began = 0.0
    command = ""
    """The method of the request that is being answered."""

    def received(self, data: bytes) -> Any:
        if self.request is None:
            self.began = time.monotonic()
        return super().received(data)

    def service(self) -> None:
        self.command = self.requests[0].command
        super().service()

    def is_too_slow(self, now: float) -> bool:
        """Whether its request has been arriving for longer than its size explains."""
        request = self.request  # the loop's alone, as long as it is unfinished
        if request is None:
            return False
        return bool(now - self.began > FIRST_SECONDS + request.body_bytes_received / LEAST_BYTES_PER_SECOND)

    @property
    def has_asked(self) -> bool:
        """Whether a thread works on its request, or an answer is on its way."""
        return bool(self.requests or self.total_outbufs_len)


class CountingDispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]  # as above
    """The threads, and how many requests they were given."""

    begun = 0

    def add_task(self, task: Any) -> None:
        self.begun += 1
        super().add_task(task)


class BufferingWorker(Worker):  # type: ignore[misc]  # gunicorn has no types
    """One web process. gunicorn starts it, watches it and ends it."""

    alive: bool

    def run(self) -> None:
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of every request that waits a moment
        threads = CountingDispatcher()
        threads.set_thread_count(self.cfg.threads)
        # The loop's: listening sockets, connections, and what wakes it.
        loop: dict[int, Any] = {}
        self._listen(loop, threads)
        listeners = [server for server in loop.values() if isinstance(server, BaseWSGIServer)]
        for listener in listeners:
            listener.channel_class = PatientChannel
            listener.accept_connections()
        due = 0.0
        while self.alive:
            wasyncore.loop(timeout=0.5, use_poll=True, map=loop, count=1)
            if (now := time.monotonic()) >= due:
                due = now + 1
                self.notify()
                for listener in listeners:
                    close_what_waits_in_vain(listener, now=now)
                # Without gunicorn's first process, nobody could stop this one in order.
                self.alive = self.alive and self.ppid == os.getppid() and threads.begun < self.max_requests
        self._finish(loop, listeners, threads)

    def _listen(self, loop: dict[int, Any], threads: CountingDispatcher) -> None:
        from django.conf import settings

        bounds = {
            "max_request_body_size": settings.HLV_MAX_UPLOAD_BYTES + MARGIN,
            "max_request_header_size": 32 * 1024,
            "connection_limit": most_connections(),
            "channel_timeout": QUIET_SECONDS,
            "cleanup_interval": 5,
            "outbuf_high_watermark": ANSWER_BYTES,
        }
        made = create_server(
            self.wsgi,
            map=loop,
            _start=False,
            _dispatcher=threads,
            sockets=[getattr(listening, "sock", listening) for listening in self.sockets],
            backlog=self.cfg.backlog,
            asyncore_use_poll=True,
            clear_untrusted_proxy_headers=False,  # Django reads what a proxy says, if settings say that there is one
            ident=None,
            **bounds,
        )
        made.adj.elsewhere = copy.copy(made.adj)
        made.adj.elsewhere.max_request_body_size = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + MARGIN

    def _finish(self, loop: dict[int, Any], listeners: list[Any], threads: CountingDispatcher) -> None:
        """Accept nothing more, finish what was begun, and send it."""
        for listener in listeners:
            listener.accepting = False
            listener.del_channel()
        until = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < until and any(
            channel.has_asked for listener in listeners for channel in listener.active_channels.values()
        ):
            self.notify()
            wasyncore.loop(timeout=0.1, use_poll=True, map=loop, count=1)
        threads.shutdown(timeout=1)
        wasyncore.close_all(loop, ignore_all=True)


def close_what_waits_in_vain(listener: Any, *, now: float) -> None:
    """Close what has been sending its request for too long; and if all connections are taken, who has not asked yet."""
    channels = list(listener.active_channels.values())
    closing = [channel for channel in channels if channel.is_too_slow(now)]
    if len(channels) >= (1 - ROOM) * listener.adj.connection_limit:
        silent = sorted(
            (waiting for waiting in channels if not waiting.has_asked), key=lambda waiting: waiting.last_activity
        )
        closing += silent[: int(ROOM * len(channels)) + 1]
    for channel in closing:
        channel.will_close = True


def most_connections() -> int:
    """How many connections a process may hold with the files that the system allows; asks for as many as it needs."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MOST_CONNECTIONS * FILES_PER_CONNECTION + OTHER_FILES
    allowed = files if most == resource.RLIM_INFINITY else min(most, files)
    with suppress(ValueError, OSError):  # macOS allows less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(allowed, now), most))
    allowed = min(allowed, files)
    return max(10, (allowed - OTHER_FILES) // FILES_PER_CONNECTION)
