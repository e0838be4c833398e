"""Two sides that look the same are shown as what they are, and take both or neither."""

import csv
import io
import uuid
from typing import Any

import numpy as np
import pytest
from django.db import IntegrityError, transaction

from annotations import designing
from annotations.answering.guessing import NotAsked, guesses_of, store_guess
from annotations.answering.past_answers import store_correction
from annotations.answering.recording import IdenticalSides
from annotations.designing.lifecycle import change_state
from annotations.importing.memory.problems import ImportRefused
from annotations.importing.memory.tables import SystemTable
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import Assignment, Comparison, Guess, GuessedSide, Membership, Study, StudyState, User
from annotations.simulating.responses import simulate_study
from tests.worlds.answering import Page, answer, taken, unsaved_preference
from tests.worlds.datasets import store_dataset
from tests.worlds.exported import put, written
from tests.worlds.storing import store_preference
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db

PEOPLE = np.array([[0.4, 0.0, 0.6], [0.2, 0.8, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.2]])
# Drawn in fifths: as people on texts 0 and 2, otherwise on 1 and 3.
PREDICTED = np.array([[0.49, 0.1, 0.51], [0.5, 0.8, 0.0], [0.1, 0.05, 0.0], [1.0, 0.4, 0.2]])
IDENTICAL = {0, 2}


def planned(experts: int = 1, **settings: Any) -> Study:
    dataset = store_dataset(
        slug="some-dataset",
        title="A dataset",
        task="multilabel",
        gold=PEOPLE,
        labels=["x", "y", "z"],
        systems=[SystemTable("Model", PREDICTED, "Method")],
    )
    dataset.instances.update(parts=5)
    defaults = {"instances_per_system": len(PEOPLE), "experts_per_comparison": 1, "asks_guess": True}
    study = make_study(dataset=dataset, experts=experts, **defaults | settings)
    designing.apply_plan(study=study)
    return study


@pytest.fixture
def study() -> Study:
    return change_state(study=planned(), to=StudyState.OPEN)


@pytest.fixture
def user(study: Study) -> User:
    return User.objects.get(email="expert0@example.org")


def known(study: Study) -> dict[int, bool | None]:
    """Position of the instance -> what is stored of its comparison."""
    return dict(study.comparisons.values_list("instance__position", "identical"))


def prefer(assignment: Assignment, a: bool, b: bool) -> None:
    assert assignment.expert is not None
    store_preference(
        user=assignment.expert.user,
        token=assignment.token,
        key=uuid.uuid4(),
        a_chosen=a,
        b_chosen=b,
        certainty=0.5,
    )


def until(user: User, *, identical: bool) -> Assignment:
    """Answer, until the next comparison is of that kind; step 1 of that one is answered."""
    while True:
        assignment = taken(user)
        answer(assignment)
        if (assignment.instance.position in IDENTICAL) == identical:
            return assignment
        prefer(assignment, True, True)


def test_a_plan_knows_which_of_its_comparisons_draw_two_identical_sides() -> None:
    assert known(planned()) == {0: True, 1: False, 2: True, 3: False}


def test_a_draft_that_is_drawn_in_other_steps_knows_it_anew() -> None:
    study = planned()
    designing.change_settings(study=study, display_step=0.01)
    assert known(study) == {0: False, 1: False, 2: True, 3: False}
    designing.change_settings(study=study, display_threshold=0.0)
    assert known(study) == {0: False, 1: False, 2: False, 3: False}


def test_a_draft_that_was_planned_before_this_was_asked_knows_it_when_it_opens() -> None:
    study = planned()
    study.comparisons.update(identical=None)
    study = change_state(study=study, to=StudyState.PILOT)
    assert known(study) == {0: True, 1: False, 2: True, 3: False}


def test_a_study_that_began_before_keeps_all_four_answers(study: Study, user: User) -> None:
    study.comparisons.update(identical=None)
    prefer(until(user, identical=True), True, False)
    change_state(study=change_state(study=study, to=StudyState.PAUSED), to=StudyState.OPEN)
    assert set(known(study).values()) == {None}


@pytest.mark.parametrize("sides", [(True, False), (False, True)])
def test_identical_sides_take_no_side(study: Study, user: User, sides: tuple[bool, bool]) -> None:
    assignment = until(user, identical=True)
    with pytest.raises(IdenticalSides) as refusal:
        prefer(assignment, *sides)
    assert refusal.value.code == "identical_sides"
    assert not assignment.preferenceresponses.exists()


@pytest.mark.parametrize("sides", [(True, True), (False, False)])
def test_identical_sides_take_both_and_neither_and_no_correction_that_takes_a_side(
    study: Study, user: User, sides: tuple[bool, bool]
) -> None:
    assignment = until(user, identical=True)
    prefer(assignment, *sides)
    told = {"user": user, "token": assignment.token, "certainty": 0.5}
    with pytest.raises(IdenticalSides):
        store_correction(**told, key=uuid.uuid4(), a_chosen=True, b_chosen=False)
    store_correction(**told, key=uuid.uuid4(), a_chosen=not sides[0], b_chosen=not sides[1])


@pytest.mark.parametrize("sides", [(True, False), (False, True), (True, True), (False, False)])
def test_other_sides_take_all_four_answers(study: Study, user: User, sides: tuple[bool, bool]) -> None:
    prefer(until(user, identical=False), *sides)


def test_the_database_itself_refuses_a_side(study: Study, user: User) -> None:
    assignment = until(user, identical=True)
    for sides in ((True, False), (False, True)):
        with pytest.raises(IntegrityError), transaction.atomic():
            unsaved_preference(assignment, *sides).save()
    unsaved_preference(assignment, True, True).save()


def test_what_experts_have_seen_neither_becomes_nor_stops_being_identical(study: Study, user: User) -> None:
    seen = until(user, identical=True).comparison_id
    with pytest.raises(IntegrityError), transaction.atomic():
        Comparison.objects.filter(pk=seen).update(identical=False)
    seen = until(user, identical=False).comparison_id
    with pytest.raises(IntegrityError), transaction.atomic():
        Comparison.objects.filter(pk=seen).update(identical=True)


def test_the_page_is_told_and_gets_the_same_bars_on_both_sides(study: Study, user: User) -> None:
    page = Page(user)
    for _ in range(len(PEOPLE)):
        token = page.next().json()["assignment"]["token"]
        shown = page.labels(token).json()["assignment"]["comparison"]
        position = Assignment.objects.get(token=token).instance.position
        assert shown["identical"] == (position in IDENTICAL) == (shown["a"] == shown["b"])
        refused = page.preference(token)
        assert refused.status_code == (400 if shown["identical"] else 200)
        if shown["identical"]:
            assert refused.json()["code"] == "identical_sides"
            assert page.preference(token, b_chosen=True).status_code == 200


def test_nobody_is_asked_to_guess_about_identical_sides(study: Study, user: User) -> None:
    done = []
    for _ in range(len(PEOPLE)):
        assignment = taken(user)
        answer(assignment)
        prefer(assignment, True, True)
        done.append(assignment)
    asked = guesses_of(user=user, slug=study.slug)
    assert {one.instance.position for one in asked} == {1, 3}
    same = next(one for one in done if one.instance.position in IDENTICAL)
    with pytest.raises(NotAsked):
        store_guess(user=user, token=same.token, key=uuid.uuid4(), side=GuessedSide.A)
    with pytest.raises(IntegrityError), transaction.atomic():
        Guess.objects.create(
            assignment=same, key=uuid.uuid4(), side="a", created_at=same.completed_at or study.created_at
        )


def test_who_has_seen_identical_sides_only_is_asked_for_no_guess() -> None:
    study = planned()
    study.comparisons.exclude(instance__position__in=IDENTICAL).delete()
    study = change_state(study=study, to=StudyState.OPEN)
    user = Membership.objects.get(study=study).user
    for _ in IDENTICAL:
        assignment = taken(user)
        answer(assignment)
        prefer(assignment, False, False)
    assert guesses_of(user=user, slug=study.slug) == []


def test_simulated_experts_take_no_side_of_identical_ones() -> None:
    study = planned(experts=0, experts_per_comparison=6)
    simulate_study(study=change_state(study=study, to=StudyState.OPEN))
    answers = list(Assignment.objects.filter(study=study, comparison__identical=True, completed_at__isnull=False))
    assert len(answers) == 2 * 6
    assert {one.preferenceresponses.latest("revision").choice for one in answers} <= {"both", "neither"}


def test_an_export_says_which_were_identical_and_restores_it(study: Study, user: User, tmp_path: Any) -> None:
    prefer(until(user, identical=True), True, True)
    files = written(study)
    put(tmp_path, files)
    (counted,) = csv.DictReader(io.StringIO(written(study, "csv")["systems.csv"].decode()))
    done = study.assignments.filter(completed_at__isnull=False).values_list("instance__position", flat=True)
    assert int(counted["answers"]) == len(done)
    assert int(counted["answers_to_identical_sides"]) == len(IDENTICAL & set(done)) > 0
    restored = restore_study(responses=read_study_responses(tmp_path), dataset=study.dataset, slug="again").study
    assert known(restored) == known(study)
    assert restored.display_rule == 2
    line = b'"isOptionAPreferred": true, "isOptionBPreferred": true'
    for name in ("history.jsonl", "responses.jsonl"):
        (tmp_path / name).write_bytes(files[name].replace(line, line.replace(b"true", b"false", 1)))
    with pytest.raises(ImportRefused, match="both are the same"):
        read_study_responses(tmp_path)


def test_an_export_from_before_there_was_a_second_rule_keeps_the_first(study: Study, tmp_path: Any) -> None:
    for name, content in written(study).items():
        (tmp_path / name).write_bytes(content.replace(b'"display_rule": 2,', b"").replace(b', "identical": false', b""))
    restored = restore_study(responses=read_study_responses(tmp_path), dataset=study.dataset, slug="again").study
    assert restored.display_rule == 1
