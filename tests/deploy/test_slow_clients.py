"""Two hundred clients that send or read nothing more stop nobody, with nginx in front and without it."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Tried, wait_until
from tests.deploy.serving import SlowClients, asked, largest_asset, nginx, web
from tests.processes import free_port

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepared once, for collecting the pages takes longer than all the tests."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[int]:
    with web(folder) as port:
        yield port


@pytest.fixture(scope="module")
def front(folder: Path) -> Iterator[tuple[int, Path]]:
    port = free_port()
    public = f"https://127.0.0.1:{port}"
    with web(folder, public_url=public, BEHIND_PROXY="1") as upstream, nginx(upstream, port) as made:
        yield port, made


@pytest.mark.parametrize("kind", SlowClients.KINDS)
def test_the_server_alone_answers_while_two_hundred_clients_are_slow(server: int, kind: str, tried: Tried) -> None:
    with SlowClients(server) as clients:
        clients.begin(kind)
        tried(len(clients), "slow clients at a time")
        for address in ("/health/live", "/health/ready", "/"):
            assert asked(f"http://127.0.0.1:{server}{address}")[0] == 200


@pytest.mark.parametrize("kind", SlowClients.KINDS)
def test_behind_nginx_it_answers_while_two_hundred_clients_are_slow(
    front: tuple[int, Path], kind: str, tried: Tried
) -> None:
    port = front[0]
    with SlowClients(port, over_tls=True) as clients:
        clients.begin(kind)
        tried(len(clients), "slow clients at a time")
        for address in ("/health/live", "/health/ready", "/"):
            assert asked(f"https://127.0.0.1:{port}{address}")[0] == 200


def test_a_large_request_is_refused_by_its_header_except_where_files_are_uploaded(server: int) -> None:
    size = str(20 * 2**20)
    assert said_to(server, "/api/v1/session/", size).startswith("HTTP/1.1 413 ")
    assert said_to(server, "/api/v1/imports/", str(10**12)).startswith("HTTP/1.1 413 ")
    with pytest.raises(TimeoutError):
        said_to(server, "/api/v1/imports/", size)


def said_to(port: int, path: str, size: str) -> str:
    """What the server says to somebody who announces a body and sends only its first bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=3) as client:
        client.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {size}\r\n\r\n{{".encode())
        return client.recv(4096).decode()


def test_nginx_takes_the_place_of_what_a_client_claims_about_itself(front: tuple[int, Path]) -> None:
    port, folder = front
    told = asked(f"https://127.0.0.1:{port}/health/live", X_Forwarded_Proto="http", X_Forwarded_For="192.0.2.1")
    assert told[0] == 200
    asked(f"https://127.0.0.1:{port}/?name=of-a-person")
    wait_until(lambda: '"GET /" 200' in (folder / "hlvstudy.log").read_text(), seconds=20, every=0.1)
    assert "of-a-person" not in (folder / "hlvstudy.log").read_text()


def test_nginx_keeps_the_files_of_the_pages_and_nothing_else(front: tuple[int, Path]) -> None:
    port, folder = front
    for _ in range(2):
        assert asked(f"https://127.0.0.1:{port}{largest_asset()}")[0] == 200
    kept = [path for path in (folder / "cache").rglob("*") if path.is_file()]
    assert kept
    assert all(b"KEY: http://hlvstudy/static/assets/" in path.read_bytes()[:2000] for path in kept)
