"""A study's life, and who may take part."""

from collections.abc import Callable

import pytest

from annotations.designing.lifecycle import AlreadyMember, WrongTransition, add_member, change_state, study_opens
from annotations.models import Comparison, Dataset, Event, Role, Study, StudyState, User
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study(dataset=make_dataset(instances=1, systems=1))


def plan(study: Study) -> None:
    instance, system = study.dataset.instances.get(), study.dataset.systems.get()
    Comparison.objects.create(study=study, instance=instance, second_system=system, position=0)


def test_a_study_without_a_plan_cannot_open(study: Study) -> None:
    with pytest.raises(WrongTransition, match="no comparisons"):
        change_state(study=study, to=StudyState.OPEN)


def test_a_study_goes_through_its_life_and_stays_closed(study: Study) -> None:
    plan(study)
    for state in (StudyState.PILOT, StudyState.OPEN, StudyState.PAUSED, StudyState.OPEN, StudyState.CLOSED):
        study = change_state(study=study, to=state)
        assert study.state == state
    assert study.opened_at is not None
    assert study.closed_at is not None
    with pytest.raises(WrongTransition, match="final"):
        change_state(study=study, to=StudyState.OPEN)
    assert Event.objects.filter(kind="state_changed").count() == 5


def test_a_study_is_told_to_open_once_and_keeps_when_it_did(study: Study, make_user: Callable[..., User]) -> None:
    plan(study)
    actor, told = make_user(), []

    def listen(sender: type[Study], study: Study, actor: User | None, **_: object) -> None:
        told.append((study.state, actor))

    study_opens.connect(listen)
    try:
        change_state(study=study, to=StudyState.PILOT, actor=actor)
        assert told == []
        opened = change_state(study=study, to=StudyState.OPEN, actor=actor).opened_at
        assert told == [(StudyState.OPEN, actor)]
        change_state(study=study, to=StudyState.PAUSED)
        again = change_state(study=study, to=StudyState.OPEN)
        assert (again.opened_at, again.closed_at, len(told)) == (opened, None, 1)
    finally:
        study_opens.disconnect(listen)
    first = Event.objects.filter(kind="state_changed").order_by("pk").first()
    assert first is not None
    assert (first.actor, first.data) == (actor, {"before": "draft", "after": "pilot"})


def test_a_state_that_a_study_is_in_already_changes_nothing(study: Study) -> None:
    assert change_state(study=study, to=StudyState.DRAFT).state == StudyState.DRAFT
    assert not Event.objects.filter(kind="state_changed").exists()


def test_members_are_numbered_as_they_come_and_each_leaves_one_event(
    study: Study, make_user: Callable[..., User]
) -> None:
    other = make_study(dataset=study.dataset, slug="other")
    actor = make_user("actor@example.org")
    for number in range(3):
        user = make_user(f"{number}@example.org")
        add_member(study=other, user=user, role=Role.EXPERT)
        if number:
            member = add_member(study=study, user=user, role=Role.EXPERT, actor=actor)
            assert (member.number, member.is_simulated, member.study) == (number - 1, False, study)
            add_member(study=study, user=user, role=Role.EXPERT)
    events = Event.objects.filter(kind="member_added", study=study).order_by("pk")
    assert [(event.actor, event.data) for event in events] == [
        (actor, {"number": 0, "role": "expert"}),
        (actor, {"number": 1, "role": "expert"}),
    ]
    study.refresh_from_db()
    assert not study.is_simulated


def test_a_study_does_not_go_back_to_draft(study: Study) -> None:
    plan(study)
    study = change_state(study=study, to=StudyState.PILOT)
    with pytest.raises(WrongTransition):
        change_state(study=study, to=StudyState.DRAFT)


def test_a_person_has_one_role_in_a_study(study: Study, make_user: Callable[..., User]) -> None:
    user = make_user()
    first = add_member(study=study, user=user, role=Role.EXPERT)
    assert add_member(study=study, user=user, role=Role.EXPERT) == first
    with pytest.raises(AlreadyMember) as refusal:
        add_member(study=study, user=user, role=Role.RESEARCHER)
    assert refusal.value.data == {"role": "expert"}


def test_experts_cannot_see_unblinded_studies(study: Study, make_user: Callable[..., User]) -> None:
    expert, researcher, stranger = (make_user(f"{name}@example.org") for name in ("e", "r", "s"))
    add_member(study=study, user=expert, role=Role.EXPERT)
    add_member(study=study, user=researcher, role=Role.RESEARCHER)
    visible = {user.email[0]: list(Study.objects.visible_to(user)) for user in (expert, researcher, stranger)}
    unblinded = {user.email[0]: list(Study.objects.unblinded_for(user)) for user in (expert, researcher, stranger)}
    datasets = {user.email[0]: list(Dataset.objects.visible_to(user)) for user in (expert, researcher, stranger)}
    assert visible == {"e": [study], "r": [study], "s": []}
    assert unblinded == {"e": [], "r": [study], "s": []}
    assert datasets == {"e": [], "r": [study.dataset], "s": []}


def test_even_a_superuser_who_answers_a_study_does_not_see_its_sources(
    study: Study, make_user: Callable[..., User]
) -> None:
    root = make_user(is_superuser=True)
    assert list(Study.objects.unblinded_for(root)) == [study]
    add_member(study=study, user=root, role=Role.EXPERT)
    assert list(Study.objects.unblinded_for(root)) == []
    assert list(Study.objects.administered_by(root)) == []
    assert list(Event.objects.visible_to(root)) == []


def test_a_simulated_member_marks_the_study(study: Study, make_user: Callable[..., User]) -> None:
    add_member(study=study, user=make_user(), role=Role.EXPERT, is_simulated=True)
    study.refresh_from_db()
    assert study.is_simulated


def test_a_refused_transition_says_from_where_to_where(study: Study) -> None:
    with pytest.raises(WrongTransition) as unplanned:
        change_state(study=study, to=StudyState.PILOT)
    assert unplanned.value.data == {"state": "draft", "to": "pilot"}
    plan(study)
    change_state(study=study, to=StudyState.OPEN)
    with pytest.raises(WrongTransition, match=": Paused, Closed") as back:
        change_state(study=study, to=StudyState.PILOT)
    assert back.value.data == {"state": "open", "to": "pilot"}
