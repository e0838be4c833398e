"""The web process as bytes see it: what is a request, what is none, and where an answer ends (RFC 9110, RFC 9112)."""

import sys
from collections.abc import Iterator

import pytest

from hlvstudy.program.serving import BUFFERING
from tests.conftest import ROOT, wait_until
from tests.deploy.serving import KEY, bare, is_answered
from tests.hlvstudy.raw_http import ADDRESS, HALF, LIVE, PIPELINE, REFUSED, TAKEN, Connection, request
from tests.processes import AtTerminal, free_port


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A web process as it is everywhere, without a database, which nothing here needs; no byte is a fault of it."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    command = [sys.executable, "-m", "gunicorn", "hlvstudy.wsgi", "--worker-class", BUFFERING, "--no-control-socket"]
    env = bare({"DEBUG": "1", "HLV_STATE": str(folder), "SECRET_KEY": KEY})
    server = AtTerminal([*command, "--bind", f"127.0.0.1:{port}"], cwd=ROOT, env=env, log=folder / "web.log")
    try:
        wait_until(lambda: is_answered(f"http://127.0.0.1:{port}") or server.has_ended, every=0.1)
        assert not server.has_ended, server.said
        yield port
    finally:
        server.terminate()
    assert " ERROR " not in server.said


@pytest.mark.parametrize("raw", TAKEN.values(), ids=TAKEN)
def test_a_request_is_answered_and_so_is_the_next_on_its_connection(port: int, raw: bytes) -> None:
    with Connection(port) as connection:
        connection.send(raw + request())
        assert [connection.answer().body, connection.answer().body] == [LIVE, LIVE]


@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED)
def test_what_can_be_read_in_two_ways_is_refused_and_ends_its_connection(port: int, raw: bytes) -> None:
    with Connection(port) as connection:
        connection.send(raw + request())
        answer = connection.answer()
        assert (answer.status in {400, 413, 431, 501}, answer.is_last, connection.rest()) == (True, True, b"")


@pytest.mark.parametrize("raw", HALF.values(), ids=HALF)
def test_half_a_request_is_not_answered(port: int, raw: bytes) -> None:
    with Connection(port) as connection:
        assert connection.send(raw).end().rest() == b""


def test_a_request_may_come_byte_by_byte(port: int) -> None:
    for raw in (TAKEN["chunks"], TAKEN["a body"]):
        with Connection(port) as connection:
            connection.send(*(bytes([byte]) for byte in raw + request()))
            assert [connection.answer().body, connection.answer().body] == [LIVE, LIVE]


def test_requests_in_one_packet_are_answered_in_their_order(port: int) -> None:
    with Connection(port) as connection:
        answers = [(bool(answer.body), answer.status) for answer in connection.pipelined()]
    assert answers == [(method == "GET", status) for method, status in PIPELINE]


@pytest.mark.parametrize("name", [name for name, raw in REFUSED.items() if raw.startswith(b"GET ")])
def test_no_error_that_head_is_answered_has_a_body(port: int, name: str) -> None:
    with Connection(port) as connection:
        connection.send(REFUSED[name].replace(b"GET", b"HEAD", 1))
        assert (connection.answer(to="HEAD").is_last, connection.rest()) == (True, b"")


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_head_says_what_get_would_say_and_leaves_the_connection_open(port: int, version: str) -> None:
    kept = "Connection: keep-alive"
    with Connection(port) as connection:
        connection.send(*(request(kept, start=f"{method} {ADDRESS} HTTP/{version}") for method in ("HEAD", "GET")))
        head, get = connection.answer(to="HEAD"), connection.answer()
        assert (head.status, get.status, get.body) == (200, 200, LIVE)
        assert head.headers["Content-Length"] == get.headers["Content-Length"] == str(len(LIVE))


def test_a_connection_ends_if_that_is_among_what_is_asked_of_it(port: int) -> None:
    for line in ("Connection: close", "Connection: Close, TE", "Connection: te\r\nConnection: close"):
        with Connection(port) as connection:
            answer = connection.send(request(line) + request()).answer()
            assert (answer.body, answer.is_last, connection.rest()) == (LIVE, True, b"")
