"""The API from Python: `Client(url, token)`. One file without Django, which can be copied next to a notebook.

    study = Client("https://study.example.org", "hlv_...")
    runs = study.pages("studies/areas/runs/", state="succeeded").to_frame()

Without a token, people sign in as in the browser, and can do everything they can do there:

    study = Client("https://study.example.org").sign_in("ann@example.org", password)

Addresses are those in the API's documentation (`/api/v1/docs/`), without `/api/v1/`. If the server refuses, an
`ApiError` says why.
"""

from __future__ import annotations

import http.cookiejar
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

API = "/api/v1/"
MOST = 500
WAITING = {"queued", "running"}


class ApiError(Exception):
    """An error response from the server."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(body.get("code", "error"))
        self.detail = str(body.get("detail", "The server gave no reason."))
        self.data = body.get("data", {})
        self.fields: dict[str, list[str]] = dict(body.get("fields") or {})
        named = [f"{name}: {' '.join(sentences)}" for name, sentences in self.fields.items()]
        super().__init__(" ".join([f"{self.detail} ({status} {self.code})", *named]))


class JobFailed(Exception):
    """A job ended without a result; `job` is the server's description of it."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self.job = dict(job)
        super().__init__(job.get("error") or f"The job ended as {job.get('state')}.")


class Rows(list[dict[str, Any]]):
    """Rows as the server sent them.

    >>> Rows([{"system": "A", "metrics": {"f1": 0.5}}]).to_frame().columns.tolist()
    ['system', 'metrics.f1']
    """

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame; entries of nested objects get their own columns."""
        import pandas as pd

        return pd.json_normalize(list(self))


class Client:
    """Acts for one person, with their API token (made on the page "API tokens") or signed in.

    Args:
        url: where the server is, such as `https://study.example.org`.
        token: `hlv_...`; it can do what its owner can, except what needs a login. Empty: nobody yet (see `sign_in`).
        timeout: how many seconds to wait for a response.
    """

    def __init__(self, url: str, token: str = "", *, timeout: float = 60) -> None:
        self.url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))

    def __repr__(self) -> str:
        return f"Client({self.url!r})"  # never the token: notebooks are shared

    def sign_in(self, email: str, password: str) -> Client:
        """Act as this person from now on, as after signing in on the page."""
        self.get("session/")
        self.post("session/", email=email, password=password)
        return self

    def accept(self, link: str, password: str) -> Client:
        """Accept an invitation: agree to what it asks for, and act as the invited person from now on.

        Args:
            link: the full address of the invitation.
            password: a new one or, if the person has an account, that account's.
        """
        self.get("session/")
        token = link.rpartition("#")[2]
        consent = self.post("invitations/look/", token=token)["consent"]
        agreed = {"consent": consent["version"]} if consent else {}
        self.post("invitations/accept/", token=token, password=password, **agreed)
        return self

    def get(self, address: str, **query: Any) -> Any:
        """GET an address: JSON as Python objects, a file as bytes."""
        return self._sent("GET", address, query=query)

    def post(self, address: str, body: Any = None, **fields: Any) -> Any:
        """POST to an address. The body is one object, or its fields by name."""
        return self._sent("POST", address, body=_body(body, fields))

    def put(self, address: str, body: Any = None, **fields: Any) -> Any:
        """PUT: replace what is there."""
        return self._sent("PUT", address, body=_body(body, fields))

    def patch(self, address: str, body: Any = None, **fields: Any) -> Any:
        """PATCH: change some fields of what is there."""
        return self._sent("PATCH", address, body=_body(body, fields))

    def delete(self, address: str) -> Any:
        """DELETE what is there."""
        return self._sent("DELETE", address)

    def pages(self, address: str, **query: Any) -> Rows:
        """All rows of a list, page after page."""
        rows, page = Rows(), 1
        while True:
            answer = self.get(address, **{"limit": MOST, **query, "page": page})
            rows += answer["results"]
            if answer["next"] is None:
                return rows
            page += 1

    def responses(self, study: str, **query: Any) -> Rows:
        """A study's answers that count, with the columns of the exported table.

        Args:
            study: its slug.
            query: filters, such as `pilot="exclude"` and `expert=3`; days as `**{"from": day}`.
        """
        return self.pages(f"studies/{study}/responses/", **query)

    def comparisons(self, study: str, **query: Any) -> Rows:
        """A study's comparisons, with the progress of each."""
        return self.pages(f"studies/{study}/comparisons/", **query)

    def distributions(self, dataset: str, system: str | None = None) -> Rows:
        """P, the share of people who chose each label for each text; with the name of a system, its Q."""
        who = "" if system is None else f"systems/{urllib.parse.quote(system)}/"
        return self.pages(f"datasets/{dataset}/{who}distributions/")

    def upload(self, address: str, files: Iterable[str | Path], **fields: Any) -> Any:
        """Upload files as the page for imports does, with further fields."""
        mark = uuid.uuid4().hex
        parts = [_part(mark, f'name="{name}"', _text(value).encode()) for name, value in fields.items()]
        parts += [
            _part(mark, f'name="files"; filename="{_plain(path)}"', path.read_bytes()) for path in map(Path, files)
        ]
        content = b"".join([*parts, f"--{mark}--\r\n".encode()])
        return self._sent("POST", address, content=content, kind=f"multipart/form-data; boundary={mark}")

    def wait(self, job: Mapping[str, Any] | str, at: str = "runs", *, every: float = 0.5, seconds: float = 3600) -> Any:
        """Wait for a job to succeed, and return it.

        Args:
            job: what starting it returned, or its id.
            at: the list that contains it: `runs`, `imports` or `documents`.

        Raises:
            JobFailed: it failed or was cancelled.
            TimeoutError: it has not ended after so many seconds.
        """
        end = time.monotonic() + seconds
        state = self.get(f"{at}/{job if isinstance(job, str) else job['id']}/")
        while state["state"] in WAITING:
            if time.monotonic() > end:
                raise TimeoutError(f"The job is still {state['state']} after {seconds} seconds.")
            time.sleep(every)
            state = self.get(f"{at}/{state['id']}/")
        if state["state"] != "succeeded":
            raise JobFailed(state)
        return state

    def _sent(
        self,
        method: str,
        address: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        kind: str = "application/json",
    ) -> Any:
        url = self.url + API + address.removeprefix(API).lstrip("/")
        if query:
            url += "?" + urllib.parse.urlencode({name: _text(value) for name, value in query.items()})
        if body is not None:
            content = json.dumps(body).encode()
        headers = {"Accept": "application/json", **self._known_as()}
        if content is not None:
            headers["Content-Type"] = kind
        request = urllib.request.Request(url, content, headers, method=method)  # noqa: S310 (the caller's own server)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return _read(answer.headers.get_content_type(), answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise ApiError(error.code, _error_body(error.read())) from None

    def _known_as(self) -> dict[str, str]:
        """The headers that say who is asking: the token, or what the server's pages send in addition to cookies."""
        if self._token:
            return {"Authorization": f"Bearer {self._token}"}
        forgery = {cookie.name: cookie.value for cookie in self._cookies}.get("csrftoken")
        return {"X-CSRFToken": forgery, "Referer": f"{self.url}/"} if forgery else {}


def _read(kind: str, content: bytes) -> Any:
    if kind != "application/json":
        return content
    return json.loads(content) if content else None


def _error_body(content: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _body(body: Any, fields: Mapping[str, Any]) -> Any:
    if body is not None and fields:
        raise TypeError("pass the body either as one object or as keyword fields, not both")
    return dict(fields) if body is None else body


def _text(value: Any) -> str:
    """A value as text in an address or a form.

    >>> _text(True), _text({"a": 1}), _text("x")
    ('true', '{"a": 1}', 'x')
    """
    return value if isinstance(value, str) else json.dumps(value)


def _plain(path: Path) -> str:
    """A file's name in a form that may be quoted."""
    return path.name.replace('"', "'")


def _part(mark: str, header: str, content: bytes) -> bytes:
    return b"\r\n".join([f"--{mark}\r\nContent-Disposition: form-data; {header}\r\n".encode(), content, b""])
