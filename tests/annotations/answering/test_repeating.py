"""Deliberate repeats: each expert gets some texts again at the end, and nothing says which they are."""

import uuid

import pytest
from django.db import IntegrityError, transaction

from annotations import designing
from annotations.answering.assigning import ask_for_more, next_assignment
from annotations.answering.guessing import open_guesses
from annotations.answering.watching import watch
from annotations.designing.lifecycle import change_state
from annotations.designing.overview import overview
from annotations.designing.starting import InvalidSettings, change_settings
from annotations.designing.workload import workload
from annotations.models import Assignment, StudyState
from annotations.shown.consent import consent_text
from tests.worlds.answering import Page, ahead_of, complete, complete_all, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.storing import store_report
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db


def world(**settings):
    """Six comparisons on six texts for two experts each, and three experts: four for everybody, two of them twice."""
    return make_open_study(dataset=make_dataset(instances=6), experts=3, **{"repeats_per_expert": 2} | settings)


def user(study, number=0):
    return study.memberships.get(number=number).user


def answered(who):
    """Everything that is handed out without asking for more, and what was told of the progress each time."""
    got, told = [], []
    while (handed := next_assignment(user=who, slug="study")).assignment:
        told.append((handed.progress.done, handed.progress.total))
        complete(handed.assignment)
        got.append(handed.assignment)
    return got, told


@pytest.mark.parametrize("assigning", ["open_pool", "named"])
def test_the_last_texts_are_some_of_the_first_again_and_the_total_counts_them_from_the_start(assigning):
    got, told = answered(user(world(assigning=assigning)))
    first, again = got[:-2], got[-2:]
    assert told == [(number, len(got)) for number in range(len(got))]
    assert [one.repeat_of for one in first] == [None] * len(first)
    assert len({one.repeat_of_id for one in again}) == 2
    assert {one.repeat_of for one in again} <= set(first[:2])
    assert all(one.comparison_id == one.repeat_of.comparison_id for one in again)


def test_a_repeat_is_no_place_of_its_comparison():
    study = world()
    for number in range(3):
        answered(user(study, number))
    assert study.assignments.exclude(repeat_of=None).count() == 6
    assert study.assignments.filter(repeat_of=None).count() == 12
    watched, planned = watch(study), overview(study=study)
    assert (watched.done, watched.total, watched.lacking) == (12, 12, 0)
    assert {(row.places, row.completed) for row in planned.systems} == {(6, 6)}
    assert {(one.assigned, one.completed) for one in planned.experts} == {(4, 4)}


def test_nobody_gets_a_place_beside_the_others_for_a_repeat():
    study = world()
    mine = answered(user(study))[0][0]
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(
            study=study, comparison=mine.comparison, instance=mine.instance, place=mine.place, places=mine.places
        )


def test_who_asks_for_more_repeats_nothing_a_third_time():
    study = world()
    answered(user(study))
    more = ask_for_more(user=user(study), slug="study")
    assert more.assignment is not None
    assert more.assignment.repeat_of is None
    assert len([one for one in complete_all(user(study)) if one.repeat_of]) == 0


def test_who_comes_back_with_a_repeat_ahead_is_shown_first_what_they_had_in_hand():
    study = world()
    for _ in range(3):
        complete(taken(user(study)))
    last = taken(user(study))
    repeat = ahead_of(user(study), last.token).assignment
    assert repeat.repeat_of is not None
    assert taken(user(study)) == last
    complete(last)
    assert taken(user(study)) == repeat


def test_a_skipped_repeat_makes_no_place_free_and_is_not_asked_again():
    study = world()
    got, _ = [], None
    while (handed := next_assignment(user=user(study), slug="study")).assignment.repeat_of is None:
        complete(handed.assignment)
        got.append(handed.assignment)
    free = Assignment.objects.free().filter(study=study).count()
    store_report(user=user(study), token=handed.assignment.token, key=uuid.uuid4(), reason="other", text="", skip=True)
    assert Assignment.objects.free().filter(study=study).count() == free
    rest, told = answered(user(study))
    assert (len(rest), told) == (1, [(4, 5)])


def test_nothing_that_is_handed_out_says_that_it_is_a_repeat():
    page = Page(user(world()))
    tasks = []
    while (task := page.next().json())["assignment"] is not None:
        token = task["assignment"]["token"]
        shown = page.labels(token).json()
        tasks.append((task, shown))
        page.preference(token)
    assert {one["study"]["repeats"] for one, _ in tasks} == {True}
    (first, step_2), (last, again) = tasks[0], tasks[-1]
    assert set(first) == set(last)
    assert set(first["assignment"]) == set(last["assignment"])
    assert set(step_2) == set(again)
    assert {name: first["study"][name] for name in first["study"]} == last["study"]
    same = next(one for one, _ in tasks if one["assignment"]["segments"] == last["assignment"]["segments"])
    for name in set(last["assignment"]) - {"token"}:
        assert same["assignment"][name] == last["assignment"][name]


def test_experts_are_told_before_that_some_texts_come_twice():
    study = make_study(repeats_per_expert=1)
    assert "come twice" in consent_text(study)
    study.language = "de"
    assert "zweimal" in consent_text(study)
    study.repeats_per_expert = 0
    assert "zweimal" not in consent_text(study)


def test_guesses_wait_for_the_repeats():
    study = world(asks_guess=True, instances_per_system=3)
    expert = study.memberships.select_related("study").get(number=0)
    while (handed := next_assignment(user=expert.user, slug="study")).assignment:
        assert open_guesses(expert=expert) == []
        complete(handed.assignment)
    assert open_guesses(expert=expert)


def test_the_pilot_repeats_what_it_asked_and_the_study_its_own():
    study = make_study(dataset=make_dataset(instances=6), experts=6, repeats_per_expert=1)
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.PILOT)
    got, _ = answered(user(study))
    assert got[-1].repeat_of in got[:-1]
    assert {one.is_pilot for one in study.assignments.filter(expert__number=0)} == {True}
    change_state(study=study, to=StudyState.OPEN)
    assert study.assignments.filter(is_pilot=False, repeat_of=None).count() == 12


def test_the_workload_counts_repeats_and_the_setting_has_bounds():
    study = make_study(experts=4)
    before = workload(study).texts_per_expert
    study = change_settings(study=study, repeats_per_expert=2)
    assert workload(study).texts_per_expert == before + 2
    with pytest.raises(InvalidSettings):
        change_settings(study=study, repeats_per_expert=-1)
