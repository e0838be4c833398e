"""The benchmark of an answer's cost answers as a page does, and says when a large study costs too much."""

import pytest

from annotations.models import PreferenceResponse
from tests.benchmarks.answering.__main__ import LIMIT, Run, ratio_of, written
from tests.benchmarks.answering.inside import Expert, cpu, fill
from tests.benchmarks.answering.worlds import SAYS, SMALL


def costs(**seconds):
    """Three rounds in which a world costs so many seconds; the others cost one."""
    names = [SMALL, *SAYS]
    return {
        name: [{what: seconds.get(name, 1.0) * noise for what in ("cpu", "wall")} for noise in (1, 9, 1)]
        for name in names
    }


@pytest.mark.django_db(transaction=True)  # requests close their connection, as they do in a server
def test_an_expert_answers_one_text_after_the_other():
    experts = [Expert(session) for session in fill({"texts": 8, "experts": 2})]
    for expert in experts:
        expert.begin()
        expert.answer()
        expert.answer()
    assert PreferenceResponse.objects.values("assignment__instance").count() == 4
    assert cpu() > 0


def test_noise_that_meets_a_whole_round_does_not_change_a_ratio():
    assert ratio_of(costs(places=1.2), "places", "cpu") == pytest.approx(1.2)


def test_a_ratio_above_the_limit_is_missed_and_said():
    fine, slow = Run("SQLite", costs(places=LIMIT)), Run("PostgreSQL", costs(systems=LIMIT + 0.1))
    assert (fine.holds, slow.holds) == (True, False)
    body = written([fine, slow], 3)
    assert [SAYS["systems"] in line for line in body.splitlines() if "MISSED" in line] == [True]


def test_what_an_expert_s_first_text_costs_is_said_and_not_held_to_the_limit():
    run = Run("SQLite", costs(), costs(places=30.0))
    assert run.holds
    assert "SQLite, an expert's first text, once: 1000 → 30000 ms" in written([run], 3)


def test_a_database_that_did_not_answer_is_said_and_does_not_hold():
    run = Run("PostgreSQL", missing="no database could be made")
    assert not run.holds
    assert "not measured: no database could be made" in written([run], 3)
