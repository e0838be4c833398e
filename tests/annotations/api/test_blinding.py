"""Nothing that an expert's browser receives tells which side is human, or which system it is.

Two worlds are built that differ only in who said what: the matrices of the two sources are exchanged, the side
orders turned round, and everything that experts must not see has other names. Then the same expert does the
same in both, over every address that the server has, and every byte of every answer must be the same.
"""

import json
import re
import uuid
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pyotp
import pytest
from django.db import transaction
from django.test import Client
from django.urls import Resolver404, resolve
from django.utils import timezone

from annotations.answering import moderating
from annotations.designing.lifecycle import change_state
from annotations.ground import sides
from annotations.models import Report, Study, StudyState, User
from annotations.models.people import Session, hash_of
from annotations.people.sign_in import passkeys
from tests.annotations.api.addresses import every_address
from tests.annotations.api.twins import INSTANCES, LABELS, Twin, make_twin

pytestmark = pytest.mark.django_db

# Two systems are shown in the same way as people and a system: each database has its say about the latter.
COMPARED = pytest.mark.parametrize("compares", ["human_vs_system", "system_vs_system"])

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
EXPERTS_CAN = ("labels", "preference", "report", "correction", "guess", "answer")
UNSTABLE = {"date", "x-request-id", "set-cookie"}  # cookies hold random tokens; their names are compared


Answers = list[tuple[str, int, list[tuple[str, str]], bytes]]


class Recorder:
    """A browser that keeps every byte it gets."""

    def __init__(self, email: str) -> None:
        self.client = Client()
        self.client.force_login(User.objects.get(email=email))
        Session.objects.update(created_at=NOON, used_at=NOON)  # whose defaults were bound before the clock stood still
        self.session = hash_of(self.client.cookies["sessionid"].value)
        self.answers: Answers = []
        self.keys = 0

    def key(self) -> str:
        self.keys += 1
        return str(uuid.UUID(int=self.keys))

    def send(self, method: str, address: str, body: dict[str, Any] | None = None) -> Any:
        response: Any = self.client.generic(
            method, address, json.dumps(body) if body is not None else "", content_type="application/json"
        )
        content = b"".join(response.streaming_content) if response.streaming else response.content
        content = content.replace(self.session.encode(), b"SESSION")  # as random as a nonce
        headers = sorted((name.lower(), value) for name, value in response.headers.items())
        headers = [(name, value) for name, value in headers if name not in UNSTABLE]
        # The page's shell carries a fresh random nonce, in header and body.
        nonce = re.search(r"'nonce-([^']+)'", response.headers.get("Content-Security-Policy", ""))
        if nonce:
            headers = [(name, value.replace(nonce[1], "NONCE")) for name, value in headers]
            content = content.replace(nonce[1].encode(), b"NONCE")
        headers += [("cookies", " ".join(sorted(response.cookies)))]
        self.answers.append((f"{method} {address}", response.status_code, headers, content))
        return response


def whole_visit(recorder: Recorder, another_token: str) -> None:
    """An expert who does everything that the pages do, and everything wrong as well, until nothing is left."""
    api, last = "/api/studies/the-study/next/", "/api/studies/the-study/last/"
    recorder.send("POST", last)  # too early
    recorder.send("GET", "/api/session/")
    recorder.send("GET", "/api/studies/")
    for turn in range(INSTANCES + 1):
        task = recorder.send("POST", api).json()
        if task["assignment"] is None:
            task = recorder.send("POST", "/api/studies/the-study/more/").json()
        if task["assignment"] is None:
            break
        address = f"/api/assignments/{task['assignment']['token']}"
        labels = {"key": recorder.key(), "labels": [turn % LABELS], "active_ms": 100}
        preference = {"key": recorder.key(), "a_chosen": True, "b_chosen": False, "certainty": 0.5, "active_ms": 100}
        report = {"key": recorder.key(), "reason": "other", "text": "odd", "skip": turn == 2}
        recorder.send("POST", f"{address}/preference/", preference)  # too early
        recorder.send("POST", f"{address}/labels/", {**labels, "labels": [99]})
        recorder.send("POST", f"{address}/labels/", {"labels": "nonsense"})
        taken = recorder.send("POST", f"{address}/labels/", labels).json()
        ahead = taken.get("next", {}).get("assignment")
        recorder.send("POST", f"{address}/labels/", labels)
        recorder.send("POST", f"{address}/labels/", {**labels, "key": recorder.key(), "labels": [3]})  # locked
        recorder.send("POST", api)
        recorder.send("POST", f"{address}/report/", report)
        recorder.send("POST", f"{address}/preference/", {**preference, "certainty": 7})
        recorder.send("POST", f"{address}/preference/", {**preference, "ahead": ahead["token"] if ahead else None})
        recorder.send("POST", f"{address}/preference/", preference)
        recorder.send("POST", f"{address}/preference/", {**preference, "key": recorder.key(), "b_chosen": True})
        recorder.send("POST", f"{address}/report/", {**report, "key": recorder.key(), "skip": True})
        recorder.send("POST", f"{address}/preference/", {**preference, "key": recorder.key(), "b_chosen": True})
        recorder.send("POST", last)
        correction = {**preference, "key": recorder.key(), "a_chosen": False}
        recorder.send("POST", f"{address}/correction/", correction)
        recorder.send("POST", f"{address}/correction/", correction)
        recorder.send("POST", f"{address}/correction/", {**correction, "certainty": 7})
        recorder.send("POST", last)
    for _ in range(2):
        recorder.send("POST", "/api/studies/the-study/practised/")
    for what in ("look", "accept"):
        recorder.send("POST", f"/api/invitations/{what}/", {"token": "nobody has this", "password": "x" * 12})
    look_back(recorder)
    guess_everything(recorder)
    look_back(recorder)
    for what in EXPERTS_CAN:
        recorder.send("POST", f"/api/assignments/{another_token}/{what}/", {})
        recorder.send("GET", f"/api/assignments/{another_token}/{what}/")
        recorder.send("POST", f"/api/assignments/{uuid.UUID(int=0)}/{what}/", {})


def look_back(recorder: Recorder) -> None:
    """At all of the own answers, page by page, and at each of them."""
    answers = "/api/studies/the-study/answers/"
    for page in (f"{answers}?limit=2", f"{answers}?limit=2&page=2", f"{answers}?page=99", answers):
        rows = recorder.send("GET", page).json().get("results", [])
    assert rows
    for row in rows:
        recorder.send("GET", f"/api/assignments/{row['token']}/answer/")


def guess_everything(recorder: Recorder) -> None:
    guesses = "/api/studies/the-study/guesses/"
    for turn, asked in enumerate(recorder.send("GET", guesses).json()["assignments"]):
        address = f"/api/assignments/{asked['token']}"
        guess = {"key": recorder.key(), "side": ["a", "b", "unknown"][turn % 3]}
        for sent in (guess, guess, {**guess, "key": recorder.key(), "side": "b"}, {**guess, "side": "human"}):
            recorder.send("POST", f"{address}/guess/", sent)
        recorder.send("GET", guesses)


def everything(recorder: Recorder, methods: Callable[[str], Iterable[str]]) -> None:
    for address in every_address():
        for method in methods(address):
            # At both of its addresses that would sign the expert out, and all that follows would be asked by nobody.
            if (method, address.replace("/api/v1/", "/api/")) != ("DELETE", "/api/session/"):
                recorder.send(method, address, None if method in {"GET", "HEAD", "OPTIONS"} else {})


def served(address: str) -> Iterable[str]:
    """The methods that reach code of ours; others are refused by the framework, and HEAD is GET without its body."""
    try:
        view: Any = resolve(address).func
    except Resolver404:
        return ("GET",)
    kind = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if kind is None:  # a function, which sees for itself
        return ("GET", "POST")
    known = getattr(view, "actions", None) or [name for name in kind.http_method_names if hasattr(kind, name)]
    return [name.upper() for name in sorted({*known, "options"} - {"head"})]


done: dict[tuple[Twin, Callable[[Study], Answers]], Answers] = {}


@pytest.fixture
def in_twin(monkeypatch: pytest.MonkeyPatch) -> Callable[[Twin, Callable[[Study], Answers]], Answers]:
    """Do something in a twin that is gone afterwards, with a clock that stands still; each thing once."""
    monkeypatch.setattr(timezone, "now", lambda: NOON)
    # What an app for codes and a passkey are given, at random.
    monkeypatch.setattr(pyotp, "random_base32", lambda: "A" * 32)
    monkeypatch.setattr(passkeys, "secrets", SimpleNamespace(token_bytes=bytes))

    coin = sides.coin

    def turned_round(key: bytes, *, study: str, expert: int, turn: int) -> bool:
        return not coin(key, study=study, expert=expert, turn=turn)

    def do(twin: Twin, what: Callable[[Study], Answers]) -> Answers:
        if (twin, what) in done:
            return done[twin, what]
        monkeypatch.setattr(sides, "coin", turned_round if twin.is_swapped and twin.sides_turned else coin)
        with transaction.atomic():
            study = make_twin(twin)
            User.objects.update(date_joined=NOON)  # whose default was bound before the clock stood still
            answers = what(study)
            transaction.set_rollback(True)
        done[twin, what] = answers
        return answers

    return do


def visit(study: Study) -> Answers:
    other = Recorder("expert1@example.org")
    another_token = other.send("POST", "/api/studies/the-study/next/").json()["assignment"]["token"]
    # First, because a place that was skipped comes back with a random token.
    third = withdrawn()
    recorder = Recorder("expert0@example.org")
    whole_visit(recorder, another_token)
    change_state(study=study, to=StudyState.PAUSED)
    recorder.send("POST", "/api/studies/the-study/next/")
    recorder.send("POST", f"/api/assignments/{another_token}/labels/", {})
    recorder.send("POST", "/api/studies/the-study/leave/", {"confirm": True})
    assert recorder.send("GET", "/api/former-studies/").json()["count"] == 1
    look_back(recorder)
    return third + recorder.answers


def withdrawn() -> Answers:
    """A text is withdrawn while an expert has it in hand, and comes back."""
    recorder = Recorder("expert2@example.org")
    api = "/api/studies/the-study/next/"
    address = f"/api/assignments/{recorder.send('POST', api).json()['assignment']['token']}"
    labels = {"key": recorder.key(), "labels": [1], "active_ms": 100}
    recorder.send("POST", f"{address}/labels/", labels)
    report = {"key": recorder.key(), "reason": "identifies_person", "text": "a name", "skip": False}
    recorder.send("POST", f"{address}/report/", report)
    told = Report.objects.get(key=report["key"])
    moderating.confirm(report=told)
    preference = {"key": recorder.key(), "a_chosen": True, "b_chosen": False, "certainty": 0.5, "active_ms": 100}
    recorder.send("POST", f"{address}/preference/", preference)
    recorder.send("POST", f"{address}/labels/", labels)
    recorder.send("POST", f"{address}/report/", {**report, "key": recorder.key()})
    recorder.send("POST", api)
    recorder.send("GET", "/api/studies/")
    moderating.show_again(report=told)
    recorder.send("POST", api)
    recorder.send("POST", f"{address}/preference/", preference)
    return recorder.answers


def try_everything(study: Study) -> Answers:
    recorder = Recorder("expert0@example.org")
    everything(recorder, served)
    return recorder.answers


def try_every_method(study: Study) -> Answers:
    recorder = Recorder("expert0@example.org")
    everything(recorder, lambda _: ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"))
    return recorder.answers


EVERY_METHOD = pytest.param(try_every_method, marks=pytest.mark.long)


@pytest.mark.parametrize(
    ("what", "compares"),
    [
        (visit, "human_vs_system"),
        (visit, "system_vs_system"),
        (try_everything, "human_vs_system"),
        pytest.param(try_every_method, "human_vs_system", marks=pytest.mark.long),
        pytest.param(try_every_method, "system_vs_system", marks=pytest.mark.long),
    ],
)
def test_exchanging_the_two_sources_changes_no_byte_that_an_expert_gets(in_twin, what, compares):
    twins = [Twin("amber", False, compares), Twin("basalt", True, compares)]
    plain, swapped = (in_twin(twin, what) for twin in twins)
    assert len(plain) == len(swapped)
    for one, other in zip(plain, swapped, strict=True):
        assert one == other, one[0]


@COMPARED
def test_two_sides_that_look_the_same_are_said_to_be_and_take_no_side(in_twin, compares):
    """Said of the whole comparison, so that it tells nothing of either source: the test above sees no byte change."""
    said, refused = [], set()
    for asked, status, _, body in in_twin(Twin("amber", False, compares), visit):
        if b'"comparison"' in body and status == 200:
            told = (json.loads(body).get("assignment") or {}).get("comparison")
            if told:
                assert told["identical"] == (told["a"] == told["b"])
                said.append(told["identical"])
        if b"identical_sides" in body:
            refused.add(asked.split("/")[-2])
            assert status == 400
    assert set(said) == {True, False}
    assert refused == {"preference"}


def test_exchanging_the_sources_alone_would_be_seen(in_twin):
    """The test above can fail: had it compared nothing, this one would fail."""
    plain = in_twin(Twin("amber", False, "human_vs_system"), visit)
    exchanged = in_twin(Twin("amber", True, "human_vs_system", sides_turned=False), visit)
    assert plain != exchanged


@pytest.mark.parametrize("what", [visit, try_everything, EVERY_METHOD])
def test_no_name_of_a_source_is_in_any_body_header_or_error(in_twin, what):
    twin = Twin("amber", False, "human_vs_system")
    for asked, _, headers, body in in_twin(twin, what):
        everything_sent = (str(headers) + body.decode(errors="replace")).lower()
        for secret in twin.secrets:
            assert secret not in everything_sent, f"{secret} in the answer to {asked}"


@pytest.mark.parametrize("what", [try_everything, EVERY_METHOD])
def test_an_expert_reaches_only_what_is_meant_for_experts(in_twin, what):
    """Every other address of the API answers as if it did not exist, whatever is asked of it."""
    answers = in_twin(Twin("amber", False, "human_vs_system"), what)
    reached = {
        asked.split()[1]
        for asked, status, _, _ in answers
        if asked.split()[1].startswith("/api/") and status not in {403, 404, 405} and not asked.startswith("OPTIONS")
    }
    token = uuid.UUID(int=1)
    # Every address is there twice: with its version, and as it was before there were versions.
    reached = {address.replace("/api/v1/", "/api/") for address in reached}
    assert reached <= {
        "/api/session/",
        "/api/account/",
        "/api/account/password/",
        "/api/account/close/",
        "/api/account/sign-out/",
        "/api/account/sessions/",
        "/api/account/break-in/",
        *(f"/api/session/again/{what}" for what in ("", "passkey/", "passkey/begin/")),
        "/api/account/second-factor/",
        *(
            f"/api/account/second-factor/{what}/"
            for what in ("begin", "confirm", "off", "recovery-codes", "app/remove")
        ),
        *(f"/api/account/second-factor/passkeys/{what}" for what in ("", "begin/", "1/remove/")),
        "/api/session/second-step/",
        "/api/session/passkey/",
        "/api/session/provider/",
        "/api/session/provider/answer/",
        "/api/account/provider/",
        "/api/account/provider/disconnect/",
        "/api/session/passkey/begin/",
        "/api/studies/",
        "/api/roles/offered/",
        "/api/former-studies/",
        "/api/studies/the-study/next/",
        "/api/studies/the-study/last/",
        "/api/studies/the-study/more/",
        "/api/studies/the-study/practised/",
        "/api/studies/the-study/profile/",
        "/api/studies/the-study/leave/",
        "/api/invitations/look/",
        "/api/invitations/accept/",
        "/api/studies/the-study/guesses/",
        "/api/studies/the-study/answers/",
        "/api/tokens/",
        *(f"/api/assignments/{token}/{what}/" for what in EXPERTS_CAN),
    }


def test_a_step_1_task_holds_nothing_of_step_2(in_twin):
    kinds = set()
    for asked, status, _, body in in_twin(Twin("amber", False, "human_vs_system"), visit):
        if asked.endswith(("/next/", "/more/")) and status == 200:
            assignment = json.loads(body)["assignment"]
            if assignment and assignment["step"] == 1:
                kinds.add(asked.split("/")[-2])
                assert assignment["comparison"] is None
                assert b'"value"' not in body
    assert "next" in kinds


def test_what_comes_with_an_answer_is_at_step_1_and_without_a_side(in_twin):
    """Whichever of the two texts in hand the answer is about."""
    kinds = set()
    for asked, status, _, body in in_twin(Twin("amber", False, "human_vs_system"), visit):
        if asked.endswith(("/labels/", "/preference/", "/report/")) and status == 200:
            came = json.loads(body)["next"]
            assert '"value"' not in json.dumps(came)
            if came and came["assignment"]:
                kinds.add(asked.split("/")[-2])
                assert (came["assignment"]["step"], came["assignment"]["comparison"]) == (1, None)
                assert came["assignment"]["token"] not in asked
    assert kinds == {"labels", "preference", "report"}


def test_the_comparison_leaves_the_server_only_after_its_own_step_1(in_twin):
    """Over a whole visit that also fetches ahead: a token is seen with bars only after its labels were stored."""
    stored = set()
    for asked, status, _, body in in_twin(Twin("amber", False, "human_vs_system"), visit):
        if asked.endswith("/labels/") and status == 200:
            stored.add(asked.split("/")[-3])
        if status == 200 and b'"value"' in body:
            told = json.loads(body)
            shown = told["assignments"] if asked.endswith("/guesses/") else [told["assignment"]]
            assert {assignment["token"] for assignment in shown} <= stored
    assert len(stored) > 2
