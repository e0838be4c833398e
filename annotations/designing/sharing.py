"""Who gets which places: nobody gets an instance twice, and everybody gets about the same number. Pure.

Here places differ only by their instance: an instance shown in c comparisons to e experts each needs c x e different
people, and instances compete for people only through their load. So the least number of experts is the largest such
need, and giving each instance to those who have fewest keeps all loads within one; if experts have seen different
things before, exchanges along paths finish the job (a minimum-cost flow whose cost, the sum of squared loads, has no
other local minimum).
"""

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict
from annotations.shown.plurals import filled


class TooFewExperts(Conflict):
    """The places cannot all be filled without showing somebody an instance twice."""


@dataclass(frozen=True, slots=True)
class Person:
    """An expert for the purpose of sharing: a key, the instances they have had, and their number of assignments."""

    key: int
    seen: frozenset[int] = frozenset()
    load: int = 0


def missing_experts(*, needs: Mapping[int, int], people: Collection[Person]) -> int:
    """How many more experts are needed for every instance's free places to go to different people.

    >>> missing_experts(needs={0: 8, 1: 4}, people=[Person(1), Person(2, seen=frozenset({0}))])
    7
    """
    worst = 0
    for instance, places in needs.items():
        able = sum(instance not in person.seen for person in people)
        worst = max(worst, places - able)
    return worst


def share(*, needs: Mapping[int, int], people: Collection[Person], rng: np.random.Generator) -> dict[int, list[int]]:
    """Give every instance's places to that many different people.

    Args:
        needs: instance -> free places.
        people: the experts; `load` counts what they already have and is evened out together with the new places.

    Returns:
        instance -> keys of people, in random order. The largest and smallest load differ by at most one
          wherever that is possible.

    Raises:
        TooFewExperts: says how many are missing.
    """
    missing = missing_experts(needs=needs, people=people)
    if missing:
        raise TooFewExperts(
            filled(
                _(
                    "{number, plural, one {# more expert is} other {# more experts are}} needed, because nobody may "
                    "see a text twice. There are {have} experts to share the texts among."
                ),
                number=missing,
                have=len(people),
            ),
            missing=missing,
            experts=len(people),
        )
    people = sorted(people, key=lambda person: person.key)
    loads = {person.key: person.load for person in people}
    seen = {person.key: person.seen for person in people}
    shares: dict[int, set[int]] = {person.key: set() for person in people}
    for instance in sorted(needs, key=lambda i: (sum(i not in s for s in seen.values()) - needs[i], i)):
        lots = rng.random(len(people))
        able = [(loads[p.key], lots[n], p.key) for n, p in enumerate(people) if instance not in p.seen]
        for _load, _lot, key in sorted(able)[: needs[instance]]:
            shares[key].add(instance)
            loads[key] += 1
    while _exchange(shares, seen, loads):
        pass
    shared: dict[int, list[int]] = {}
    for instance in sorted(needs):
        holders = np.array([key for key in shares if instance in shares[key]], dtype=np.int64)
        shared[instance] = [int(key) for key in rng.permutation(holders)]
    return shared


def _exchange(shares: dict[int, set[int]], seen: Mapping[int, frozenset[int]], loads: dict[int, int]) -> bool:
    """Pass one place, perhaps via others, from one person to another with at least two fewer; False if impossible."""
    if not loads or max(loads.values()) - min(loads.values()) <= 1:
        return False
    for giver in sorted(loads, key=lambda key: -loads[key]):
        came_from: dict[int, tuple[int, int]] = {giver: (giver, -1)}
        queue = deque([giver])
        while queue:
            person = queue.popleft()
            if loads[person] <= loads[giver] - 2:
                while person != giver:
                    before, instance = came_from[person]
                    shares[before].remove(instance)
                    shares[person].add(instance)
                    loads[person] += 1
                    loads[before] -= 1
                    person = before
                return True
            for other in loads:
                if other not in came_from:
                    movable = shares[person] - shares[other] - seen[other]
                    if movable:
                        came_from[other] = (person, min(movable))
                        queue.append(other)
    return False
