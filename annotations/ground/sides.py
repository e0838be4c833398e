"""Which of two distributions is A: a coin toss that only the holder of a secret key can repeat.

Every expert has *turns*: 0 for the first comparison they were shown, 1 for the next, and so on, even if they skipped
it afterwards. The side of a turn is a coin toss, drawn by a keyed hash of the study's name, the expert's number
and the turn, unless one order leads by `LIMIT`: then the other one is used (the *big stick*). So

- after any number of turns the two orders differ by at most three;
- someone who knows all sides so far, but not the key, can in the long run be right about the next one in at most 7/12
  of the turns (1/2, except 1 in the sixth of the turns at which the lead is at its limit);
- the key's SHA-256, published before the first turn, and the key, published at the end, let anyone check every side.

Soares and Wu (1983), Some restricted randomization rules in sequential designs; Berger, Bejleri and Agnor (2016),
Comparing MTI randomization procedures to blocked randomization.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

RULE = 2
"""The rule in this module. Sides drawn in other ways have `EARLIER`: this study's keys do not determine them."""
EARLIER = 1
"""Drawn from the study's seed in blocks of four (before there were keys), or collected elsewhere."""
LIMIT = 3
"""The most turns by which one side order may lead."""
KEY_BYTES = 32


def new_key() -> bytes:
    """A key that nobody can guess."""
    return secrets.token_bytes(KEY_BYTES)


def commitment(key: bytes) -> str:
    """What is published of a key before the key itself: its SHA-256, in hexadecimal digits.

    >>> commitment(bytes(32))[:16]
    '66687aadf862bd77'
    """
    return hashlib.sha256(key).hexdigest()


def coin(key: bytes, *, study: str, expert: int, turn: int) -> bool:
    """The lowest bit of the last byte of HMAC-SHA256(key, "study/expert/turn"): whether the first is A.

    >>> [int(coin(bytes(32), study="tag", expert=0, turn=turn)) for turn in range(8)]
    [1, 1, 1, 1, 1, 1, 0, 1]
    """
    return bool(hmac.digest(key, f"{study}/{expert}/{turn}".encode(), "sha256")[-1] & 1)


def first_is_a(key: bytes, *, study: str, expert: int, turn: int, lead: int) -> bool:
    """Whether the first of the two distributions is A at this turn.

    Args:
        lead: among the expert's turns so far, the number at which the first was A minus the others (`lead_of`).
    """
    return lead < 0 if abs(lead) >= LIMIT else coin(key, study=study, expert=expert, turn=turn)


def lead_of(turns: Iterable[tuple[int, bool]]) -> int:
    """By how much "the first is A" leads after these turns, each given as a rule and whether the first was A.

    The lead from sides drawn in other ways counts only up to the limit: a longer one would make many turns certain.

    >>> lead_of([(RULE, True), (RULE, True), (RULE, False)]), lead_of([(EARLIER, False)] * 9)
    (1, -3)
    """
    earlier = drawn = 0
    for rule, first in turns:
        step = 1 if first else -1
        if rule == RULE:
            drawn += step
        else:
            earlier += step
    return lead_from(earlier=earlier, drawn=drawn)


def lead_from(*, earlier: int, drawn: int) -> int:
    """The same from the lead of the sides drawn in other ways and that of those drawn by `RULE`."""
    return max(-LIMIT, min(LIMIT, earlier)) + drawn


def order_of_names(first: tuple[str, ...] | None, second: tuple[str, ...]) -> bool:
    """Whether the first source is also first by name; people (None) always are.

    The stored order of a pair of systems differs between databases, so sides are drawn for the pair in
    order of names and can be checked anywhere.

    >>> order_of_names(None, ("BERT", "", "")), order_of_names(("RoBERTa", "", ""), ("BERT", "", ""))
    (True, False)
    """
    return first is None or first <= second


@dataclass(frozen=True, slots=True)
class StatedKey:
    """What is published of a key: always its SHA-256; once the study is closed, the key in hexadecimal digits.

    `name` is the study's name when the key was made, which goes into every draw.
    """

    phase: str
    name: str
    sha256: str
    key: str | None


@dataclass(frozen=True, slots=True, order=True)
class ShownTurn:
    """One turn as it was shown: whether the first source in order of names was A."""

    expert: int
    phase: str
    turn: int
    rule: int
    first_is_a: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """How many turns were drawn again, how many no key determines, and every difference."""

    drawn: int
    earlier: int
    differences: tuple[str, ...]


def draw_again(keys: Sequence[StatedKey], turns: Iterable[ShownTurn]) -> Checked:
    """Check keys against their SHA-256, and every turn against its key."""
    differences = [_wrong_key(turn) for turn in keys]
    by_phase = {turn.phase: turn for turn in keys if turn.key is not None}
    drawn = earlier = 0
    for (expert, phase), mine in groupby(sorted(turns), key=lambda turn: (turn.expert, turn.phase)):
        past: list[tuple[int, bool]] = []
        for place, turn in enumerate(mine):
            where = f"expert {expert}, {phase}, turn {turn.turn}"
            if turn.turn != place:
                differences.append(f"{where}: {place} turns are told before it")
                break
            if turn.rule != RULE:
                earlier += 1
            elif phase not in by_phase:
                differences.append(f"{where}: the key of this phase is not told (the study was not closed)")
                break
            else:
                stated = by_phase[phase]
                key = bytes.fromhex(stated.key or "")
                expected = first_is_a(key, study=stated.name, expert=expert, turn=place, lead=lead_of(past))
                drawn += 1
                if expected != turn.first_is_a:
                    differences.append(
                        f"{where}: the {_first(turn.first_is_a)} source was A, but the key draws the other one"
                    )
            past.append((turn.rule, turn.first_is_a))
    return Checked(drawn, earlier, tuple(text for text in differences if text))


def _wrong_key(stated: StatedKey) -> str:
    if stated.key is None:
        return ""
    sha256 = commitment(bytes.fromhex(stated.key))
    return "" if sha256 == stated.sha256 else f"key of {stated.phase}: its SHA-256 is {sha256}, not {stated.sha256}"


def _first(is_first: bool) -> str:
    return "first" if is_first else "second"
