"""Which instances are drawn for which system. Pure: numbers in, numbers out.

Against people, every system draws its hand from a shuffled deck of all instances, one system after another;
a new deck is opened only when the old one is used up. So every instance is used k times before any is used
k + 1 times, and no system gets an instance twice.

Between systems, a comparison needs two systems and one instance. The pairs come from a round-robin schedule, so
that all pairs are compared about equally often; assigning the instances is then a colouring of the schedule's
edges (no two edges at a system have the same colour) with colour classes of equal size, repaired by alternating
chains.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import Mask
from annotations.ground.errors import Conflict, HLVError
from annotations.ground.seeding import RandomChoice, generator
from annotations.models import Compares

ORDERS = 50
"""So many orders of systems and pairs are tried: where predictions are missing, one may lead nowhere, another not."""


class TooFewInstances(HLVError):
    """The dataset does not have that many different instances for every system."""


class TooFewSystems(HLVError):
    """There is nothing to compare."""


class TooManyPlaces(Conflict):
    """More than can be planned, or added, at once."""


MOST_PLANNED = 200_000
"""The most places of a plan, because somebody is waiting while they are drawn and stored."""
MOST_SHARES = 50_000_000
"""The most shares on one side of a plan's comparisons, which are held together to see which sides look alike."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One comparison: an instance and two sources, as positions in the sorted lists. If the first is empty: people."""

    instance: int
    first: int | None
    second: int


def draw(
    *,
    systems: int,
    instances: int,
    per_system: int,
    compares: str,
    seed: int,
    avoided: Mask | None = None,
    absent: Mask | None = None,
) -> tuple[Draw, ...]:
    """All comparisons of a study, in shuffled order.

    Args:
        systems, instances: how many there are; systems are sorted by name, instances by position.
        per_system: how many comparisons each system takes part in, each with a different instance. In
            system-vs-system studies with an odd product systems x per_system, one system (drawn) has one fewer.
        compares: `human_vs_system` or `system_vs_system`.
        avoided: systems x instances, against people only: which instances a system should not get. It gets the next
            ones from the same deck instead, unless no others are left.
        absent: systems x instances: where a system predicts nothing. Such instances are never drawn for it.

    Returns:
        Comparisons in which every instance is used k or k + 1 times; if some are avoided or lack predictions, as
        nearly so as the others allow.

    Raises:
        TooFewInstances: there are not `per_system` different instances.
        TooFewSystems: there is no system, or only one with no other to compare it with.
    """
    between = compares == Compares.SYSTEM_VS_SYSTEM
    if systems < 1 + between:
        raise TooFewSystems(
            _(
                "The dataset has {systems} systems, but this kind of study needs at least {value}. "
                "Import predictions first."
            ).format(systems=systems, value=1 + between),
            systems=systems,
        )
    if per_system > instances:
        raise TooFewInstances(
            _(
                "Each system should get {per_system} different texts, but the dataset has only "
                "{instances}. Set the number of texts per system to {instances} or fewer."
            ).format(per_system=per_system, instances=instances),
            instances_per_system=per_system,
            instances=instances,
        )
    absent = np.zeros((systems, instances), dtype=bool) if absent is None else absent
    fewest = int((~absent).sum(axis=1).min())
    if per_system > fewest:
        raise TooFewInstances(
            _(
                "Each system should get {per_system} different texts, but one system has predictions "
                "for only {fewest} of {instances}. Set the number of texts per system to {fewest} or "
                "fewer, or import the missing predictions."
            ).format(per_system=per_system, fewest=fewest, instances=instances),
            instances_per_system=per_system,
            instances=fewest,
        )
    rng = generator(seed, RandomChoice.DRAWING)
    if between:
        draws = _between_systems(absent, per_system, rng)
    else:
        nowhere = np.zeros((systems, instances), dtype=bool)
        draws = _against_people(per_system, nowhere if avoided is None else avoided, absent, rng)
    order = generator(seed, RandomChoice.ORDERING).permutation(len(draws))
    return tuple(draws[i] for i in order)


def _against_people(per_system: int, avoided: Mask, absent: Mask, rng: np.random.Generator) -> list[Draw]:
    draws: list[Draw] = []
    deck: list[int] = []  # instances that a system avoids or lacks stay on top, for the next system
    for system, (shunned, lacks) in enumerate(zip(avoided, absent, strict=True)):
        hand = list(dict.fromkeys(i for i in deck if not shunned[i] and not lacks[i]))[:per_system]
        deck = _without(deck, hand)
        if len(hand) < per_system:
            fresh = [int(i) for i in rng.permutation(len(lacks))]
            new = np.array([i for i in fresh if i not in set(hand) and not lacks[i]])
            # In the deck's order, those the system should avoid only if there are no others.
            ordered = new[np.argsort(shunned[new], kind="stable")]
            more = [int(i) for i in ordered[: per_system - len(hand)]]
            deck += _without(fresh, more)
            hand += more
        draws += [Draw(instance=instance, first=None, second=system) for instance in hand]
    return draws


def _without(deck: list[int], hand: list[int]) -> list[int]:
    """The deck without the uppermost copy of each instance in a hand."""
    taken = set(hand)
    others = []
    for instance in deck:
        if instance in taken:
            taken.remove(instance)
        else:
            others.append(instance)
    return others


def _between_systems(absent: Mask, per_system: int, rng: np.random.Generator) -> list[Draw]:
    systems, instances = absent.shape
    colouring = _coloured(absent, per_system, rng)
    if colouring is None:
        raise TooFewInstances(
            _(
                "With only {instances} texts, {systems} systems cannot each be compared on "
                "{per_system} different texts. Reduce the number of texts per system."
            ).format(systems=systems, per_system=per_system, instances=instances),
            instances_per_system=per_system,
            instances=instances,
        )
    colouring.level()
    return [
        Draw(instance=colour, first=min(pair), second=max(pair))
        for pair, colour in zip(colouring.pairs, colouring.colours, strict=True)
    ]


def _coloured(absent: Mask, per_system: int, rng: np.random.Generator) -> "_Colouring | None":
    """All pairs with an instance each; None if no order led to one for all."""
    systems = len(absent)
    rounds = _schedule(systems, per_system)
    shared = np.flatnonzero(~absent.any(axis=0))
    for _order in range(ORDERS):
        names = [int(i) for i in rng.permutation(systems)]
        pairs = [(names[a], names[b]) for turn in rounds for a, b in turn]
        colouring = _Colouring(pairs, absent)
        if colouring.fill(rng):
            return colouring
        if systems % 2 == 0 and len(shared) >= per_system:
            # With an even number of systems, a whole round can share one instance, so this always works.
            colouring = _Colouring(pairs, absent)
            shuffled = rng.permutation(shared)
            for edge in range(len(pairs)):
                colouring.give(edge, int(shuffled[edge // (systems // 2)]))
            return colouring
    return None


def _schedule(systems: int, per_system: int) -> list[list[tuple[int, int]]]:
    """Rounds of pairs in which every system takes part `per_system` times, all pairs about equally often."""
    n = systems
    if n % 2 == 0:  # the circle method: every round pairs all systems
        return [
            [(n - 1, turn % (n - 1))]
            + [((turn + step) % (n - 1), (turn - step) % (n - 1)) for step in range(1, n // 2)]
            for turn in range(per_system)
        ]
    # Odd: all pairs at one distance on a ring form rounds in which every system takes part twice.
    half = (n - 1) // 2
    distances = [distance % half + 1 for distance in range(1, per_system // 2 + 1)]
    rounds = [[(a, (a + distance) % n) for a in range(n)] for distance in distances]
    if per_system % 2:  # and once more for all but one: every second pair on a ring of neighbours
        rounds.append([(a, a + 1) for a in range(0, n - 1, 2)])
    return rounds


class _Colouring:
    """Instances as colours of a multigraph's edges: no two edges at one system have the same colour, and none has a
    colour that is absent at one of its systems."""

    def __init__(self, pairs: Sequence[tuple[int, int]], absent: Mask) -> None:
        systems, colours = absent.shape
        self.absent = absent
        self.pairs = pairs
        self.colours = [-1] * len(pairs)
        self.counts = np.zeros(colours, dtype=np.int64)
        self.at: list[dict[int, int]] = [{} for _ in range(systems)]  # system -> colour -> edge
        self.taken = absent.copy()

    def give(self, edge: int, colour: int) -> None:
        self.colours[edge] = colour
        self.counts[colour] += 1
        for system in self.pairs[edge]:
            self.at[system][colour] = edge
            self.taken[system, colour] = True

    def take(self, edge: int) -> None:
        colour, self.colours[edge] = self.colours[edge], -1
        self.counts[colour] -= 1
        for system in self.pairs[edge]:
            del self.at[system][colour]
            self.taken[system, colour] = False

    def fill(self, rng: np.random.Generator) -> bool:
        """Colour all edges, each with a least-used colour that both ends allow; False if an edge has none."""
        for edge in rng.permutation(len(self.pairs)):
            a, b = self.pairs[edge]
            allowed = ~(self.taken[a] | self.taken[b])
            if allowed.any():
                rank = np.where(allowed, self.counts + rng.random(len(self.counts)), np.inf)
                self.give(int(edge), int(rank.argmin()))
            elif not self._make_room(int(edge)):
                return False
        return True

    def _make_room(self, edge: int) -> bool:
        """Free a colour for an edge by swapping two colours along the chain that starts at its second end."""
        a, b = self.pairs[edge]
        for colour in np.flatnonzero(~self.taken[a]):
            for other in np.flatnonzero(~self.taken[b]):
                chain = self.chain(b, int(colour), int(other))  # without an edge, if `colour` is absent at `b`
                if chain and a not in self.pairs[chain[-1]] and self.may_swap(chain, int(colour), int(other)):
                    self.swap(chain, int(colour), int(other))
                    self.give(edge, int(colour))
                    return True
        return False

    def chain(self, start: int, colour: int, other: int) -> list[int]:
        """The edges alternating between `colour` and `other` from a system that has no edge of `other`."""
        edges: list[int] = []
        system = start
        while (edge := self.at[system].get(colour)) is not None:
            edges.append(edge)
            a, b = self.pairs[edge]
            system = b if system == a else a
            colour, other = other, colour
        return edges

    def may_swap(self, edges: Sequence[int], colour: int, other: int) -> bool:
        """Whether all systems of these edges have both colours."""
        return not any(self.absent[system, [colour, other]].any() for edge in edges for system in self.pairs[edge])

    def swap(self, edges: Sequence[int], colour: int, other: int) -> None:
        after = [other if self.colours[edge] == colour else colour for edge in edges]
        for edge in edges:
            self.take(edge)
        for edge, new in zip(edges, after, strict=True):
            self.give(edge, new)

    def level(self) -> None:
        """Even out the use of colours until no two differ by two or more, or nothing more can be done."""
        while self._level_one():
            pass

    def _level_one(self) -> bool:
        """Recolour one edge from a most-used colour to a less-used one; False if nothing is left to do."""
        for most in np.flatnonzero(self.counts == self.counts.max()).tolist():
            for least in np.argsort(self.counts, kind="stable").tolist():
                if self.counts[most] - self.counts[least] <= 1:
                    break
                # The edges of both colours form chains; at least one has one more edge of the commoner colour.
                for system in np.flatnonzero(self.taken[:, most] & ~self.taken[:, least]).tolist():
                    chain = self.chain(system, most, least)
                    if len(chain) % 2 and self.may_swap(chain, most, least):
                        self.swap(chain, most, least)
                        return True
        return False
