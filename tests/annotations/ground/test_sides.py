"""The rule of sides: a coin that only the key throws again, held within three of balance."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.ground.sides import (
    EARLIER,
    LIMIT,
    RULE,
    ShownTurn,
    StatedKey,
    coin,
    commitment,
    draw_again,
    first_is_a,
    lead_of,
    new_key,
)

keys = st.binary(min_size=32, max_size=32)


def drawn(key: bytes, turns: int, *, expert: int = 3) -> list[bool]:
    past: list[bool] = []
    for turn in range(turns):
        lead = 2 * sum(past) - len(past)
        past.append(first_is_a(key, study="tag", expert=expert, turn=turn, lead=lead))
    return past


def told(key: bytes, turns: int) -> list[ShownTurn]:
    return [ShownTurn(3, "main", turn, RULE, first) for turn, first in enumerate(drawn(key, turns))]


def stated(key: bytes) -> StatedKey:
    return StatedKey("main", "tag", commitment(key), key.hex())


def test_the_coin_is_the_last_bit_of_the_keyed_hash_as_it_is_documented():
    key = bytes(range(32))
    for turn in range(50):
        digest = hmac.new(key, f"tag/7/{turn}".encode(), hashlib.sha256).hexdigest()
        assert coin(key, study="tag", expert=7, turn=turn) == bool(int(digest, 16) % 2)
    assert len({new_key() for _ in range(100)}) == 100
    assert len(new_key()) == 32


@given(keys, st.integers(0, 10**6))
def test_no_order_ever_leads_by_more_than_three(key, expert):
    lead = 0
    for first in drawn(key, 60, expert=expert):
        lead += 1 if first else -1
        assert abs(lead) <= LIMIT


@given(keys, keys, st.integers(20, 60))
def test_what_was_drawn_is_drawn_again_and_with_another_key_it_is_not(key, other, turns):
    checked = draw_again([stated(key)], told(key, turns))
    assert (checked.drawn, checked.earlier, checked.differences) == (turns, 0, ())
    if key != other:
        wrong = StatedKey("main", "tag", commitment(key), other.hex())
        assert draw_again([wrong], told(key, turns)).differences[0].startswith("key of main: its SHA-256 is")


@given(keys, st.integers(5, 40), st.data())
def test_a_side_that_was_turned_round_is_named(key, turns, data):
    shown = told(key, turns)
    place = data.draw(st.integers(0, turns - 1))
    one = shown[place]
    shown[place] = ShownTurn(one.expert, one.phase, one.turn, one.rule, not one.first_is_a)
    checked = draw_again([stated(key)], shown)
    assert checked.differences[0].startswith(f"expert 3, main, turn {place}: the ")


def test_a_turn_that_is_left_out_is_missed():
    key = bytes(32)
    shown = told(key, 9)
    del shown[4]
    (difference,) = draw_again([stated(key)], shown).differences
    assert difference.startswith("expert 3, main, turn 5: 4 ")


def test_without_the_key_nothing_can_be_drawn_again_and_earlier_sides_are_not_tried():
    key = bytes(32)
    hidden = StatedKey("main", "tag", commitment(key), None)
    (difference,) = draw_again([hidden], told(key, 5)).differences
    assert difference.startswith("expert 3, main, turn 0: ")
    before = [ShownTurn(1, "main", turn, EARLIER, True) for turn in range(4)]
    assert draw_again([hidden], before).earlier == 4


@pytest.mark.parametrize(("earlier", "lead"), [(0, 0), (2, 2), (9, 3), (-9, -3)])
def test_sides_of_another_origin_lead_by_three_at_most(earlier, lead):
    assert lead_of([(EARLIER, earlier > 0)] * abs(earlier)) == lead
