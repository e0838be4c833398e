"""The load harness measures what it says, follows the page's protocol, and notices what a database does not hold."""

import copy
import os
import uuid
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

import pytest

from annotations.models import LabelResponse, PreferenceResponse
from tests.benchmarks import _page
from tests.benchmarks.load.checks import problems_of
from tests.benchmarks.load.connection import whole
from tests.benchmarks.load.measuring import Outcome, Stage, outcome_of
from tests.benchmarks.load.systems import systems
from tests.benchmarks.load.systems.system import Sizes
from tests.benchmarks.load.table import ARRIVING, SESSIONS, limits, written
from tests.benchmarks.load.users import Measured
from tests.worlds.answering import complete, taken
from tests.worlds.studies import make_open_study


@pytest.fixture
def answered(db):
    """A study with two answers of each of two experts, and what a server would have acknowledged."""
    study = make_open_study(experts=2)
    for member in study.memberships.all():
        complete(taken(member.user))
        complete(taken(member.user))
    told = []
    for step_1 in LabelResponse.objects.select_related("assignment"):
        step_2 = PreferenceResponse.objects.get(assignment=step_1.assignment)
        told.append(
            {
                "token": str(step_1.assignment.token),
                "labels": [str(step_1.key), step_1.labels],
                "preference": [str(step_2.key), step_2.a_chosen, step_2.b_chosen, step_2.certainty],
            }
        )
    return study, told


NO_KEYS_MADE = "0 events sides_committed, not 1"
"""The keys of a test's study are known, so that no event says that they were made."""


def about_answers(study, told):
    return [problem for problem in problems_of(study, told) if problem != NO_KEYS_MADE]


def test_what_is_stored_as_it_was_acknowledged_is_no_problem(answered):
    assert about_answers(*answered) == []


def test_a_lost_answer_is_noticed(answered):
    study, told = answered
    lost = copy.deepcopy(told[0])
    lost["preference"][0] = str(uuid.uuid4())
    assert "1 acknowledged preference responses are lost" in about_answers(study, [*told[1:], lost])[0]


def test_a_changed_answer_is_noticed(answered):
    study, told = answered
    told[0]["labels"][1] = [1]
    assert "1 label responses are not what was sent" in about_answers(study, told)[0]


def test_an_answer_that_was_stored_twice_is_noticed(answered):
    study, told = answered
    one = PreferenceResponse.objects.first()
    again = {"revision": 1, "a_chosen": one.a_chosen, "b_chosen": one.b_chosen, "created_at": one.created_at}
    PreferenceResponse.objects.create(assignment=one.assignment, key=uuid.uuid4(), **again)
    assert about_answers(study, told) == [
        "1 assignments have several preference responses, though nobody corrected any"
    ]


def test_more_experts_than_planned_are_noticed(answered):
    study, told = answered
    study.experts_per_comparison = 0
    assert any("more experts than planned" in problem for problem in about_answers(study, told))


def test_a_missing_event_is_noticed(answered):
    assert problems_of(*answered) == [NO_KEYS_MADE]


def test_a_response_is_whole_when_all_of_it_is_there():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=b; Path=/\r\n\r\n"
    assert whole(head + b"2\r\n{}\r\n") is None
    reply = whole(head + b"2\r\n{}\r\n0\r\n\r\n")
    assert reply is not None
    assert (reply.data, reply.cookies) == ({}, {"a": "b"})
    assert whole(b"HTTP/1.1 204 No Content\r\n\r\n") is not None


def stage(users: int, answers: int, submits: list[float]) -> Stage:
    return Stage(users, Measured(users, 2.0, answers, submits), 0.1, 0.1, 0.0)


def arrived(milliseconds: float) -> Stage:
    return replace(stage(SESSIONS, 40, [10.0, milliseconds]), arriving=ARRIVING)


@pytest.mark.parametrize(("milliseconds", "rival", "verdicts"), [(150.0, 200, "hh"), (151.0, 201, "MM")])
def test_late_answers_and_a_peer_that_takes_more_are_missed(milliseconds: float, rival: int, verdicts: str) -> None:
    here = Outcome("here", "HLV Study", "1", (stage(20, 200, [10.0]), arrived(milliseconds)), ())
    peers = [Outcome(name, name, "1", (stage(20, answers, [1.0]),), ()) for name, answers in answers_of_peers(rival)]
    bare = Outcome("bare", "bare", "1", (stage(20, 4000, [1.0]),), ())
    told = [limit.verdict[0] for limit in limits([here, bare, *peers], users=[20])]
    assert told == [*verdicts, "h"]


def answers_of_peers(rival: int) -> list[tuple[str, int]]:
    return [("potato", 10), ("doccano", rival)]


def test_what_was_not_measured_as_asked_does_not_hold() -> None:
    other = replace(arrived(10.0), arriving=ARRIVING / 2)
    here = Outcome("here", "HLV Study", "1", (stage(20, 200, [10.0]), other), ())
    assert [limit.verdict for limit in limits([here], users=[20])] == ["not measured", "not measured", "holds"]


def test_what_went_wrong_stands_in_the_table():
    here = Outcome("here", "HLV Study", "1", (stage(20, 400, [10.0]),), ("2 are lost",))
    potato = Outcome("potato", "Potato", "", (), (), missing="the registry does not answer")
    page = written([here, potato], limits([here, potato], users=[20]), seconds=2, database="SQLite")
    assert "- HLV Study: 2 are lost" in page
    assert "not measured: the registry does not answer" in page


def test_a_busy_machine_is_told():
    busy = replace(stage(20, 400, [10.0]), others_share=0.6)
    page = written([Outcome("here", "HLV Study", "1", (busy,), ())], [], seconds=2, database="SQLite")
    assert "other work took up to 60% of its processors" in page


def test_a_section_of_the_page_is_written_anew_and_the_others_stay(tmp_path):
    page = tmp_path / "performance.md"
    _page.write("numbers", "Numbers", "one", command="python -m numbers", page=page)
    _page.write("load", "Load", "two", command="python -m load", page=page)
    _page.write("numbers", "Numbers", "three", command="python -m numbers", page=page)
    found = _page.sections(page.read_text())
    assert list(found) == ["load", "numbers"]
    assert found["numbers"].endswith("three")
    assert "one" not in page.read_text()


@pytest.mark.long
@pytest.mark.parametrize("name", ["here", "bare"])
def test_two_users_are_measured_and_nothing_is_lost(name):
    """Also that today's protocol is the one that the harness speaks."""
    server = os.environ.get("DATABASE_URL", "")
    if server:  # any database there will do: one of its own is made
        server = urlunsplit(urlsplit(server)._replace(path="/postgres"))
    sizes = Sizes(users=2, texts=40, systems=2, is_small=True)
    outcome = outcome_of(systems()[name], users=[1, 2], seconds=1, warm=0.2, sizes=sizes, server=server, arriving=20)
    assert outcome.missing == ""
    assert [stage.arriving for stage in outcome.stages] == [0, 0, 20]
    assert outcome.problems == ()
    assert all(stage.measured.answers and stage.percentile(50) > 0 for stage in outcome.stages)
