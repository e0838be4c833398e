"""Who is an expert in several studies answers in each as if it were the only one, and as if nobody else were there."""

import pytest

from annotations.answering.assigning import next_assignment
from annotations.answering.experts import label_set
from annotations.answering.guessing import GUESSES, guesses_of
from annotations.answering.past_answers import last_answered
from annotations.ground.errors import NotFound
from annotations.models import Membership, Role, Study, User
from tests.worlds.answering import complete, complete_all, in_hand, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_member, make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return User.objects.create_user("expert0@example.org")


@pytest.fixture
def studies(user: User) -> list[Study]:
    """Two studies on other texts with other labels, and the same expert in both."""
    made = []
    for slug, labels in (("first", 4), ("second", 3)):
        dataset = make_dataset(labels=labels, systems=1, slug=f"{slug}-data")
        made.append(make_open_study(dataset=dataset, slug=slug, experts=2, asks_guess=True, instances_per_system=6))
    return made


def test_each_study_shows_its_own_labels(studies, user):
    shown = [label_set(next_assignment(user=user, slug=study.slug).expert) for study in studies]
    assert [[label.name[-1] for label in labels] for labels in shown] == [["z", "y", "x", "w"], ["z", "y", "x"]]
    assert [[label.exclusive for label in labels].index(True) for labels in shown] == [3, 2]


def test_what_is_in_hand_and_what_was_answered_last_are_found_in_their_own_study(studies, user):
    held = [taken(user, study.slug) for study in studies]
    for assignment in held:
        handed = in_hand(user=user, token=assignment.token)
        assert (handed.assignment, handed.expert.study) == (assignment, assignment.study)
        complete(assignment)
    for study, assignment in zip(studies, held, strict=True):
        assert last_answered(user=user, slug=study.slug).assignment == assignment


def test_the_last_answer_is_the_experts_own_though_somebody_else_answered_since(studies, user):
    mine = taken(user, "first")
    complete(mine)
    other = studies[0].memberships.experts().get(number=1).user
    complete(taken(other, "first"))
    assert last_answered(user=user, slug="first").assignment == mine


def test_guesses_are_asked_about_ones_own_answers_in_this_study(studies, user):
    other = studies[1].memberships.experts().get(number=1).user
    for who, slug in ((user, "first"), (user, "second"), (other, "second")):
        complete_all(who, slug)
    for who, study in ((user, studies[0]), (user, studies[1]), (other, studies[1])):
        asked = guesses_of(user=who, slug=study.slug)
        assert len(asked) == GUESSES
        assert {(one.study, one.expert.user) for one in asked} == {(study, who)}


def test_nobody_but_an_active_expert_of_the_study_is_asked_for_guesses(studies, user):
    former = make_expert(studies[0], "former@example.org")
    Membership.objects.filter(pk=former.pk).update(is_active=False)
    researcher = make_member(studies[0], Role.RESEARCHER, "researcher@example.org").user
    for who in (former.user, researcher, User.objects.create_user("stranger@example.org")):
        with pytest.raises(NotFound):
            guesses_of(user=who, slug="first")
    with pytest.raises(NotFound):
        guesses_of(user=user, slug="third")
