"""Places given, taken back, moved and added by hand: what is begun stays, and every refusal says of what, and why."""

import pytest

from annotations import designing
from annotations.designing import reassigning
from annotations.designing.lifecycle import change_state
from annotations.designing.reassigning import NothingToUndo, Refused
from annotations.ground.errors import NotFound
from annotations.models import Assignment, Event, EventKind, Membership, Study, StudyState
from tests.worlds import storing
from tests.worlds.answering import answer, complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """Six comparisons on six texts, two places each, and three experts."""
    study = make_study(dataset=make_dataset(instances=6), experts=3)
    designing.apply_plan(study=study)
    return change_state(study=study, to=StudyState.OPEN)


def member(study: Study, number: int) -> Membership:
    return study.memberships.select_related("user", "study").get(number=number)


def held(study: Study, number: int) -> list[int]:
    rows = study.assignments.filter(expert__number=number, released_at=None)
    return sorted(rows.values_list("comparison__position", flat=True))


def keys(study: Study, number: int) -> list[int]:
    return list(study.assignments.filter(expert__number=number).order_by("position").values_list("pk", flat=True))


def test_what_is_given_comes_in_that_order_and_before_anything_else(study):
    reassigning.give(study=study, expert=member(study, 0), comparisons=[4, 2])
    assert held(study, 0) == [2, 4]
    first = taken(member(study, 0).user)
    assert first.comparison.position == 4


def test_a_refusal_names_each_comparison_with_its_text_and_the_reason(study):
    for number in (1, 2):
        reassigning.give(study=study, expert=member(study, number), comparisons=[3])
    reassigning.give(study=study, expert=member(study, 0), comparisons=[0])
    with pytest.raises(Refused, match=r"\bComparison 0 \(text external-\d\): expert 0\b") as refused:
        reassigning.give(study=study, expert=member(study, 0), comparisons=[0, 1, 3])
    assert [(one["comparison"], one["reason"]) for one in refused.value.data["refusals"]] == [
        (0, "expert 0 already has or had this text"),
        (3, "it already has all its experts"),
    ]
    assert held(study, 0) == [0]
    with pytest.raises(Refused, match="this comparison does not exist"):
        reassigning.give(study=study, expert=member(study, 0), comparisons=[99])


def test_one_more_expert_gets_a_place_that_the_plan_did_not_have(study):
    for number in (1, 2):
        reassigning.give(study=study, expert=member(study, number), comparisons=[3])
    reassigning.give(study=study, expert=member(study, 0), comparisons=[3], extra=True)
    assert study.assignments.filter(comparison__position=3).count() == 3
    event = Event.objects.filter(kind=EventKind.ASSIGNED).latest("pk")
    reassigning.undo(study=study, event=event.pk)
    assert study.assignments.filter(comparison__position=3).count() == 2


def test_what_is_untouched_can_be_taken_back_and_the_old_page_opens_it_no_more(study):
    one = taken(member(study, 0).user)
    reassigning.take_back(study=study, assignments=[one.pk])
    assert held(study, 0) == []
    with pytest.raises(NotFound):
        answer(one)
    one.refresh_from_db()
    assert (one.expert, one.position, one.claimed_at) == (None, None, None)


def test_what_is_begun_answered_or_skipped_stays_with_its_expert(study):
    user = member(study, 0).user
    done = taken(user)
    complete(done)
    skipped = taken(user)
    storing.store_report(user=user, token=skipped.token, key=skipped.token, reason="other", skip=True)
    begun = taken(user)
    answer(begun)
    for one, reason in (
        (done, "has already answered it"),
        (skipped, "has skipped it"),
        (begun, "has already begun it"),
    ):
        with pytest.raises(Refused, match=reason):
            reassigning.take_back(study=study, assignments=[one.pk])
        with pytest.raises(Refused, match=reason):
            reassigning.move(study=study, assignments=[one.pk], to=member(study, 1))


def test_moving_asks_whether_the_other_has_had_the_text(study):
    reassigning.give(study=study, expert=member(study, 0), comparisons=[0, 1])
    reassigning.give(study=study, expert=member(study, 1), comparisons=[1])
    with pytest.raises(Refused, match=r"\bexpert 1\b"):
        reassigning.move(study=study, assignments=keys(study, 0), to=member(study, 1))
    reassigning.move(study=study, assignments=keys(study, 0), to=member(study, 2))
    assert (held(study, 0), held(study, 2)) == ([], [0, 1])


def test_the_newest_change_can_be_undone_once_while_nobody_has_begun(study):
    given = reassigning.give(study=study, expert=member(study, 0), comparisons=[0, 1])
    moved = reassigning.move(study=study, assignments=keys(study, 0), to=member(study, 1))
    with pytest.raises(NothingToUndo):
        reassigning.undo(study=study, event=given.pk)
    undone = reassigning.undo(study=study, event=moved.pk)
    assert (held(study, 0), held(study, 1)) == ([0, 1], [])
    for event in (moved, undone):
        with pytest.raises(NothingToUndo):
            reassigning.undo(study=study, event=event.pk)
    back = reassigning.take_back(study=study, assignments=keys(study, 0))
    reassigning.undo(study=study, event=back.pk)
    assert held(study, 0) == [0, 1]


def test_what_was_begun_since_cannot_be_undone(study):
    given = reassigning.give(study=study, expert=member(study, 0), comparisons=[0, 1])
    answer(taken(member(study, 0).user))
    with pytest.raises(Refused, match="has already begun it"):
        reassigning.undo(study=study, event=given.pk)
    assert held(study, 0) == [0, 1]


def test_sharing_evens_out_what_everybody_has_and_leaves_what_nobody_can_take(study):
    reassigning.give(study=study, expert=member(study, 0), comparisons=[0, 1])
    experts = [member(study, number) for number in range(3)]
    assert reassigning.share_evenly(study=study, experts=experts).left == 0
    assert [len(held(study, number)) for number in range(3)] == [4, 4, 4]
    twice = Assignment.objects.filter(study=study).values_list("expert", "instance")
    assert len(set(twice)) == len(twice)


def test_sharing_gives_nobody_more_than_was_said(study):
    shared = reassigning.share_evenly(study=study, experts=[member(study, 1)], most_each=2)
    assert (len(held(study, 1)), shared.left) == (2, 10)


def test_sharing_asks_the_database_no_more_often_for_many_experts(django_assert_max_num_queries):
    counts = []
    for slug, experts in (("few", 2), ("many", 12)):
        study = make_study(dataset=make_dataset(slug=f"data-{slug}", instances=6), slug=slug, experts=experts)
        designing.apply_plan(study=study)
        study = change_state(study=study, to=StudyState.OPEN)
        members = list(study.memberships.experts())
        with django_assert_max_num_queries(20) as queries:
            reassigning.share_evenly(study=study, experts=members)
        counts.append(len(queries))
    assert counts[0] == counts[1]
