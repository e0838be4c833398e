"""What sharing out places promises, also when experts have seen different things before."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.designing import Person, TooFewExperts, missing_experts, share

needs_of = st.dictionaries(st.integers(0, 9), st.integers(1, 5), min_size=1, max_size=8)


@st.composite
def situations(draw):
    """Needs, and people who have seen some instances and have some load."""
    needs = draw(needs_of)
    seen = st.frozensets(st.integers(0, 9), max_size=6)
    people = draw(st.lists(st.tuples(seen, st.integers(0, 3)), max_size=12))
    return needs, [Person(key=key, seen=s, load=len(s) + extra) for key, (s, extra) in enumerate(people)]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@given(situations())
def test_every_place_goes_to_somebody_who_has_not_seen_the_instance_or_the_missing_are_counted(situation):
    needs, people = situation
    missing = missing_experts(needs=needs, people=people)
    if missing:
        with pytest.raises(TooFewExperts) as refusal:
            share(needs=needs, people=people, rng=rng())
        assert refusal.value.data["missing"] == missing
        people += [Person(key=100 + extra) for extra in range(missing)]
    shared = share(needs=needs, people=people, rng=rng())
    assert {instance: len(keys) for instance, keys in shared.items()} == needs
    seen = {person.key: person.seen for person in people}
    for instance, keys in shared.items():
        assert len(set(keys)) == len(keys)
        assert not any(instance in seen[key] for key in keys)


@given(situations())
def test_one_expert_fewer_than_counted_is_not_enough(situation):
    needs, people = situation
    missing = missing_experts(needs=needs, people=people)
    if missing:
        with pytest.raises(TooFewExperts):
            share(needs=needs, people=people + [Person(key=100 + n) for n in range(missing - 1)], rng=rng())


@given(needs_of, st.integers(0, 4))
def test_without_history_loads_differ_by_one_at_most(needs, extra):
    people = [Person(key=key) for key in range(max(needs.values()) + extra)]
    loads = Counter({person.key: 0 for person in people})
    for keys in share(needs=needs, people=people, rng=rng()).values():
        loads.update(keys)
    counts = [loads[person.key] for person in people]
    assert max(counts) - min(counts) <= 1


@given(situations())
def test_loads_are_as_even_as_what_was_seen_before_allows(situation):
    needs, people = situation
    people = people[:4] + [Person(key=100 + n) for n in range(max(needs.values()))]
    people = people[: max(needs.values()) + 2]
    needs = dict(list(needs.items())[:3])
    people += [Person(key=200 + n) for n in range(missing_experts(needs=needs, people=people))]
    loads = {person.key: person.load for person in people}
    for keys in share(needs=needs, people=people, rng=rng()).values():
        for key in keys:
            loads[key] += 1
    assert sum(load**2 for load in loads.values()) == least_sum_of_squares(needs, people)


def least_sum_of_squares(needs, people):
    """By trying everything: instance after instance, every reachable vector of loads."""
    reachable = {tuple(person.load for person in people)}
    for instance, places in needs.items():
        able = [n for n, person in enumerate(people) if instance not in person.seen]
        ways = [way for way in product([0, 1], repeat=len(able)) if sum(way) == places]
        step = set()
        for loads in reachable:
            for way in ways:
                new = list(loads)
                for n, more in zip(able, way, strict=True):
                    new[n] += more
                step.add(tuple(new))
        reachable = step
    return min(sum(load**2 for load in loads) for loads in reachable)


def test_the_same_people_in_another_order_share_the_same():
    people = [Person(key=key) for key in range(6)]
    needs = {0: 3, 1: 2, 2: 4}
    forwards = share(needs=needs, people=people, rng=rng())
    backwards = share(needs=dict(reversed(needs.items())), people=people[::-1], rng=rng())
    assert forwards == backwards


# Needs, and what each person has seen and their load. Giving to whoever has least often leaves loads two apart here:
# a place must be passed on, at once or through a third person.
KNOTTED = [
    ({0: 2, 1: 1, 2: 2, 3: 1}, [({0, 1, 2}, 4), ({1}, 2), ({0, 1}, 4), ({2, 3}, 2), ({1, 2, 3}, 3)]),
    ({0: 1, 2: 1}, [({2}, 2), ({1}, 3), ({0, 1}, 3), ({1}, 2)]),
    ({0: 2, 2: 2}, [({2}, 2), ({0}, 3), (set(), 0), ({1}, 2)]),
    ({0: 1, 1: 2, 2: 1, 3: 1, 4: 1}, [({0, 1, 4}, 4), ({0, 2, 3}, 5), (set(), 1)]),
    ({1: 2, 2: 1, 3: 1, 4: 2}, [({0, 1, 2}, 4), ({3, 4}, 3), ({1, 2}, 4), ({0, 3}, 3)]),
    ({0: 1, 1: 1, 2: 1, 3: 2, 4: 2}, [({0, 1, 3}, 4), ({2, 4}, 2), ({1}, 1), ({0}, 1)]),
    ({1: 2, 2: 2, 3: 2}, [({1}, 3), ({0}, 3), ({1, 3}, 3), ({1, 2}, 4), ({1}, 3), ({0, 1, 3}, 3), ({0, 2}, 3)]),
]


@pytest.mark.parametrize(("needs", "seen_and_load"), KNOTTED)
def test_whoever_draws_which_lot_the_end_is_as_even_as_can_be(needs, seen_and_load):
    people = [Person(key=key, seen=frozenset(seen), load=load) for key, (seen, load) in enumerate(seen_and_load)]
    least = least_sum_of_squares(needs, people)
    for seed in range(20):
        shared = share(needs=needs, people=people, rng=np.random.default_rng(seed))
        loads = [person.load for person in people]
        for instance, keys in shared.items():
            assert len(set(keys)) == len(keys) == needs[instance]
            for key in keys:
                assert instance not in people[key].seen
                loads[key] += 1
        assert sum(load**2 for load in loads) == least


@pytest.mark.parametrize(("missing", "sentence"), [(1, "1 more expert is needed"), (2, "2 more experts are needed")])
def test_the_refusal_says_how_many_are_missing_in_good_english(missing, sentence):
    with pytest.raises(TooFewExperts, match=sentence) as refusal:
        share(needs={0: 1 + missing}, people=[Person(key=5)], rng=rng())
    assert refusal.value.data == {"missing": missing, "experts": 1}
