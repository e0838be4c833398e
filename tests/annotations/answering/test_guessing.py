"""At the end experts guess which side was people's: only then, once, and without being told the truth."""

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotations.answering.correcting import may_correct
from annotations.answering.guessing import GUESSES, NotAsked, balanced, guesses_of, store_guess
from annotations.answering.refusals import AlreadyAnswered, CorrectionClosed, KeyReused
from annotations.designing import draft
from annotations.designing.lifecycle import change_state
from annotations.designing.starting import InvalidSettings
from annotations.ground.errors import NotFound
from annotations.models import (
    Assignment,
    Guess,
    GuessedSide,
    Instance,
    Membership,
    PreferenceResponse,
    SideOrder,
    Study,
    StudyState,
    User,
)
from tests.worlds.answering import Page, complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.storing import store_preference
from tests.worlds.studies import make_study, plan_and_open

pytestmark = pytest.mark.django_db

SLUG = "study"


@pytest.fixture
def study() -> Study:
    """Eight texts, one system, two experts; everybody answers everything."""
    dataset = make_dataset(instances=8, systems=1)
    study = make_study(dataset=dataset, experts=2, asks_guess=True, instances_per_system=8, experts_per_comparison=2)
    return plan_and_open(study)


@pytest.fixture
def user(study: Study) -> User:
    return User.objects.get(email="expert0@example.org")


def complete_next(user: User, count: int) -> list[Assignment]:
    completed = []
    for _ in range(count):
        assignment = taken(user)
        complete(assignment)
        completed.append(assignment)
    return completed


def prefer(user: User, assignment: Assignment, *, a_chosen: bool = True, correction: bool = False) -> None:
    store_preference(
        user=user,
        token=assignment.token,
        key=uuid.uuid4(),
        a_chosen=a_chosen,
        b_chosen=False,
        certainty=0.5,
        correction=correction,
    )


def guess(user: User, assignment: Assignment, side: str = "a", key: uuid.UUID | None = None) -> Guess:
    return store_guess(user=user, token=assignment.token, key=key or uuid.uuid4(), side=GuessedSide(side))


def test_nothing_is_asked_before_the_last_answer(study, user):
    answered = complete_next(user, 7)
    assert guesses_of(user=user, slug=SLUG) == []
    with pytest.raises(NotAsked):
        guess(user, answered[0])
    complete_next(user, 1)
    taken(User.objects.get(email="expert1@example.org"))  # what somebody else has in hand is not waited for
    assert len(guesses_of(user=user, slug=SLUG)) == GUESSES


def test_half_of_what_is_asked_had_people_on_a(study, user):
    complete_next(user, 8)
    sides = [assignment.side_order for assignment in guesses_of(user=user, slug=SLUG)]
    assert sides.count(SideOrder.FIRST_IS_A) == sides.count(SideOrder.SECOND_IS_A) == GUESSES // 2


@given(sides=st.lists(st.booleans(), max_size=12), count=st.integers(1, 6))
def test_what_is_asked_is_balanced_as_far_as_it_goes_and_does_not_change_when_sides_are_exchanged(sides, count):
    def rows(turned: bool) -> list[Assignment]:
        order = [SideOrder.FIRST_IS_A, SideOrder.SECOND_IS_A]
        return [Assignment(pk=pk, side_order=order[side != turned]) for pk, side in enumerate(sides, 1)]

    chosen = balanced(rows(False), count)
    assert [one.pk for one in chosen] == [one.pk for one in balanced(rows(True), count)]
    assert len(chosen) == min(count, len(sides))
    on_a = sum(one.side_order == SideOrder.FIRST_IS_A for one in chosen)
    scarce = min(sides.count(True), sides.count(False))
    assert min(on_a, len(chosen) - on_a) >= min(count // 2, scarce)


def test_the_same_comparisons_are_asked_for_every_time_and_one_less_after_each_guess(study, user):
    complete_next(user, 8)
    asked = [one.pk for one in guesses_of(user=user, slug=SLUG)]
    for number, assignment in enumerate(guesses_of(user=user, slug=SLUG), 1):
        guess(user, assignment)
        assert [one.pk for one in guesses_of(user=user, slug=SLUG)] == asked[number:]


def test_a_later_answer_does_not_change_what_is_asked(study, user):
    """A place may become free after the guessing has begun, when somebody skips a text."""
    complete_next(user, 7)
    held_back = list(Assignment.objects.free().values_list("pk", flat=True))
    Assignment.objects.filter(pk__in=held_back).update(released_at=study.created_at)
    asked = guesses_of(user=user, slug=SLUG)
    guess(user, asked[0])
    Assignment.objects.filter(pk__in=held_back).update(released_at=None)
    assert guesses_of(user=user, slug=SLUG) == []
    complete_next(user, 1)
    assert guesses_of(user=user, slug=SLUG) == asked[1:]


def test_a_withdrawn_text_is_not_asked_about_any_more_and_the_others_stay(study, user):
    complete_next(user, 8)
    gone, *asked = guesses_of(user=user, slug=SLUG)
    Instance.objects.filter(pk=gone.instance_id).update(withdrawn_at=timezone.now())
    left = guesses_of(user=user, slug=SLUG)
    assert gone not in left
    assert [one for one in left if one in asked] == asked
    with pytest.raises(NotAsked):
        guess(user, gone)


def test_sending_a_guess_twice_stores_it_once(study, user):
    complete_next(user, 8)
    asked, key = guesses_of(user=user, slug=SLUG)[0], uuid.uuid4()
    assert guess(user, asked, "b", key) == guess(user, asked, "b", key) == guess(user, asked, "b")
    assert Guess.objects.count() == 1


def test_another_guess_and_a_used_key_are_refused(study, user):
    complete_next(user, 8)
    one, other = guesses_of(user=user, slug=SLUG)[:2]
    key = uuid.uuid4()
    guess(user, one, "a", key)
    with pytest.raises(AlreadyAnswered):
        guess(user, one, "b")
    for assignment, side in ((one, "b"), (other, "a")):
        with pytest.raises(KeyReused):
            guess(user, assignment, side, key)


def test_a_guess_closes_the_answer_to_corrections_and_no_other(study, user):
    answered = complete_next(user, 8)
    asked = guesses_of(user=user, slug=SLUG)[0]
    guess(user, asked)
    with pytest.raises(CorrectionClosed):
        prefer(user, asked, a_chosen=False, correction=True)
    answer = {"key": str(uuid.uuid4()), "a_chosen": False, "b_chosen": False, "certainty": 0.5, "active_ms": 1}
    Assignment.objects.filter(pk=asked.pk).update(completed_at=timezone.now())  # their last
    refused = Page(user).post(f"assignments/{asked.token}/correction/", answer)
    assert (refused.status_code, refused.json()["code"]) == (409, "correction_closed")
    other = next(one for one in answered if one.pk != asked.pk)
    prefer(user, other, a_chosen=False, correction=True)


def test_the_database_keeps_guesses_and_the_answers_under_them(study, user):
    answered = complete_next(user, 8)
    stored = guess(user, guesses_of(user=user, slug=SLUG)[0])
    unguessed = next(one for one in answered if one.pk != stored.assignment_id)
    Guess.objects.create(assignment=unguessed, key=uuid.uuid4(), side="b", created_at=stored.created_at)
    unanswered = Assignment.objects.free().first()
    before = PreferenceResponse.objects.get(assignment=stored.assignment)
    refused = [
        lambda: Guess.objects.filter(pk=stored.pk).update(side="b"),
        lambda: Guess.objects.create(assignment=unanswered, key=uuid.uuid4(), side="a", created_at=stored.created_at),
        lambda: Guess.objects.create(
            assignment=stored.assignment, key=uuid.uuid4(), side="a", created_at=stored.created_at
        ),
        lambda: PreferenceResponse.objects.create(
            assignment=stored.assignment,
            revision=before.revision + 1,
            key=uuid.uuid4(),
            a_chosen=False,
            b_chosen=False,
            created_at=before.created_at,
        ),
    ]
    for attempt in refused:
        with pytest.raises(IntegrityError), transaction.atomic():
            attempt()


def test_nobody_guesses_for_somebody_else_or_in_a_study_that_does_not_ask(study, user):
    complete_next(user, 8)
    asked = guesses_of(user=user, slug=SLUG)[0]
    stranger = User.objects.get(email="expert1@example.org")
    with pytest.raises(NotFound):
        guess(stranger, asked)
    Study.objects.update(asks_guess=False)
    assert guesses_of(user=user, slug=SLUG) == []
    with pytest.raises(NotAsked):
        guess(user, asked)


def test_a_closed_or_paused_study_asks_nothing(study, user):
    complete_next(user, 8)
    asked = guesses_of(user=user, slug=SLUG)[0]
    change_state(study=study, to=StudyState.CLOSED)
    assert guesses_of(user=user, slug=SLUG) == []
    with pytest.raises(NotAsked):
        guess(user, asked)


def test_the_pilot_is_not_asked_about(study, user):
    complete_next(user, 8)
    Assignment.objects.filter(expert__user=user).update(is_pilot=True)
    assert guesses_of(user=user, slug=SLUG) == []


def test_only_studies_with_peoples_side_can_ask():
    with pytest.raises(InvalidSettings, match="asks_guess"):
        draft(dataset=make_dataset(), slug="s", compares="system_vs_system", asks_guess=True)


def test_the_page_gets_what_was_shown_and_never_the_truth(study, user, client: Client, django_assert_max_num_queries):
    client.force_login(user)
    assert client.post("/api/studies/study/next/").json()["study"]["asks_guess"] is True
    shown = {}
    for _ in range(8):
        assignment = taken(user)
        address = f"/api/assignments/{assignment.token}"
        labels = {"key": str(uuid.uuid4()), "labels": [0], "active_ms": 1}
        task = client.post(f"{address}/labels/", labels, "application/json").json()
        shown[str(assignment.token)] = task["assignment"]["comparison"]
        prefer(user, assignment)
    task = client.post(f"/api/studies/{SLUG}/next/").json()
    assert task["finished"] == "all_done"
    with django_assert_max_num_queries(11):
        asked = client.get(f"/api/studies/{SLUG}/guesses/").json()["assignments"]
    assert [one["comparison"] for one in asked] == [shown[one["token"]] for one in asked]
    for one in asked:
        body = {"key": str(uuid.uuid4()), "side": "unknown"}
        saved = client.post(f"/api/assignments/{one['token']}/guess/", body, "application/json").json()
        assert set(saved) == {"saved_at", "progress"}
    assert client.get(f"/api/studies/{SLUG}/guesses/").json()["assignments"] == []


def test_which_comparisons_are_asked_follows_from_the_seed(study, user):
    complete_next(user, 8)
    asked = [one.position for one in guesses_of(user=user, slug=SLUG)]
    drawn = set()
    for seed in range(20):
        Study.objects.update(seed=seed)
        drawn.add(tuple(one.position for one in guesses_of(user=user, slug=SLUG)))
    Study.objects.update(seed=study.seed)
    assert [one.position for one in guesses_of(user=user, slug=SLUG)] == asked
    assert len(drawn) > 10
    assert Membership.objects.get(user=user).number == 0


def test_a_correction_is_offered_exactly_while_the_last_answer_can_be_changed(study, user):
    last = complete_next(user, 8)[-1]
    for assignment in guesses_of(user=user, slug=SLUG):
        assert may_correct(user=user, slug=SLUG) == (not Guess.objects.filter(assignment=last).exists())
        guess(user, assignment)
    assert may_correct(user=user, slug=SLUG) == (not Guess.objects.filter(assignment=last).exists())
    change_state(study=study, to=StudyState.CLOSED)
    assert not may_correct(user=user, slug=SLUG)


def test_who_is_no_expert_of_the_study_is_told_nothing_of_a_correction(study):
    with pytest.raises(NotFound):
        may_correct(user=User.objects.create_user("somebody@example.org"), slug=SLUG)
