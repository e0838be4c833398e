"""How often the best guess about the next side, from past sides alone, is correct, for three ways to balance sides."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from annotations.ground.sides import LIMIT, first_is_a
from metaeval.sampling import stream
from metaeval.validity.sections import Effort, ValidityTable, share, validity_section

TURNS = 28
Chance = Callable[[int, int], float]
"""Turn and lead -> the probability that the first source is A next, given all sides so far."""


def blocks_of_four(turn: int, lead: int) -> float:
    """Two of each in every block of four. After whole blocks the lead is 0, so it shows what this block has had.

    >>> blocks_of_four(2, 2), blocks_of_four(1, 1), round(blocks_of_four(5, -1), 3)
    (0.0, 0.3333333333333333, 0.667)
    """
    here = turn % 4
    had = (here + lead) // 2
    return (2 - had) / (4 - here)


def maximal_procedure(turn: int, lead: int) -> float:
    """All sequences of 28 sides whose lead is never above three are equally likely.

    Berger, Ivanova and Deloria Knoll (2003).

    >>> maximal_procedure(0, 0), maximal_procedure(3, 3), maximal_procedure(27, 1)
    (0.5, 0.0, 0.5)
    """
    left = TURNS - turn
    return _ways(left - 1, lead + 1) / _ways(left, lead)


@cache
def _ways(left: int, lead: int) -> int:
    if abs(lead) > LIMIT:
        return 0
    return 1 if left == 0 else _ways(left - 1, lead + 1) + _ways(left - 1, lead - 1)


def big_stick(turn: int, lead: int) -> float:
    """A coin toss, unless one order leads by three (annotations/ground/sides.py)."""
    return float(lead < 0) if abs(lead) >= LIMIT else 0.5


def coin_alone(turn: int, lead: int) -> float:
    """A coin toss for every side: nothing to guess from, and nothing balanced."""
    return 0.5


RULES: dict[str, Chance] = {
    "blocks of four (until there were keys)": blocks_of_four,
    "maximal procedure, lead of 3 at most": maximal_procedure,
    "**big stick, lead of 3 at most**": big_stick,
    "a coin alone": coin_alone,
}


def best_guess(chance: Chance) -> tuple[float, float]:
    """How often the likelier side is correct over 28 turns, and in how many turns it is certain; exact, from the lead.

    >>> tuple(round(share, 4) for share in best_guess(blocks_of_four))
    (0.7083, 0.3333)
    """
    leads, right, certain = {0: 1.0}, 0.0, 0.0
    for turn in range(TURNS):
        following: dict[int, float] = {}
        for lead, mass in leads.items():
            up = chance(turn, lead)
            right += mass * max(up, 1 - up)
            certain += mass * (max(up, 1 - up) == 1)
            for step, part in ((1, up), (-1, 1 - up)):
                if part:
                    following[lead + step] = following.get(lead + step, 0.0) + mass * part
        leads = following
    return right / TURNS, certain / TURNS


@validity_section(
    place=60,
    title="Which side comes next: what past sides tell",
    about=f"""
An expert, or who looks over their shoulder, may know on which side people were in all turns so far. How often is the
best guess about the next one right, over {TURNS} turns? *Exact* follows from the rule; *drawn* lets that guess be made
about sides that were drawn: by this project's own rule with random keys in its row, else from the rule. *Certain* is
the share of the turns in which there is nothing to guess any more.
""",
    finding="""
Sides that are balanced can be guessed a little, and blocks make every third turn certain. Of the rules that keep the
lead small the big stick is guessed least often, which is why sides are drawn by it. Its sides are certain more often
than those of the maximal procedure, and in all other turns they are a coin. Nobody is told past sides while a study
runs.
""",
)
def next_side(effort: Effort) -> list[ValidityTable]:
    rows = []
    for place, (name, chance) in enumerate(RULES.items()):
        rng = np.random.default_rng(stream(np.random.SeedSequence([effort.seed, TURNS]), place))
        right, certain = best_guess(chance)
        hits, turns, largest = _drawn(chance, effort.simulations, rng)
        rows.append((name, f"{100 * right:.1f}", share(hits, turns), f"{100 * certain:.1f}", str(largest)))
    columns = ("rule", "right, exact", "right, drawn", "certain", "largest lead drawn")
    return [ValidityTable(columns, rows, "The best guess about the next side, in per cent of turns (a coin: 50).")]


def _drawn(chance: Chance, experts: int, rng: np.random.Generator) -> tuple[float, int, int]:
    """Hits of the best guess (1/2 if both sides are equally likely), turns, and the largest lead."""
    hits, largest = 0.0, 0
    for expert in range(experts):
        key, lead = rng.bytes(32), 0
        for turn in range(TURNS):
            up = chance(turn, lead)
            if chance is big_stick:
                first = first_is_a(key, study="simulated", expert=expert, turn=turn, lead=lead)
            else:
                first = bool(rng.random() < up)
            hits += 0.5 if up == 0.5 else float(first == (up > 0.5))
            lead += 1 if first else -1
            largest = max(largest, abs(lead))
    return hits, experts * TURNS, largest
