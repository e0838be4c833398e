"""Nobody reads what is another's: each address by HEAD, and bytes that no library sends, alone and behind nginx."""

from collections.abc import Iterator

import pytest

from tests.annotations.api.addresses import every_address
from tests.conftest import Tried
from tests.deploy.serving import KEY, largest_asset, nginx, program, unverified, web
from tests.hlvstudy.raw_http import ADDRESS, HALF, LIVE, PIPELINE, REFUSED, TAKEN, Answer, Connection, request
from tests.processes import free_port

pytestmark = pytest.mark.long
FILLED = """
import uuid
from django.core.files.base import ContentFile
from annotations.models import ExportJob, User
from annotations.people.access import tokens
from metaeval.documents.models import StudyDocument
from tests.worlds.full import make_full_dataset, make_full_study

study = make_full_study(make_full_dataset("the-study"), slug="the-study")
ann = User.objects.create_superuser("ann@example.org")
made = {"pk": uuid.UUID(int=1), "study": study, "state": "succeeded", "sha256": "0" * 64, "name": "a.zip"}
for job in (ExportJob(format="csv", owner=ann, **made), StudyDocument(kind="bundle", **made)):
    job.content.save("a.zip", ContentFile(b"a" * FILE_BYTES))
print(tokens.make(user=ann, name="a").secret)
"""
"""What `every_address` names, with answers of every kind: whole, streamed, and files."""
STREAMED = (
    "/api/v1/studies/the-study/exports/csv/",
    "/api/v1/datasets/the-study/distributions/?format=csv",
)
FILE_BYTES = 300_000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int, str]]:
    """The ports of the app and of nginx before it, and the token of somebody who may see everything."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    public = f"https://127.0.0.1:{port}"
    with web(folder, public_url=public, BEHIND_PROXY="1") as upstream, nginx(upstream, port):
        env = {"HLV_STATE": str(folder / "state"), "SECRET_KEY": KEY, "PUBLIC_URL": public}
        filled = program(
            "manage", "shell", "--verbosity", "0", "-c", FILLED.replace("FILE_BYTES", str(FILE_BYTES)), env=env
        )
        assert filled.returncode == 0, filled.stderr
        yield upstream, port, filled.stdout.split()[-1]


def addresses() -> list[str]:
    return [*every_address(), *STREAMED, largest_asset()]


def over_tls(port: int) -> Connection:
    return Connection(port, wrapped=unverified().wrap_socket)


def answered(connection: Connection, method: str, address: str, token: str) -> Answer:
    """Through nginx or as nginx asks."""
    lines = ("X-Forwarded-Proto: https", f"Authorization: Bearer {token}")
    return connection.send(request(*lines, start=f"{method} {address} HTTP/1.1")).answer(to=method)


def test_no_answer_to_head_has_a_byte_after_its_header(served: tuple[int, int, str], tried: Tried) -> None:
    upstream, _, token = served
    heads: dict[str, Answer] = {}
    with Connection(upstream) as other:
        for address in addresses():
            with Connection(upstream) as connection:
                head = heads[address] = answered(connection, "HEAD", address, token)
                if head.is_last:
                    assert connection.rest() == b"", address
                    continue
                assert answered(connection, "GET", ADDRESS, token).body == LIVE, address
                get = answered(other, "GET", address, token)
                assert (head.status, head.headers["Content-Length"]) == (get.status, str(len(get.body))), address
    tried(len(heads), "addresses by HEAD")
    streamed = [address for address, head in heads.items() if head.is_last and head.status == 200]
    files = [address for address, head in heads.items() if head.headers["Content-Length"] == str(FILE_BYTES)]
    assert (len(streamed), len(files)) == (3, 2)
    assert sum(head.status == 200 for head in heads.values()) > 50


def test_what_has_not_changed_is_answered_without_a_body_or_a_length(served: tuple[int, int, str]) -> None:
    upstream, _, token = served
    with Connection(upstream) as connection:
        whole = answered(connection, "GET", largest_asset(), token)
        for method in ("HEAD", "GET"):
            with Connection(upstream) as again:
                line = f"If-Modified-Since: {whole.headers['Last-Modified']}"
                start = f"{method} {largest_asset()} HTTP/1.1"
                answer = again.send(request("X-Forwarded-Proto: https", line, start=start)).answer(to=method)
                assert (answer.status, answer.headers["Content-Length"], again.end().rest()) == (304, None, b"")


def test_behind_nginx_nobody_reads_what_another_asked_for_by_head(served: tuple[int, int, str], tried: Tried) -> None:
    _, port, token = served
    asked = addresses()
    with over_tls(port) as ann, over_tls(port) as stranger:
        for address in asked:
            answered(ann, "HEAD", address, token)
            answer = stranger.send(request()).answer()
            assert (answer.status, answer.body) == (200, LIVE), address
    tried(len(asked), "addresses by HEAD through nginx")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_behind_nginx_no_bytes_of_one_change_the_answers_of_another(
    served: tuple[int, int, str], method: str, tried: Tried
) -> None:
    _, port, token = served
    sent = {**TAKEN, **REFUSED, **HALF}
    with over_tls(port) as ann, over_tls(port) as other:
        for name, raw in sent.items():
            answered(ann, "HEAD", "/api/v1/analyses/", token)
            with over_tls(port) as stranger:
                stranger.send(raw.replace(b"GET", method.encode(), 1))
                if name not in HALF:
                    assert stranger.part().startswith(b"HTTP/1.1 ") or name == "no version"
            answer = other.send(request()).answer()
            assert (answer.status, answer.body) == (200, LIVE), name
    tried(len(sent), "odd, refused or unfinished requests through nginx")


def test_behind_nginx_requests_in_one_packet_are_answered_in_their_order(served: tuple[int, int, str]) -> None:
    with over_tls(served[1]) as connection:
        answers = [(bool(answer.body), answer.status) for answer in connection.pipelined()]
    assert answers == [(method == "GET", status) for method, status in PIPELINE]
