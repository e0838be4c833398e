"""Nothing that a stranger sends is a fault of the server: never a 5xx, never a traceback in the log."""

import io
import json
from collections.abc import Callable, Iterator
from typing import Any
from wsgiref.util import FileWrapper

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from waitress.buffers import ReadOnlyFileBasedBuffer

from annotations.ground import bounded_json
from annotations.models import User
from hlvstudy.bounds import bounded, without_needless_bodies
from tests.annotations.api.addresses import ENDS_THE_SESSION, every_address
from tests.conftest import Tried
from tests.hlvstudy.hostile import HostileClient, logged
from tests.worlds.studies import make_study

JSON = "application/json"
BODIES = (
    b"[" * 2000 + b"]" * 2000,
    b'{"a":' * 2000 + b"1" + b"}" * 2000,
    b'{"email": ' + b"[" * 900 + b"]" * 900 + b', "password": "x"}',
    b"[" * 200_000,
    b'{"a": "' + b"[" * 5000 + b'", "b": ' + b"[{}," * 60,
    b'"' + b'\\"' * 50_000,
    b"\xff\xfe{",
    b'{"a": 1e999999, "b": -Infinity}',
    b"9" * 5000,
    b'{"\\u0000": "\\ud800"}',
)
FORMS = (
    b"--x\r\n" * 3000,
    b"--x\r\nContent-Disposition: form-data; name=\"a\"; filename*=nope''%20\r\n\r\nx\r\n--x--\r\n",
    b"--x\r\nContent-Disposition: form-data; name*=zlib''%20\r\n\r\nx\r\n--x--\r\n",
    b'--x\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\n=\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n' * 1500 + b"--x--\r\n",
    b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n1\r\n' * 300 + b"--x--\r\n",
    b'--x\r\nContent-Disposition: form-data; name="options"\r\n\r\n' + b"[" * 3000 + b"\r\n--x--\r\n",
)
TYPES = (
    "application/json; charset=zlib",
    "application/json; charset=undefined",
    "application/json; a*=nope''%20",
    "multipart/form-data; boundary=x; a*=zlib''%20",
    "multipart/form-data; boundary=" + "x" * 500,
    "multipart/form-data",
    "/;;=;" * 50,
)
HEADERS = (
    {"Cookie": 'sessionid="\\000aaaaaaaaaaaa"; csrftoken="\\000"; hlv_device="\\000"'},
    {"Cookie": "sessionid=" + "a" * 20_000},
    {"Cookie": "sessionid=\xff\xfe; messages=\xff"},
    {"Authorization": "Bearer \xff"},
    {"Authorization": "Bearer hlv_" + "a" * 64 + " b"},
    {"Accept-Language": ",".join(f"x-{n};q=0.{n}" for n in range(500))},
    {"X-HLV-User": "\x00\xff"},
    {"X-Request-ID": "\x00" * 500},
    {"Idempotency-Key": "\xff" * 500},
    {"Range": "bytes=9-1,-,a"},
    {"If-Modified-Since": "0" * 500, "If-None-Match": '"' * 500},
    {"X-Forwarded-For": "a, [::1%\x00], 999.9.9.9," * 50},
    {"Host": "evil.example"},
    {"Host": "[::1"},
)
QUERIES = (
    "page=%00&search=%00&q=%ff%fe&kind=%00&from=%00&state=%00&order=%00&ids=%00",
    "page=99999999999999999999999999&page_size=-1&offset=1e9&limit=" + "9" * 400,
    "from=9999-99-99&to=-1&action=%F0%9F%92%A9&format=%2e%2e%2f",
    "&".join(f"a{n}=1" for n in range(1500)),
    "search=" + "%25" * 900 + "&search=" + "(" * 900,
)


def ask_everything(client: HostileClient) -> list[str]:
    """Send everything to every address; returns what came back as a fault."""
    faults = []

    def ask(method: str, address: str, body: bytes = b"", kind: str = JSON, **headers: str) -> None:
        answer = client.generic(method, address, body, content_type=kind, headers=headers)
        if answer.status_code >= 500 and not (answer.status_code == 503 and "health" in address):
            faults.append(f"{answer.status_code} {method} {address} {kind} {headers or body[:40]!r}"[:200])

    for number, address in enumerate(one for one in every_address() if one not in ENDS_THE_SESSION):
        # Each address has each kind of thing; of bodies that one parser reads, the addresses take turns.
        for method in ("POST", "PATCH", "PUT", "DELETE"):
            ask(method, address, BODIES[(number + len(method)) % len(BODIES)])
        for body in BODIES[:3]:
            ask("POST", address, body)
        ask("POST", address, FORMS[number % len(FORMS)], "multipart/form-data; boundary=x")
        ask("POST", f"{address}?a=%20", b"{}", TYPES[number % len(TYPES)])
        for headers in (HEADERS[number % len(HEADERS)], HEADERS[(number + 7) % len(HEADERS)]):
            ask("GET", address, **headers)
        for query in QUERIES:
            ask("GET", f"{address}?{query}")
    return faults


@pytest.mark.django_db
def test_whatever_a_stranger_sends_is_no_fault_of_the_server(tried: Tried) -> None:
    make_study(slug="the-study")
    client = HostileClient()
    with logged() as log:
        assert ask_everything(client) == []
    tried(client.sent, "hostile requests")
    assert "Traceback" not in log.getvalue()
    assert "ERROR" not in log.getvalue()


@pytest.mark.django_db
def test_whatever_an_admin_sends_is_no_fault_of_the_server(tried: Tried) -> None:
    make_study(slug="the-study")
    client = HostileClient()
    client.force_login(User.objects.create_superuser("root@example.org", "a long password"))
    with logged() as log:
        assert ask_everything(client) == []
    tried(client.sent, "hostile requests")
    assert "Traceback" not in log.getvalue()
    assert "ERROR" not in log.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["session", "invitations/look"])
def test_everything_that_one_parser_reads_is_answered_as_a_bad_request(place: str, tried: Tried) -> None:
    client = HostileClient()
    for body in BODIES:
        assert client.generic("POST", f"/api/v1/{place}/", body, content_type=JSON).status_code == 400
    for body in FORMS:
        answer = client.generic("POST", f"/api/v1/{place}/", body, content_type="multipart/form-data; boundary=x")
        assert answer.status_code in {400, 415}
    for kind in TYPES:
        assert client.generic("POST", f"/api/v1/{place}/?a=%20", b"{}", content_type=kind).status_code in {400, 415}
    for headers in HEADERS:
        assert client.get(f"/api/v1/{place}/", headers=headers).status_code < 500
    tried(client.sent, "hostile requests")


@pytest.mark.django_db
def test_forms_to_the_import_are_bad_requests() -> None:
    client = HostileClient()
    client.force_login(User.objects.create_superuser("root@example.org", "a long password"))
    with logged() as log:
        for body in FORMS:
            answer = client.generic("POST", "/api/v1/imports/", body, content_type="multipart/form-data; boundary=x")
            assert answer.status_code == 400
        file = SimpleUploadedFile("a.csv", b"x")
        for options in ("[" * 3000, '{"a":' * 900 + "1" + "}" * 900):
            sent = {"files": file, "kind": "dataset", "dataset": "a", "options": options}
            assert client.post("/api/v1/imports/", sent).status_code == 400
    assert "Traceback" not in log.getvalue()


@pytest.mark.django_db
def test_a_body_beyond_the_bound_is_not_read_to_its_end(settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    body = json.dumps({"email": "a" * 2000, "password": "x"})
    answer = HostileClient().generic("POST", "/api/v1/session/", body, content_type=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("depth", [65, 200, 990, 2000, 100_000])
@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}")])
def test_json_is_not_read_beyond_its_depth(depth: int, pair: tuple[str, str]) -> None:
    for text in (pair[0] * depth + "1" + pair[1] * depth, pair[0] * depth):
        for content in (text, text.encode()):
            with pytest.raises(bounded_json.TooDeep):
                bounded_json.loads(content)


def test_json_within_its_depth_is_read_whatever_its_texts_hold() -> None:
    value = {"a": ["[[[{{{" * 50, '\\"[', {"b": [[1, 2]] * 200}]}
    assert bounded_json.loads(json.dumps(value)) == value
    assert bounded_json.loads("[" * 64 + "]" * 64) is not None


def test_what_honest_clients_send_is_left_as_it_is() -> None:
    boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
    honest = {
        "CONTENT_TYPE": f"multipart/form-data; boundary={boundary}",
        "HTTP_COOKIE": "sessionid=abc; csrftoken=d-_e; hlv_device=a:b:c",
    }
    assert bounded(dict(honest)) == honest
    assert bounded({"CONTENT_TYPE": "application/json; charset=utf-8"}) == {"CONTENT_TYPE": JSON}
    assert bounded({"CONTENT_TYPE": 'multipart/form-data; boundary="a b"'})["CONTENT_TYPE"].endswith("boundary=a b")


class Body(io.BytesIO):
    """What an answer is made of; it knows whether somebody has read it."""

    is_read = False

    def read(self, *size: Any) -> bytes:
        self.is_read = True
        return super().read(*size)

    def __next__(self) -> bytes:
        self.is_read = True
        return super().__next__()


class Stream:
    """An answer without a length, as that of a streaming view."""

    def __init__(self, body: Body) -> None:
        self.body, self.close = body, body.close

    def __iter__(self) -> Iterator[bytes]:
        yield from self.body


KINDS = {"whole": lambda body: body, "stream": Stream, "file": FileWrapper, "waitress's file": ReadOnlyFileBasedBuffer}
HEADERS_OF_ANSWERS = [("Content-Type", "text/plain"), ("Content-Length", "4"), ("ETag", '"a"')]


def asked(kind: Callable[[Body], Any], method: str, status: str) -> tuple[Body, list[str], Any]:
    """The body that an application gave, and the names of headers and the body that a server gets."""
    body, got = Body(b"text"), []

    def application(_: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        start_response(status, list(HEADERS_OF_ANSWERS))
        return kind(body)

    answer = without_needless_bodies(application)({"REQUEST_METHOD": method}, lambda _, headers: got.extend(headers))
    return body, [name for name, _ in got], answer


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(
    ("method", "status"),
    [("HEAD", "200 OK"), ("HEAD", "404 Not Found"), *(("GET", f"{n} -") for n in (100, 103, 204, 304))],
)
def test_a_body_that_nobody_may_get_is_closed_unread(kind: Callable[[Body], Any], method: str, status: str) -> None:
    body, headers, answer = asked(kind, method, status)
    assert (list(answer), body.is_read, body.closed) == ([], False, True)
    assert ("Content-Length" in headers) == (method == "HEAD")
    assert {"Content-Type", "ETag"} <= set(headers)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_other_body_is_given_as_it_is_and_left_open(kind: Callable[[Body], Any]) -> None:
    for method, status in (("GET", "200 OK"), ("POST", "201 Created"), ("GET", "404 Not Found"), ("PUT", "500 -")):
        body, headers, answer = asked(kind, method, status)
        assert (body.closed, headers) == (False, [name for name, _ in HEADERS_OF_ANSWERS])
        assert isinstance(answer, type(kind(body)))
        assert b"".join(answer) == b"text"
