"""Before a study goes on, it is said what that fixes, what can be changed all the same, and who is told."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations import designing
from annotations.designing.lifecycle import Consequences, change_state, consequences
from annotations.models import Role, Study, StudyState
from tests.worlds.answering import complete_all
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db


def of(study: Study) -> dict[str, Consequences]:
    return {one.to: one for one in consequences(Study.objects.get(pk=study.pk))}


def test_every_state_says_where_it_leads() -> None:
    study = make_study(experts=4)
    found = [list(of(study))]
    designing.apply_plan(study=study)
    for state in (StudyState.PILOT, StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED):
        change_state(study=study, to=state)
        found.append(list(of(study)))
    assert found == [["pilot", "open"], ["open", "paused", "closed"], ["paused", "closed"], ["open", "closed"], []]


def test_a_draft_without_a_plan_says_what_is_missing_and_one_with_a_plan_how_much_opening_fixes() -> None:
    study = make_study(experts=4, display_threshold=0.2, display_step=0.05)
    assert of(study)["open"].missing == "There is no plan yet. Create the plan first."
    designing.apply_plan(study=study)
    opening = of(study)["open"]
    assert opening.missing == ""
    said = " ".join(opening.fixes)
    assert "6 comparisons of 2 systems on 6 texts, with 12 places (2 for each comparison)." in said
    assert "labels above 20%, in steps of 5%" in said
    assert "SHA-256" in said
    assert "exploratory" in said
    assert "invite more experts" in " ".join(opening.afterwards)
    assert (
        opening.told == "Experts are not notified by e-mail. "
        "The study has 4 experts, who will see their first text at the next sign-in."
    )


def test_opening_after_a_pilot_and_after_a_pause_fixes_only_what_is_not_fixed_yet() -> None:
    study = make_study(experts=4)
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.PILOT)
    assert not any("questions" in one for one in of(study)["open"].fixes)
    assert any("SHA-256" in one for one in of(study)["open"].fixes)
    change_state(study=study, to=StudyState.OPEN)
    change_state(study=study, to=StudyState.PAUSED)
    assert of(study)["open"].fixes == ()


def test_every_next_step_counts_the_experts_whom_it_concerns() -> None:
    study = make_study(experts=3)
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.OPEN)
    for next_state in of(study).values():
        assert re.findall(r"\d+", next_state.told) == ["3"]


def test_closing_says_how_many_places_stay_empty() -> None:
    study = make_study(experts=2)
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.OPEN)
    done = len(complete_all(study.memberships.get(number=0).user))
    assert f"{done} of 12 places" in of(study)["closed"].fixes[0]


def test_researchers_and_admins_read_it_and_reading_stores_nothing() -> None:
    study = make_study()
    for role, status in ((Role.RESEARCHER, 200), (Role.ADMIN, 200), (Role.EXPERT, 404)):
        client = Client()
        client.force_login(make_member(study, role, f"{role}@example.org").user)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get("/api/v1/studies/study/transition/")
        assert answer.status_code == status
        assert [one["sql"] for one in queries if not one["sql"].startswith("SELECT")] == []
        if status == 200:
            assert [one["to"] for one in answer.json()["next"]] == ["pilot", "open"]
