"""What a stored plan promises."""

from collections import Counter

import pytest
from django.utils import timezone

from annotations import designing
from annotations.designing.applying import InstanceTwice, NoFreePlace, NotADraft, NotAnExpert
from annotations.designing.lifecycle import WrongTransition, change_state
from annotations.models import Assignment, Event, EventKind, Study, StudyState, User
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def stored(study: Study) -> list[tuple]:
    return list(
        study.comparisons.order_by("position").values_list(
            "instance__position", "first_system", "second_system__method"
        )
    )


def test_a_plan_has_every_place_of_every_comparison():
    study = make_study(experts=8)
    plan = designing.apply_plan(study=study)
    assert study.comparisons.count() == 2 * 3 == len(plan.draws)
    places = Counter(study.assignments.values_list("comparison", flat=True))
    assert set(places.values()) == {2}
    assert not study.assignments.taken().exists()


def test_what_is_stored_is_what_was_shown_before():
    study = make_study()
    plan = designing.propose(study=study)
    designing.apply_plan(study=study)
    assert stored(study) == [(one.instance, None, plan.systems[one.second].method) for one in plan.draws]


def test_a_plan_can_be_seen_before_anything_is_stored():
    dataset = make_dataset()
    study = designing.draft(dataset=dataset, slug="s", instances_per_system=3, experts_per_comparison=2, seed=1)
    plan = designing.propose(study=study)
    assert plan.matrix.sum() == 6
    assert "active experts and needs" in plan.statement
    assert not Study.objects.exists()


def test_planning_again_replaces_what_nobody_has_begun():
    study = make_study(experts=4, assigning="named")
    designing.apply_plan(study=study)
    before = stored(study)
    designing.change_settings(study=study, seed=99)
    designing.apply_plan(study=study)
    assert stored(study) != before
    assert study.comparisons.count() == 6
    assert study.assignments.count() == 12


def test_a_plan_that_somebody_has_begun_to_answer_stays():
    study = make_study(experts=4, assigning="named")
    designing.apply_plan(study=study)
    before = stored(study)
    Assignment.objects.filter(pk=study.assignments.all()[0].pk).update(claimed_at=timezone.now())
    with pytest.raises(NotADraft):
        designing.apply_plan(study=study)
    assert stored(study) == before


def test_an_open_study_is_not_planned_again_and_keeps_its_settings():
    study = make_study(experts=4)
    plan_and_open(study)
    with pytest.raises(NotADraft):
        designing.apply_plan(study=study)
    with pytest.raises(NotADraft):
        designing.change_settings(study=study, seed=2)


def test_planning_leaves_an_event():
    designing.apply_plan(study=make_study())
    event = Event.objects.get(kind=EventKind.PLANNED)
    assert event.data == {
        "comparisons": 6,
        "places": 12,
        "instances_per_system": 3,
        "experts_per_comparison": 2,
        "seed": 5,
        "runs": "averaged",
        "systems": 2,
        "missing_experts": 2,
    }


@pytest.mark.parametrize("compares", ["human_vs_system", "system_vs_system"])
def test_named_places_are_shared_evenly_and_nobody_gets_an_instance_twice(compares):
    dataset = make_dataset(instances=10, systems=5)
    study = make_study(
        dataset=dataset,
        experts=9,
        assigning="named",
        compares=compares,
        instances_per_system=6,
        experts_per_comparison=2,
    )
    designing.apply_plan(study=study)
    assert not study.assignments.free().exists()
    loads = Counter(study.assignments.values_list("expert", flat=True))
    assert len(loads) == 9
    assert max(loads.values()) - min(loads.values()) <= 1
    seen = Counter(study.assignments.values_list("expert", "instance"))
    assert set(seen.values()) == {1}


def test_every_named_expert_has_positions_without_gaps_and_no_side_yet():
    study = make_study(
        dataset=make_dataset(instances=10, systems=5), experts=8, assigning="named", instances_per_system=6
    )
    designing.apply_plan(study=study)
    for expert in study.memberships.experts():
        mine = list(expert.assignments.order_by("position"))
        assert [one.position for one in mine] == list(range(len(mine)))
        assert {one.side_order for one in mine} == {""}


def test_too_few_named_experts_are_refused_with_their_number_and_nothing_changes():
    study = make_study(experts=4, assigning="named", experts_per_comparison=4)
    designing.apply_plan(study=study)
    before = stored(study)
    study.memberships.filter(number=0).update(is_active=False)
    with pytest.raises(designing.TooFewExperts) as refusal:
        designing.apply_plan(study=study)
    assert refusal.value.data["missing"] == 1
    assert stored(study) == before


def test_a_plan_that_no_longer_follows_from_the_settings_is_gone_and_the_study_does_not_open():
    study = make_study(experts=4)
    designing.apply_plan(study=study)
    study = designing.change_settings(study=study, title="Another title", display_step=0.1)
    assert study.comparisons.count() == 6
    study = designing.change_settings(study=study, experts_per_comparison=3)
    assert not study.comparisons.exists()
    with pytest.raises(WrongTransition):
        change_state(study=study, to=StudyState.OPEN)


def test_the_admin_can_give_comparisons_to_an_expert_and_share_out_the_rest():
    study = make_study(dataset=make_dataset(instances=10, systems=5), experts=9, instances_per_system=6)
    designing.apply_plan(study=study)
    guest = make_expert(study, "guest@example.org")
    reserved = designing.least_covered(study=study, expert=guest, count=4)
    given = designing.assign_named(study=study, expert=guest, comparisons=reserved)
    assert [one.comparison_id for one in given] == [comparison.pk for comparison in reserved]
    others = list(study.memberships.experts().exclude(pk=guest.pk))
    loads = designing.share_places(study=study, experts=others)
    assert sum(loads.values()) == 5 * 6 * 2 - 4
    assert max(loads.values()) - min(loads.values()) <= 1
    assert guest.assignments.count() == 4
    assert not guest.assignments.filter(claimed_at__isnull=False).exists()
    assert not study.assignments.free().exists()


def test_a_comparison_is_not_given_twice_nor_an_instance_nor_a_place_that_is_taken():
    study = make_study(experts=4, dataset=make_dataset(instances=3), instances_per_system=3, experts_per_comparison=1)
    designing.apply_plan(study=study)
    first, second = study.memberships.experts()[:2]
    comparison = study.comparisons.all()[0]
    same_instance = study.comparisons.exclude(pk=comparison.pk).get(instance=comparison.instance)
    with pytest.raises(InstanceTwice):
        designing.assign_named(study=study, expert=first, comparisons=[comparison, same_instance])
    designing.assign_named(study=study, expert=first, comparisons=[comparison])
    with pytest.raises(InstanceTwice):
        designing.assign_named(study=study, expert=first, comparisons=[comparison])
    with pytest.raises(InstanceTwice) as twice:
        designing.assign_named(study=study, expert=first, comparisons=[same_instance])
    assert twice.value.data["comparisons"] == [same_instance.position]
    with pytest.raises(NoFreePlace) as full:
        designing.assign_named(study=study, expert=second, comparisons=[comparison])
    assert full.value.data["comparisons"] == [comparison.position]
    assert study.assignments.taken().count() == 1


def test_places_go_to_active_experts_of_the_study_only():
    study = make_study(experts=1)
    designing.apply_plan(study=study)
    expert = study.memberships.experts().get()
    expert.is_active = False
    expert.save()
    with pytest.raises(NotAnExpert):
        designing.assign_named(study=study, expert=expert, comparisons=[study.comparisons.all()[0]])


def test_sharing_says_how_many_experts_are_missing_when_some_have_seen_an_instance():
    study = make_study(dataset=make_dataset(instances=3), instances_per_system=3, experts_per_comparison=2, experts=4)
    designing.apply_plan(study=study)  # every instance twice, so exactly four experts
    expert = study.memberships.experts()[0]
    designing.assign_named(study=study, expert=expert, comparisons=[study.comparisons.all()[0]])
    Assignment.objects.taken().update(released_at=timezone.now())
    released = Assignment.objects.exclude(released_at=None).get()
    Assignment.objects.create(
        study=study, comparison=released.comparison, instance=released.instance, place=released.place, places=2
    )
    with pytest.raises(designing.TooFewExperts) as refusal:
        designing.share_places(study=study)
    assert refusal.value.data["missing"] == 1


def test_settings_that_make_no_study_are_refused_by_name():
    with pytest.raises(designing.starting.InvalidSettings) as refusal:
        designing.create_study(dataset=make_dataset(), slug="s", display_step=2.0)
    assert "display_step" in str(refusal.value)
    with pytest.raises(designing.starting.InvalidSettings, match="colour"):
        designing.create_study(dataset=make_dataset(slug="other"), slug="s", colour="red")


def test_a_study_without_a_seed_gets_one_that_nobody_can_guess():
    dataset = make_dataset()
    seeds = {designing.draft(dataset=dataset, slug="s").seed for _ in range(10)}
    assert len(seeds) == 10


def test_the_questions_fit_the_kind_of_the_label_set_and_name_no_domain():
    any_labels = designing.draft(dataset=make_dataset(), slug="a")
    scale = designing.draft(dataset=make_dataset(slug="b", task="ordinal"), slug="b", question_preference="Which?")
    assert any_labels.question_labels == "Which labels, if any, apply to this text?"
    assert "law" not in any_labels.question_preference
    assert "scale" in scale.question_labels
    assert scale.question_preference == "Which?"


def test_least_covered_comparisons_come_first_and_equal_ones_in_the_studys_order():
    study = make_study(experts=2)
    designing.apply_plan(study=study)
    first, second = study.memberships.experts().order_by("number")
    taken = [study.comparisons.get(position=position) for position in (3, 0, 1)]
    designing.assign_named(study=study, expert=first, comparisons=taken)

    def positions(count: int) -> list[int]:
        return [one.position for one in designing.least_covered(study=study, expert=second, count=count)]

    assert positions(10) == [2, 4, 5, 0, 1, 3]
    assert positions(4) == [2, 4, 5, 0]
    assert positions(0) == []


def test_giving_by_name_and_sharing_out_leave_events_that_say_who_did_it():
    study = make_study(experts=4)
    designing.apply_plan(study=study)
    admin, other = (User.objects.create_user(f"{name}@example.org") for name in ("admin", "other"))
    first = study.memberships.experts().get(number=0)
    designing.assign_named(study=study, expert=first, comparisons=[study.comparisons.get(position=2)], actor=admin)
    designing.share_places(study=study, actor=other)
    events = Event.objects.filter(kind=EventKind.ASSIGNED, study=study).order_by("pk")
    assert [(event.actor, event.data) for event in events] == [
        (admin, {"expert": 0, "assignments": 1}),
        (other, {"experts": 4, "assignments": 11}),
    ]


def test_sharing_out_leaves_the_places_that_are_free_in_another_study_on_the_same_texts():
    dataset = make_dataset()
    neighbour = make_study(dataset=dataset, slug="neighbour")
    make_expert(neighbour, "another@example.org")
    study = make_study(dataset=dataset, experts=3)
    for one in (neighbour, study):
        designing.apply_plan(study=one)
    busy = neighbour.memberships.experts().get(number=0)
    designing.assign_named(study=neighbour, expert=busy, comparisons=list(neighbour.comparisons.all()[:5]))
    assert designing.share_places(study=study) == {0: 4, 1: 4, 2: 4}
    assert neighbour.assignments.free().count() == 12 - 5
    assert not study.assignments.free().exists()
