"""A pilot uses up nothing: when the study opens, every place that it took is there afresh, for somebody else."""

import pytest

from annotations import designing
from annotations.answering.assigning import next_assignment
from annotations.api.studies import cards, whole_study
from annotations.designing.lifecycle import change_state
from annotations.models import Assignment, Event, EventKind, Study, StudyState, User
from tests.worlds import storing
from tests.worlds.answering import answer, complete, complete_all, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


def make_pilot(experts: int = 3, **settings: object) -> Study:
    """Six comparisons of two places each."""
    study = make_study(dataset=make_dataset(instances=6), experts=experts, **settings)
    designing.apply_plan(study=study)
    return change_state(study=study, to=StudyState.PILOT)


def user_of(study: Study, number: int = 0) -> User:
    return study.memberships.experts().select_related("user").get(number=number).user


def main_places(study: Study) -> list[tuple[int, int]]:
    rows = study.assignments.filter(is_pilot=False, released_at=None)
    return sorted(rows.values_list("comparison__position", "place"))


def test_the_main_study_has_all_its_places_whatever_the_pilot_took():
    study = make_pilot()
    planned = main_places(study)
    done = [complete(taken(user_of(study))).assignment for _ in range(3)]
    begun = taken(user_of(study, 1))
    answer(begun)
    claimed = taken(user_of(study, 2))
    study = change_state(study=study, to=StudyState.OPEN)
    assert main_places(study) == planned
    pilots = study.assignments.filter(is_pilot=True)
    assert {one.pk for one in pilots} == {one.pk for one in done} | {begun.pk}
    claimed.refresh_from_db()
    assert not claimed.is_pilot  # nobody has seen it yet: it goes on as the main study's
    assert Event.objects.get(kind=EventKind.STATE_CHANGED, data__after="open").data["fresh_places"] == 4


def test_a_begun_text_of_the_pilot_is_answered_later_as_the_pilots():
    study = make_pilot()
    begun = taken(user_of(study))
    answer(begun)
    change_state(study=study, to=StudyState.OPEN)
    assert taken(user_of(study)) == begun
    begun.refresh_from_db()
    complete(begun)
    begun.refresh_from_db()
    assert begun.is_pilot
    fresh = study.assignments.get(comparison=begun.comparison_id, place=begun.place, is_pilot=False)
    assert fresh.expert is None


def test_nobody_gets_in_the_main_study_what_they_saw_in_the_pilot():
    study = make_pilot(experts=1)
    seen = {one.instance_id for one in complete_all(user_of(study))[:3]}
    change_state(study=study, to=StudyState.OPEN)
    later = {one.instance_id for one in complete_all(user_of(study))}
    assert seen
    assert not seen & later


def test_skipping_a_text_of_the_pilot_makes_no_second_fresh_place():
    study = make_pilot()
    planned = main_places(study)
    begun = taken(user_of(study))
    answer(begun)
    change_state(study=study, to=StudyState.OPEN)
    storing.store_report(user=user_of(study), token=begun.token, key=begun.token, reason="other", text="", skip=True)
    assert main_places(study) == planned
    other = next_assignment(user=user_of(study, 1), slug=study.slug).assignment
    assert other is not None
    storing.store_report(user=user_of(study, 1), token=other.token, key=other.token, reason="other", skip=True)
    assert main_places(study) == planned  # a place of the main study is made anew as ever


def test_skipping_in_the_main_study_what_the_pilot_answered_makes_a_place_as_ever():
    study = make_pilot()
    planned = main_places(study)
    answered = complete(taken(user_of(study))).assignment
    change_state(study=study, to=StudyState.OPEN)
    again = taken(user_of(study, 1))
    assert (again.comparison_id, again.place) == (answered.comparison_id, answered.place)
    storing.store_report(user=user_of(study, 1), token=again.token, key=again.token, reason="other", skip=True)
    assert main_places(study) == planned


def test_opening_again_after_a_pause_makes_nothing_more():
    study = make_pilot()
    complete(taken(user_of(study)))
    for state in (StudyState.OPEN, StudyState.PAUSED, StudyState.OPEN):
        study = change_state(study=study, to=state)
        before = study.assignments.count()
    assert study.assignments.count() == before == 13


def test_a_text_given_by_name_and_shown_in_the_pilot_has_a_fresh_place_too():
    study = make_pilot(experts=4, assigning="named")
    planned = main_places(study)
    complete(taken(user_of(study)))
    study = change_state(study=study, to=StudyState.OPEN)
    assert main_places(study) == planned
    assert study.assignments.free().count() == 1


def test_counts_are_those_of_the_main_study_with_the_pilots_apart(make_user):
    study = make_pilot()
    for _ in range(3):
        complete(taken(user_of(study)))
    during = whole_study(study, make_user())["counts"]
    assert (during["places"], during["completed"], during["pilot"]) == (12, 3, 3)
    study = change_state(study=study, to=StudyState.OPEN)
    complete(taken(user_of(study, 1)))
    after = whole_study(study, make_user("other@example.org"))["counts"]
    assert (after["places"], after["completed"], after["pilot"]) == (during["places"], 1, 3)
    plan = designing.overview(study=study)
    assert sum(row.places for row in plan.systems) == after["places"]
    assert sum(row.completed for row in plan.systems) == 1
    root = User.objects.create_superuser("root@example.org")
    assert cards(root)[0]["progress"] == {"done": 1, "total": after["places"]}


def test_the_plan_says_in_time_that_others_are_needed_after_the_pilot():
    study = make_pilot(experts=2)
    assert designing.overview(study=study).pilot_warning == ""
    complete(taken(user_of(study)))
    plan = designing.overview(study=study)
    assert "1 more expert " in plan.pilot_warning
    assert plan.pilot_warning in plan.warnings
    study = change_state(study=study, to=StudyState.OPEN)
    plan = designing.overview(study=study)
    assert (plan.missing_experts, plan.pilot_warning) == (1, "")


def test_two_rows_of_one_place_are_one_of_the_pilot_and_one_of_the_main_study():
    study = make_pilot()
    complete(taken(user_of(study)))
    change_state(study=study, to=StudyState.OPEN)
    rows = Assignment.objects.filter(study=study).values_list("comparison", "place", "is_pilot")
    assert len(set(rows)) == len(rows)
