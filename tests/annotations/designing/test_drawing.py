"""What every drawn plan promises, whatever the numbers."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.designing import Draw, TooFewInstances, TooFewSystems, draw
from annotations.models import Compares

AGAINST_PEOPLE = Compares.HUMAN_VS_SYSTEM
BETWEEN_SYSTEMS = Compares.SYSTEM_VS_SYSTEM
seeds = st.integers(0, 2**63 - 1)


def hands(draws: tuple[Draw, ...]) -> dict[int, list[int]]:
    """system -> its instances."""
    hands: dict[int, list[int]] = {}
    for one in draws:
        for system in (one.first, one.second):
            if system is not None:
                hands.setdefault(system, []).append(one.instance)
    return hands


@given(st.integers(1, 12), st.integers(1, 40), st.data(), seeds)
def test_against_people_every_system_gets_its_number_of_different_instances(systems, instances, data, seed):
    per_system = data.draw(st.integers(1, instances))
    draws = draw(systems=systems, instances=instances, per_system=per_system, compares=AGAINST_PEOPLE, seed=seed)
    assert all(one.first is None for one in draws)
    assert sorted(hands(draws)) == list(range(systems))
    for hand in hands(draws).values():
        assert len(hand) == len(set(hand)) == per_system


@given(st.integers(1, 12), st.integers(1, 40), st.data(), seeds)
def test_the_pool_is_used_up_evenly(systems, instances, data, seed):
    per_system = data.draw(st.integers(1, instances))
    draws = draw(systems=systems, instances=instances, per_system=per_system, compares=AGAINST_PEOPLE, seed=seed)
    uses = Counter(dict.fromkeys(range(instances), 0))
    for system in range(systems):  # after every system, not only at the end
        uses.update(hands(draws)[system])
        assert max(uses.values()) - min(uses.values()) <= 1


@given(st.integers(1, 10), st.integers(2, 30), st.data(), seeds, st.floats(0, 0.6))
def test_a_system_gets_no_instance_that_it_avoids_while_there_are_others(systems, instances, data, seed, share):
    per_system = data.draw(st.integers(1, instances))
    avoided = np.random.default_rng(seed % 2**32).random((systems, instances)) < share
    plan = {"systems": systems, "instances": instances, "per_system": per_system, "compares": AGAINST_PEOPLE}
    draws = draw(**plan, seed=seed, avoided=avoided)
    for system, hand in hands(draws).items():
        assert len(hand) == len(set(hand)) == per_system
        others = instances - int(avoided[system].sum())
        assert sum(avoided[system][i] for i in hand) == max(0, per_system - others)


@given(st.integers(1, 10), st.integers(2, 30), st.data(), seeds)
def test_where_nothing_is_avoided_the_plan_is_the_one_that_it_was(systems, instances, data, seed):
    per_system = data.draw(st.integers(1, instances))
    plan = {"systems": systems, "instances": instances, "per_system": per_system, "compares": AGAINST_PEOPLE}
    assert draw(**plan, seed=seed, avoided=np.zeros((systems, instances), dtype=bool)) == draw(**plan, seed=seed)


def test_what_one_system_avoids_goes_to_the_next_one_of_the_same_deck():
    avoided = np.zeros((3, 9), dtype=bool)
    avoided[0, :6] = True
    hand = hands(draw(systems=3, instances=9, per_system=3, compares=AGAINST_PEOPLE, seed=5, avoided=avoided))
    assert sorted(hand[0]) == [6, 7, 8]
    assert sorted(hand[0] + hand[1] + hand[2]) == list(range(9))  # every instance once, as without


@given(st.integers(2, 11), st.integers(1, 40), st.data(), seeds)
def test_between_systems_everybody_takes_part_equally_on_different_instances(systems, instances, data, seed):
    most = instances if systems % 2 == 0 else max(1, instances // 2)
    per_system = data.draw(st.integers(1, most))
    draws = draw(systems=systems, instances=instances, per_system=per_system, compares=BETWEEN_SYSTEMS, seed=seed)
    assert all(one.first is not None and one.first < one.second for one in draws)
    shown = sorted(len(hand) for hand in hands(draws).values())
    odd = systems * per_system % 2
    expected = [per_system - 1] * odd + [per_system] * (systems - odd)
    assert shown == [count for count in expected if count]
    for hand in hands(draws).values():
        assert len(hand) == len(set(hand))
    uses = Counter(one.instance for one in draws)
    counts = [uses[instance] for instance in range(instances)]
    assert max(counts) - min(counts) <= 1


@given(st.integers(2, 9), st.integers(1, 30), seeds)
def test_between_systems_all_pairs_are_compared_about_equally_often(systems, per_system, seed):
    draws = draw(systems=systems, instances=80, per_system=per_system, compares=BETWEEN_SYSTEMS, seed=seed)
    pairs = Counter((one.first, one.second) for one in draws)
    counts = [pairs[a, b] for b in range(systems) for a in range(b)]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("compares", [AGAINST_PEOPLE, BETWEEN_SYSTEMS])
def test_the_same_seed_draws_the_same_and_another_seed_something_else(compares):
    settings = {"systems": 6, "instances": 50, "per_system": 20, "compares": compares}
    assert draw(seed=1, **settings) == draw(seed=1, **settings)
    assert draw(seed=1, **settings) != draw(seed=2, **settings)


def test_a_drawn_plan_stays_the_same_in_later_versions():
    draws = draw(systems=2, instances=3, per_system=2, compares=AGAINST_PEOPLE, seed=1)
    assert [(one.instance, one.second) for one in draws] == [(0, 1), (0, 0), (1, 0), (2, 1)]
    draws = draw(systems=3, instances=5, per_system=3, compares=BETWEEN_SYSTEMS, seed=1)
    assert [(one.instance, one.first, one.second) for one in draws] == [(2, 0, 1), (3, 0, 2), (1, 0, 1), (0, 1, 2)]
    # Evened out: of instances that are used equally often, the first in the list comes first, whatever the machine.
    draws = draw(systems=6, instances=17, per_system=11, compares=BETWEEN_SYSTEMS, seed=15)
    assert Counter(one.instance for one in draws).most_common()[-1] == (14, 1)


def test_more_instances_per_system_than_the_dataset_has_is_refused_with_the_remedy():
    with pytest.raises(TooFewInstances, match="to 5 or fewer") as refusal:
        draw(systems=3, instances=5, per_system=6, compares=AGAINST_PEOPLE, seed=0)
    assert refusal.value.data == {"instances_per_system": 6, "instances": 5}


def test_an_odd_number_of_systems_needs_more_instances_than_each_gets():
    # Three systems, two comparisons each: three pairs that all share a system, so three instances.
    with pytest.raises(TooFewInstances, match="Reduce the number of texts per system") as refusal:
        draw(systems=3, instances=2, per_system=2, compares=BETWEEN_SYSTEMS, seed=0)
    assert refusal.value.data == {"instances_per_system": 2, "instances": 2}
    assert len(draw(systems=3, instances=3, per_system=2, compares=BETWEEN_SYSTEMS, seed=0)) == 3


def test_systems_are_needed():
    with pytest.raises(TooFewSystems):
        draw(systems=0, instances=5, per_system=1, compares=AGAINST_PEOPLE, seed=0)
    with pytest.raises(TooFewSystems, match="at least 2") as refusal:
        draw(systems=1, instances=5, per_system=1, compares=BETWEEN_SYSTEMS, seed=0)
    assert refusal.value.data == {"systems": 1}
    assert len(draw(systems=1, instances=5, per_system=1, compares=AGAINST_PEOPLE, seed=0)) == 1


@pytest.mark.parametrize("systems", [2, 4, 6, 8])
@pytest.mark.parametrize("instances", [1, 3, 4, 5, 8])
def test_systems_that_share_every_instance_meet_on_each_of_them_in_pairs(systems, instances):
    """There is no room to choose: instances are given out one by one, or, where that gets stuck, round by round."""
    for seed in range(10):
        draws = draw(systems=systems, instances=instances, per_system=instances, compares=BETWEEN_SYSTEMS, seed=seed)
        assert Counter(one.instance for one in draws) == dict.fromkeys(range(instances), systems // 2)
        assert all(sorted(hand) == list(range(instances)) for hand in hands(draws).values())
        assert sorted(hands(draws)) == list(range(systems))
        assert all(one.first is not None and one.first < one.second for one in draws)


@pytest.mark.parametrize("systems", [3, 5])
@pytest.mark.parametrize("instances", [1, 2, 3, 4, 5, 6, 7])
def test_an_odd_number_of_systems_is_drawn_wherever_the_instances_suffice(systems, instances):
    """On one instance (systems - 1) / 2 pairs can meet: that many places there are, and all can be used."""
    for per_system in range(1, instances + 1):
        pairs, room = systems * per_system // 2, instances * (systems // 2)
        for seed in range(6):
            settings = {"systems": systems, "instances": instances, "per_system": per_system, "seed": seed}
            if pairs > room:
                with pytest.raises(TooFewInstances):
                    draw(compares=BETWEEN_SYSTEMS, **settings)
                continue
            draws = draw(compares=BETWEEN_SYSTEMS, **settings)
            assert len(draws) == pairs
            assert all(len(hand) == len(set(hand)) for hand in hands(draws).values())
            uses = Counter(dict.fromkeys(range(instances), 0) | Counter(one.instance for one in draws))
            assert max(uses.values()) - min(uses.values()) <= 1


@pytest.mark.parametrize(("instances", "per_system", "seed"), [(6, 4, 4), (6, 5, 5), (7, 5, 5), (8, 5, 4)])
def test_what_was_drawn_unevenly_is_evened_out_and_nobody_meets_an_instance_twice(instances, per_system, seed):
    """Seeds with which one instance is first drawn two times more than another."""
    draws = draw(systems=6, instances=instances, per_system=per_system, compares=BETWEEN_SYSTEMS, seed=seed)
    uses = Counter(one.instance for one in draws)
    assert max(uses.values()) - min(uses[instance] for instance in range(instances)) <= 1
    assert all(len(hand) == len(set(hand)) == per_system for hand in hands(draws).values())


@pytest.mark.parametrize(
    ("seed", "per_system", "absent"),
    [
        (1, 3, ["00010", "00000", "00001", "00101"]),
        (0, 3, ["010001", "000000", "010011", "000011"]),
        (0, 2, ["00110", "00010", "00101", "00000", "00110"]),
    ],
)
def test_evening_out_gives_no_system_an_instance_that_it_lacks(seed, per_system, absent):
    lacks = np.array([[sign == "1" for sign in row] for row in absent])
    systems, instances = lacks.shape
    settings = {"systems": systems, "instances": instances, "per_system": per_system, "compares": BETWEEN_SYSTEMS}
    for system, hand in hands(draw(**settings, seed=seed, absent=lacks)).items():
        assert len(hand) == len(set(hand)) == per_system
        assert not lacks[system, hand].any()


def test_where_predictions_are_missing_a_plan_that_there_is_is_found_whatever_the_seed():
    lacks = np.array([[True, False, True, False], [False] * 4, [False] * 4])
    settings = {"systems": 3, "instances": 4, "per_system": 2, "compares": BETWEEN_SYSTEMS}
    for seed in range(100):
        for system, hand in hands(draw(**settings, seed=seed, absent=lacks)).items():
            assert len(hand) == len(set(hand)) == 2
            assert not lacks[system, hand].any()
