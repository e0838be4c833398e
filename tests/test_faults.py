"""The check after a fault complains about what is lost, doubled or unfinished; every scenario has its row."""

import asyncio
import copy
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from annotations.models import LabelResponse, PreferenceResponse, User
from annotations.models.jobs import ExportJob
from tests.benchmarks.load.users import Clock, Plan, Refused
from tests.faults import verification
from tests.faults.load import Outcome, longest_silence
from tests.faults.persisting import Persisting
from tests.faults.reliability_page import PAGE, rows_in, write, written
from tests.faults.scenario import Options, found
from tests.faults.verification import verdict_on
from tests.worlds.answering import complete, taken
from tests.worlds.studies import make_open_study

NO_KEYS_MADE = "0 events sides_committed, not 1"
"""The keys of a test's study are known, so that no event says that they were made."""


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


def test_what_is_stored_as_it_was_acknowledged_is_no_problem(answered):
    verdict = verdict_on(*answered)
    assert (verdict.lost, verdict.doubled, verdict.problems) == (0, 0, (NO_KEYS_MADE,))


@pytest.mark.parametrize("step", ["labels", "preference"])
def test_a_lost_answer_is_counted_and_said(answered, step):
    study, told = answered
    gone = copy.deepcopy(told[0])
    gone[step][0] = str(uuid.uuid4())
    verdict = verdict_on(study, [*told[1:], gone])
    assert verdict.lost == 1
    assert any("are lost" in problem for problem in verdict.problems)


def test_a_doubled_answer_is_counted_and_said(answered):
    study, told = answered
    one = PreferenceResponse.objects.first()
    again = {"revision": 1, "a_chosen": one.a_chosen, "b_chosen": one.b_chosen, "created_at": one.created_at}
    PreferenceResponse.objects.create(assignment=one.assignment, key=uuid.uuid4(), **again)
    verdict = verdict_on(study, told)
    assert (verdict.lost, verdict.doubled) == (0, 1)
    assert any("several preference responses" in problem for problem in verdict.problems)


def test_sides_out_of_balance_and_a_job_that_did_not_end_are_said(answered, monkeypatch):
    study, told = answered
    monkeypatch.setattr(verification, "LIMIT", -1)  # the database itself refuses to change a side
    ExportJob.objects.create(study=study, format="csv", owner=User.objects.first())
    problems = verdict_on(study, told).problems
    assert "the sides of 2 experts are not balanced" in problems
    assert "1 jobs have not ended: annotations.ExportJob" in problems


def test_silence_is_measured_from_the_first_fault_on():
    assert longest_silence([1.0, 5.0, 6.0, 9.0], [6.5]) == 3.0
    assert longest_silence([1.0, 2.0], [3.0]) is None


def test_an_answer_is_sent_again_with_its_key_until_it_is_acknowledged(tmp_path, monkeypatch):
    from tests.benchmarks.load.users import User as Users

    sent, answers = [], [ConnectionError("away"), Refused("503 POST x"), "kept"]

    async def ask(self, method, path, body=None, *, form=None):
        sent.append(body)
        said = answers[len(sent) - 1]
        if isinstance(said, Exception):
            raise said
        return said

    monkeypatch.setattr(Users, "ask", ask)
    monkeypatch.setattr("tests.faults.persisting.AGAIN_SECONDS", 0)
    person = {"user": 1, "log": str(tmp_path / "log"), "stop": str(tmp_path / "stop"), "port": 1, "pause": 0}
    expert = Persisting(Clock(Plan("", 1, [person], 1, 0, 1)), None, person)

    def ask_and_wait() -> object:
        """In a thread of its own: in that of the tests, Playwright's event loop may be running."""
        with ThreadPoolExecutor(1) as beside:
            return beside.submit(lambda: asyncio.run(expert.ask("POST", "x", {"key": "k"}))).result()

    assert ask_and_wait() == "kept"
    assert sent == [{"key": "k"}] * 3
    answers[:] = [Refused("409 POST x")] * 9
    with pytest.raises(Refused):
        ask_and_wait()
    assert len((tmp_path / "log").read_text().splitlines()) == 3


def test_every_fault_has_a_name_a_title_and_a_row(tmp_path):
    scenarios = found()
    assert {"web_killed", "worker_killed", "postgresql_killed", "redis_killed", "many_answers"} <= set(scenarios)
    page = tmp_path / "reliability.md"
    for name, scenario in scenarios.items():
        assert scenario.title
        assert scenario.answers_at_most(Options()) > 0
        write(Outcome(name, scenario.title, 1, 5, silence=1.5), order=list(scenarios), page=page)
    first = next(iter(scenarios))
    write(Outcome(first, "t", 1, 5, lost=1, problems=("1 | lost",)), order=list(scenarios), page=page)
    rows = rows_in(page.read_text())
    assert list(rows) == list(scenarios)
    assert "FAILED: 1   lost" in rows.pop(first)
    assert all("| 5 | 0 | 0 | 1.5 | holds |" in row for row in rows.values())


def test_only_what_was_acknowledged_and_is_whole_holds():
    assert Outcome("x", "X", 1, 5).holds
    for bad in (Outcome("x", "X", 1, 0), Outcome("x", "X", 1, 5, doubled=1), Outcome("x", "X", missing="no root")):
        assert not bad.holds


def test_the_page_says_what_the_command_would_write():
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(rows_in(page), order=list(found()))
