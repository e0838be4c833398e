"""What a plan says of itself before anything is stored."""

import re

import pytest

from annotations import designing
from annotations.designing import Draw, StudyPlan
from annotations.designing.averaging import Candidates
from annotations.models import Membership, Role, System
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_member, make_study


def plan_of(shown: list[int], *, experts: int, assigning: str = "named", each: int = 1) -> StudyPlan:
    """One system on the listed ones of three instances."""
    return StudyPlan(
        candidates=Candidates((System(model="M"),)),
        instances=(70, 80, 90),
        draws=tuple(Draw(instance=instance, first=None, second=0) for instance in shown),
        experts=tuple(Membership(number=number) for number in range(experts)),
        experts_per_comparison=each,
        instances_per_system=len(shown),
        assigning=assigning,
        seed=1,
    )


def test_the_statement_says_how_much_each_named_expert_gets():
    even = plan_of([2, 0, 1], experts=3)
    assert set(even.loads.values()) == {1}
    assert even.statement.endswith("The study has 3 active experts. Texts per expert: 1.")
    uneven = plan_of([2, 0, 1], experts=2)
    assert sorted(uneven.loads.values()) == [1, 2]
    assert uneven.statement.endswith("The study has 2 active experts. Texts per expert: 1 to 2.")


def test_in_an_open_pool_each_is_told_the_largest_part_and_named_experts_who_are_too_few_get_nothing():
    assert plan_of([0, 1, 2], experts=2, assigning="open_pool").loads == {0: 2, 1: 2}
    assert plan_of([0, 1, 2], experts=2, assigning="open_pool", each=3).loads == {0: 3, 1: 3}  # as if there were three
    assert plan_of([0, 1, 2], experts=0, assigning="open_pool").loads == {}
    assert plan_of([0, 1, 2], experts=2, each=3).loads == {}


@pytest.mark.parametrize(("experts", "sentence"), [(3, "needs 1 more"), (2, "needs 2 more")])
def test_the_statement_says_who_is_missing_and_what_each_would_get(experts, sentence):
    plan = plan_of([0, 2], experts=experts, each=4)
    assert "Each text is used 0 to 1 times." in plan.statement
    assert f"{experts} active experts and {sentence}. With 4 experts, each would get up to 2 texts." in plan.statement


def test_a_plan_without_comparisons_needs_nobody():
    plan = plan_of([], experts=0)
    assert (plan.places, plan.needs, plan.experts_needed, plan.missing_experts) == (0, {}, 0, 0)


def test_a_plan_is_printed_without_its_comparisons_and_instances():
    shown = repr(plan_of([0, 1, 2], experts=1))
    assert "Draw(" not in shown
    assert "(70, 80, 90)" not in shown
    assert "instances_per_system=3" in shown


@pytest.mark.django_db
def test_a_plan_shows_the_texts_of_its_own_dataset_in_their_order_and_counts_active_experts_only():
    make_dataset(slug="neighbour", instances=4)
    dataset = make_dataset(instances=5)
    study = make_study(dataset=dataset, instances_per_system=5, experts=2)
    make_member(study, Role.RESEARCHER, "researcher@example.org")
    guest = make_expert(study, "guest@example.org")
    Membership.objects.filter(pk=guest.pk).update(is_active=False)
    plan = designing.propose(study=study, more_experts=2)
    assert plan.instances == tuple(dataset.instances.order_by("position").values_list("pk", flat=True))
    assert plan.matrix.tolist() == [[1] * 5] * 2
    assert [expert.number for expert in plan.experts] == [0, 1, 2, 3]


def test_where_one_system_takes_part_once_less_the_statement_counts_how_often():
    """Three systems, three texts each: four comparisons, and nine halves of them would be needed."""
    pairs = [(0, 1), (0, 2), (1, 2), (0, 1)]
    plan = StudyPlan(
        candidates=Candidates(tuple(System(model=model) for model in "MNO")),
        instances=(70, 80, 90, 100),
        draws=tuple(Draw(instance, first, second) for instance, (first, second) in enumerate(pairs)),
        experts=(),
        experts_per_comparison=1,
        instances_per_system=3,
        assigning="named",
        seed=1,
    )
    assert plan.matrix.sum(axis=1).tolist() == [3, 3, 2]
    assert re.search(r"\b3 x 3\b\D*\b2\b", plan.statement)
