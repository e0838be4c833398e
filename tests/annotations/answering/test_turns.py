"""An expert's turns: one follows from the others, whoever takes them, and for systems in order of their names."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.answering.turns import Turns
from annotations.ground.sides import first_is_a
from annotations.models import Compares, Comparison, Membership, Phase, SideKey, SideOrder, System
from tests.worlds.answering import complete_all
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import known_key, make_open_study


def test_turns_that_are_taken_one_after_the_other_are_as_balanced_as_those_between_which_an_answer_is_stored():
    key = SideKey(key=known_key("study", Phase.MAIN), name="study")
    turns = Turns(Membership(number=0), Phase.MAIN, key, {})
    lead = 0
    for number in range(40):
        expected = first_is_a(bytes(key.key), study="study", expert=0, turn=number, lead=lead)
        lead += 1 if expected else -1
        turn = turns.next(Comparison(second_system_id=1))
        assert (turn.number, turn.side_order == SideOrder.FIRST_IS_A) == (number, expected)
        assert turns.state == (number + 1, lead)


@pytest.mark.django_db
def test_of_two_systems_the_coin_is_thrown_for_the_one_that_is_first_by_name():
    dataset = make_dataset(instances=4)
    first, second = dataset.systems.order_by("pk")  # as a comparison has them
    System.objects.filter(pk=first.pk).update(model="Z")
    settings = {"compares": Compares.SYSTEM_VS_SYSTEM, "instances_per_system": 4, "experts_per_comparison": 1}
    study = make_open_study(dataset=dataset, experts=1, **settings)
    complete_all(study.memberships.experts().get().user, study.slug)
    key, seen = known_key(study.slug, Phase.MAIN), []
    for one in study.assignments.order_by("turn"):
        assert (one.comparison.first_system, one.comparison.second_system) == (first, second)
        seen.append(first_is_a(key, study=study.slug, expert=0, turn=one.turn, lead=2 * sum(seen) - len(seen)))
        assert (one.side_order == SideOrder.SECOND_IS_A) == seen[-1]
    assert set(seen) == {True, False}


@pytest.mark.django_db
def test_of_two_systems_the_names_are_read_of_their_own_dataset_alone():
    settings = {"compares": Compares.SYSTEM_VS_SYSTEM, "instances_per_system": 4, "experts_per_comparison": 1}
    study = make_open_study(dataset=make_dataset(instances=4), experts=1, **settings)
    with CaptureQueriesContext(connection) as seen:
        Turns.of(study.memberships.experts().get())
    (asked,) = (one["sql"] for one in seen if 'FROM "annotations_system"' in one["sql"])
    assert f'"dataset_id" = {study.dataset_id}' in asked
