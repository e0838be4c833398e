"""A text that identifies a person leaves the server to no expert any more; what was answered stays."""

import contextlib
import uuid
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotations import designing
from annotations.answering import assigning, moderating
from annotations.answering.assigning import _loaded, lock_place, next_assignment
from annotations.designing.lifecycle import change_state
from annotations.designing.plans import missing_in
from annotations.exporting.rows import ResponseSource
from annotations.ground.errors import Withdrawn
from annotations.models import (
    Assignment,
    Event,
    EventKind,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Report,
    ReportDecision,
    Study,
    StudyState,
    User,
    Verdict,
)
from annotations.simulating.responses import simulate_study
from tests.annotations.answering.test_assigning import ask, drain, run_at_once, user_of
from tests.worlds import storing
from tests.worlds.answering import answer, complete, in_hand
from tests.worlds.datasets import make_dataset
from tests.worlds.exported import written
from tests.worlds.studies import make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def given(study: Study, number: int = 0) -> Assignment:
    assignment = ask(study, number).assignment
    assert assignment is not None
    return assignment


def report(assignment: Assignment, **changes: object) -> Report:
    assert assignment.expert is not None
    told = {"reason": "identifies_person", "text": "Her name is in it.", "skip": False, **changes}
    return storing.store_report(user=assignment.expert.user, token=assignment.token, key=uuid.uuid4(), **told)


def withdraw(assignment: Assignment) -> Report:
    told = report(assignment)
    moderating.confirm(report=told)
    return told


@pytest.fixture
def study() -> Study:
    return make_open_study(dataset=make_dataset(instances=8, systems=4), experts=6, instances_per_system=6)


def test_a_withdrawn_text_goes_to_nobody_and_the_expert_goes_on_with_another(study):
    first = given(study)
    withdraw(first)
    second = given(study)
    assert second.instance_id != first.instance_id
    shown = {one.instance_id for number in range(6) for one in drain(study, number)}
    assert first.instance_id not in shown
    assert second.instance_id in shown


@pytest.mark.parametrize("step", [1, 2])
def test_what_is_in_hand_is_answered_no_more_and_says_so(study, step):
    assignment = given(study)
    if step == 2:
        answer(assignment)
    withdraw(assignment)
    user = user_of(study)
    for act in (
        partial(answer, assignment) if step == 1 else partial(complete, assignment),
        partial(report, assignment),
        partial(in_hand, user=user, token=assignment.token),
    ):
        with pytest.raises(Withdrawn):
            act()
    assert not PreferenceResponse.objects.exists()
    assert LabelResponse.objects.count() == step - 1


def test_what_was_acknowledged_before_is_acknowledged_again(study):
    assignment = given(study)
    key = uuid.uuid4()
    store = partial(storing.store_labels, user=user_of(study), token=assignment.token, key=key, labels=[0])
    first = store()
    withdraw(assignment)
    assert store() == first


def test_what_was_answered_stays_but_cannot_be_corrected_any_more(study):
    assignment = given(study)
    stored = complete(assignment)
    withdraw(assignment)
    with pytest.raises(Withdrawn):
        storing.store_preference(
            user=user_of(study),
            token=assignment.token,
            key=uuid.uuid4(),
            a_chosen=False,
            b_chosen=False,
            certainty=0.1,
            correction=True,
        )
    assert list(PreferenceResponse.objects.all()) == [stored]
    assert ask(study).progress.done == 1


def test_shown_again_everything_goes_on_where_it_was(study):
    assignment = given(study)
    answer(assignment, labels=(1,))
    before = ask(study)
    told = withdraw(assignment)
    other = given(study)
    moderating.show_again(report=told, note="It is an invented name.")
    complete(other)
    after = ask(study)
    assert (after.assignment, after.labels) == (assignment, [1])
    assert after.progress.total == before.progress.total
    assert after.assignment is not None
    complete(after.assignment)


def test_plans_and_progress_count_what_can_still_be_answered_and_what_was(study):
    done, in_hand_ = given(study, 0), given(study, 1)
    assert done.instance_id == in_hand_.instance_id or done.comparison_id != in_hand_.comparison_id
    complete(done)
    places = Assignment.objects.filter(instance=done.instance).count()
    total = designing.overview(study=study)
    withdraw(done)
    plan = designing.overview(study=study)
    assert sum(row.places for row in plan.systems) == sum(row.places for row in total.systems) - (places - 1)
    assert sum(row.completed for row in plan.systems) == 1
    assert "1 answered" in plan.statement
    assert missing_in(study) <= 0
    free = Assignment.objects.free().filter(study=study)
    assert not free.filter(instance=done.instance).exists()
    handed = ask(study)
    assert handed.progress.done == 1
    rest = drain(study)
    assert ask(study).progress.done == ask(study).progress.total == 1 + len(rest)


def test_named_places_of_a_withdrawn_text_are_passed_over_and_counted_out():
    study = make_study(dataset=make_dataset(instances=8), experts=6, assigning="named")
    plan_and_open(study)
    first = given(study)
    before = ask(study).progress.total
    withdraw(first)
    assert ask(study).progress.total == before - 1
    assert first.pk not in {one.pk for one in drain(study)}
    assert ask(study).finished == "all_done"


def test_a_text_is_withdrawn_in_every_study_of_its_dataset_and_each_log_says_so(study):
    other = make_study(dataset=study.dataset, slug="other", experts=3, instances_per_system=6)
    designing.apply_plan(study=other)
    change_state(study=other, to=StudyState.OPEN)
    assignment = given(study)
    there = Assignment.objects.filter(study=other, instance=assignment.instance)
    assert there.exists()
    withdraw(assignment)
    assert assignment.instance_id not in {one.instance_id for one in drain(other)}
    events = Event.objects.filter(kind=EventKind.TEXT_WITHDRAWN)
    assert {event.study_id for event in events} == {study.pk, other.pk}
    assert "Her name" not in str(list(events.values()))


def test_simulated_experts_do_not_answer_a_withdrawn_text(study):
    withdraw(given(study))
    simulate_study(study=study, experts=6, beside_people=True)
    withdrawn = Instance.objects.get(withdrawn_at__isnull=False)
    assert study.assignments.completed().exists()
    assert not study.assignments.completed().filter(instance=withdrawn).exists()


# -- decisions


def test_the_newest_decision_counts_and_none_is_ever_changed(study):
    told = report(given(study))
    verdict = lambda: Report.objects.with_verdict().get().verdict  # noqa: E731 - read three times
    assert verdict() == ""
    moderating.dismiss(report=told, note="Nobody real.")
    assert verdict() == Verdict.DISMISSED
    moderating.confirm(report=told)
    assert moderating.confirm(report=told) == told.decisions.last()  # again: nothing new
    assert (verdict(), told.decisions.count()) == (Verdict.CONFIRMED, 2)
    with pytest.raises(moderating.IsWithdrawn):
        moderating.dismiss(report=told)
    moderating.show_again(report=told)
    assert verdict() == Verdict.SHOWN_AGAIN
    with pytest.raises(moderating.IsShown):
        moderating.show_again(report=told)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReportDecision.objects.update(verdict=Verdict.DISMISSED)


def test_whoever_decides_stands_in_the_decision_and_in_the_log_of_each_study_that_shows_the_text(study):
    make_open_study(dataset=study.dataset, slug="other", experts=3, instances_per_system=8)
    told = report(given(study))
    actors = [User.objects.create_user(f"admin{number}@example.org") for number in range(3)]
    for act, actor in zip((moderating.dismiss, moderating.confirm, moderating.show_again), actors, strict=True):
        act(report=told, note=f"by {actor}", actor=actor)
    assert [one.decided_by for one in told.decisions.order_by("revision")] == actors
    text = {"instance": told.assignment.instance.external_id, "reported_in": "study"}
    log = Event.objects.filter(actor__in=actors)
    assert log.count() == 5
    assert {(event.kind, event.subject): (event.actor, event.data) for event in log} == {
        (EventKind.REPORT_DISMISSED, "study"): (actors[0], {"report": told.pk}),
        (EventKind.TEXT_WITHDRAWN, "study"): (actors[1], text),
        (EventKind.TEXT_WITHDRAWN, "other"): (actors[1], text),
        (EventKind.TEXT_SHOWN_AGAIN, "study"): (actors[2], text),
        (EventKind.TEXT_SHOWN_AGAIN, "other"): (actors[2], text),
    }


def test_what_was_dismissed_or_shown_again_can_be_dismissed_once_more(study):
    told = report(given(study))
    for act in (moderating.dismiss, moderating.dismiss, moderating.confirm, moderating.show_again, moderating.dismiss):
        act(report=told)
    verdicts = [one.verdict for one in told.decisions.order_by("revision")]
    assert verdicts == ["dismissed", "dismissed", "confirmed", "shown_again", "dismissed"]


def test_showing_one_text_again_leaves_the_others_withdrawn(study):
    texts = [given(study, number) for number in range(6)]
    told = {one.instance_id: report(one) for one in texts}
    assert len(told) > 1
    for each in told.values():
        moderating.confirm(report=each)
    shown, *others = told
    moderating.show_again(report=told[shown])
    assert set(Instance.objects.filter(withdrawn_at__isnull=False).values_list("pk", flat=True)) == set(others)
    assert [told[one].decisions.count() for one in others] == [1] * len(others)


def test_showing_again_takes_back_all_confirmations_of_the_study_but_none_of_another(study):
    one, two = given(study, 0), given(study, 1)
    told = [report(one), report(Assignment.objects.get(pk=one.pk)), report(two)]
    same = [r for r in told if r.assignment.instance_id == one.instance_id]
    for each in same:
        moderating.confirm(report=each)
    moderating.show_again(report=same[0])
    assert {r.verdict for r in Report.objects.with_verdict().filter(pk__in=[s.pk for s in same])} == {"shown_again"}
    other = make_study(dataset=study.dataset, slug="other", experts=6, instances_per_system=8)
    designing.apply_plan(study=other)
    change_state(study=other, to=StudyState.OPEN)
    there = next(a for number in range(6) for a in drain(other, number) if a.instance_id == one.instance_id)
    moderating.confirm(report=report(there))
    moderating.confirm(report=same[0])
    with pytest.raises(moderating.StaysWithdrawn):
        moderating.show_again(report=same[0])
    assert Instance.objects.get(pk=one.instance_id).withdrawn_at is not None


def test_the_database_keeps_a_text_withdrawn_while_a_report_on_it_is_confirmed(study):
    told = withdraw(given(study))
    with pytest.raises(IntegrityError), transaction.atomic():
        Instance.objects.update(withdrawn_at=None)
    moderating.show_again(report=told)


# -- exports


def test_exports_mark_a_withdrawn_text_and_leave_out_what_was_said_about_it(study):
    assignment = given(study)
    complete(assignment)
    withdraw(assignment)
    complete(given(study))
    rows = list(ResponseSource(study).rows())
    assert {row.instance: row.withdrawn for row in rows}[assignment.instance.external_id] is True
    assert sum(row.withdrawn for row in rows) == 1
    files = written(study)
    assert b"Her name" not in b"".join(files.values())
    assert (
        files["comparisons.jsonl"].count(b'"withdrawn": true')
        == study.comparisons.filter(instance=assignment.instance).count()
    )


# -- all at once, with real threads


@pytest.mark.django_db(transaction=True)
def test_once_a_text_is_withdrawn_no_claim_and_no_answer_gets_through_whatever_runs_in_parallel():
    study = make_open_study(
        dataset=make_dataset(instances=2, systems=2), experts=8, instances_per_system=2, experts_per_comparison=4
    )
    reporter = given(study, 0)
    told = report(reporter)
    text = reporter.instance_id
    after: list[int] = []

    def hide() -> None:
        moderating.confirm(report=told)
        after.append(PreferenceResponse.objects.filter(assignment__instance=text).count())
        after.append(LabelResponse.objects.filter(assignment__instance=text).count())

    def work(number: int) -> list[int]:
        """Claim and answer until nothing comes; the instances that were handed out after the withdrawal."""
        late = []
        user = user_of(study, number)
        while True:
            gone = Instance.objects.filter(pk=text, withdrawn_at__isnull=False).exists()
            assignment = next_assignment(user=user, slug=study.slug).assignment
            if assignment is None:
                return late
            if gone:
                late.append(assignment.instance_id)
            try:
                complete(assignment)
            except Withdrawn:
                assert assignment.instance_id == text

    results = run_at_once([hide, *(partial(work, number) for number in range(1, 8))])
    assert all(text not in late for late in results[1:])
    # What was there when `confirm` returned is all that there will ever be.
    assert after == [
        PreferenceResponse.objects.filter(assignment__instance=text).count(),
        LabelResponse.objects.filter(assignment__instance=text).count(),
    ]
    assert not Assignment.objects.free().filter(instance=text).exists()


def test_a_text_that_is_withdrawn_while_its_place_is_being_taken_is_not_handed_out(study, monkeypatch):
    """The moment between choosing a place and taking it, which threads seldom meet."""
    chosen: list[int] = []

    def withdraw_what_was_chosen(expert: Membership, **asked: Any) -> Assignment | None:
        place = lock_place(expert, **asked)
        if place is not None and not chosen:
            chosen.append(place.instance_id)
            Instance.objects.filter(pk=place.instance_id).update(withdrawn_at=timezone.now())
        return place

    monkeypatch.setattr(assigning, "lock_place", withdraw_what_was_chosen)
    assignment = given(study)
    assert chosen
    assert assignment.instance_id not in chosen
    assert not Assignment.objects.filter(instance__in=chosen, expert__isnull=False).exists()


def test_a_text_that_is_withdrawn_while_it_is_being_resumed_is_not_handed_out(study, monkeypatch):
    first = given(study)
    answer(first)

    def withdraw_it(pk: int, *, is_shown: bool) -> Assignment:
        Instance.objects.filter(pk=first.instance_id).update(withdrawn_at=timezone.now())
        loaded: Assignment = _loaded(pk, is_shown=is_shown)
        return loaded

    monkeypatch.setattr(assigning, "_loaded", withdraw_it)
    assert given(study).instance_id != first.instance_id


@pytest.mark.django_db(transaction=True)
def test_skipping_and_withdrawing_at_once_lose_no_place():
    study = make_open_study(
        dataset=make_dataset(instances=3, systems=2), experts=5, instances_per_system=3, experts_per_comparison=3
    )
    held = [given(study, number) for number in range(5)]
    told = report(held[0])

    def skip(assignment: Assignment) -> None:
        with contextlib.suppress(Withdrawn):
            report(assignment, skip=True)

    run_at_once([partial(moderating.confirm, report=told), *(partial(skip, one) for one in held[1:])])
    moderating.show_again(report=told)
    live = Assignment.objects.filter(study=study, released_at=None)
    assert live.count() == study.comparisons.count() * 3


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_decide_at_once_leave_one_newest_decision():
    study = make_open_study(experts=1)
    told = report(given(study))

    def decide(act: object) -> None:
        with contextlib.suppress(moderating.IsWithdrawn):
            act(report=told)

    run_at_once([partial(decide, act) for act in (moderating.confirm, moderating.dismiss, moderating.dismiss)])
    newest = Report.objects.with_verdict().get().verdict
    assert (Instance.objects.filter(withdrawn_at__isnull=False).exists()) == (newest == Verdict.CONFIRMED)
