"""What an expert was told to expect is kept; more is offered, and never slipped in."""

import pytest

from annotations import designing
from annotations.answering import assigning
from annotations.answering.assigning import ask_for_more, next_assignment
from annotations.designing.lifecycle import change_state
from annotations.models import Membership, Role, StudyState
from tests.worlds.answering import Page, ahead_of, complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_member, make_open_study, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Six comparisons on six texts for two experts each, and three experts: four for everybody, and for no admin."""
    study = make_open_study(dataset=make_dataset(instances=6), experts=3)
    make_member(study, Role.ADMIN, "admin@example.org")
    return study


@pytest.fixture
def user(study):
    return study.memberships.experts().select_related("user").get(number=0).user


def hand(user):
    return next_assignment(user=user, slug="study")


def promises(study):
    """What each expert was promised."""
    return list(study.memberships.experts().order_by("number").values_list("promised", flat=True))


def finish(user):
    """Answer all that is given without asking for more; what was told each time."""
    told = []
    while (handed := hand(user)).assignment:
        told.append((handed.progress.done, handed.progress.total))
        complete(handed.assignment)
    return told


def test_the_promised_total_is_kept_to_the_last_text_and_then_more_is_offered(user):
    assert finish(user) == [(0, 4), (1, 4), (2, 4), (3, 4)]
    done = hand(user)
    assert (done.finished, done.progress.done, done.progress.total, done.more) == ("all_done", 4, 4, 2)


def test_a_promise_is_kept_whoever_comes_or_goes(study, user):
    assert hand(user).progress.total == 4
    assert promises(study) == [4, None, None]  # who has not come yet is promised nothing
    for number in range(3, 9):
        make_expert(study, f"expert{number}@example.org")
    assert hand(user).progress.total == 4
    Membership.objects.filter(study=study).exclude(user=user).update(is_active=False)
    assert hand(user).progress.total == 4


def test_who_asks_for_more_is_promised_a_part_more_and_asking_twice_asks_once(user):
    finish(user)
    first = ask_for_more(user=user, slug="study")
    again = ask_for_more(user=user, slug="study")
    assert first.assignment is not None
    assert first.assignment == again.assignment
    assert (again.progress.done, again.progress.total) == (4, 6)
    assert finish(user) == [(4, 6), (5, 6)]
    assert (hand(user).finished, hand(user).more) == ("all_done", 0)


def test_who_asks_for_more_and_gets_none_because_of_a_failure_is_promised_none(study, user, monkeypatch):
    finish(user)

    def fails(*_args, **_how):
        raise ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(assigning, "lock_place", fails)
        with pytest.raises(ConnectionError):
            ask_for_more(user=user, slug="study")
    assert promises(study) == [4, None, None]
    assert ask_for_more(user=user, slug="study").assignment is not None
    assert promises(study) == [6, None, None]


def test_nothing_is_fetched_ahead_beyond_the_promise(user):
    for _ in range(3):
        complete(taken(user))
    last = taken(user)
    ahead = ahead_of(user, last.token)
    assert (ahead.assignment, ahead.finished, ahead.more) == (None, "all_done", 2)


def test_nothing_is_offered_in_a_pause_or_where_places_are_named(study, user):
    finish(user)
    change_state(study=study, to=StudyState.PAUSED)
    assert hand(user).more == 0
    assert ask_for_more(user=user, slug="study").assignment is None
    assert Membership.objects.get(study=study, user=user).promised == 4
    named = make_study(dataset=study.dataset, slug="named", experts=4, assigning="named")
    designing.apply_plan(study=named)
    change_state(study=named, to=StudyState.OPEN)
    handed = ask_for_more(user=user, slug="named")
    assert (handed.more, Membership.objects.get(study=named, user=user).promised) == (0, None)


def test_the_page_is_told_what_is_offered_and_takes_it_up(user):
    finish(user)
    page = Page(user)
    assert page.next().json()["more"] == 2
    task = page.post("v1/studies/study/more/").json()
    assert task["assignment"]["step"] == 1
    assert (task["progress"]["total"], task["more"]) == (6, 0)


def test_who_comes_before_the_study_opens_is_told_when(make_user):
    study = make_study(experts=1, opens_at="2027-01-04T09:00:00Z")
    designing.apply_plan(study=study)
    task = Page(study.memberships.get().user).next().json()
    assert (task["finished"], task["opens_at"]) == ("not_open_yet", "2027-01-04T09:00:00Z")
    change_state(study=study, to=StudyState.OPEN)
    task = Page(study.memberships.get().user).next().json()
    assert (task["finished"], task["opens_at"]) == ("", None)
