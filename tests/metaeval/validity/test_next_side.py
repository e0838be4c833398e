"""What past sides reveal about the next one: the figures of the page, computed by hand."""

from fractions import Fraction

import pytest

from metaeval.validity.next_side import RULES, TURNS, best_guess, big_stick, blocks_of_four, coin_alone, next_side
from metaeval.validity.sections import Effort


def test_the_best_guess_in_blocks_of_four_is_right_in_17_of_24_turns_and_certain_in_every_third():
    right, certain = best_guess(blocks_of_four)
    assert right == pytest.approx(Fraction(1, 2) / 4 + Fraction(2, 3) / 2 + Fraction(1, 4))
    assert certain == pytest.approx(1 / 3)
    assert best_guess(coin_alone) == (0.5, 0.0)


def test_blocks_are_guessed_most_often_and_the_big_stick_least_of_what_keeps_balance():
    rights = [round(best_guess(rule)[0], 3) for rule in RULES.values()]
    assert rights == [0.708, 0.615, 0.575, 0.5]
    assert sorted(rights, reverse=True) == rights


def test_the_big_stick_is_right_in_the_long_run_in_7_of_12_turns():
    """A turn is certain where the lead is at its limit: in the end in the sixth of them."""
    leads = {0: 1.0}
    shares = []
    for turn in range(200):
        following: dict[int, float] = {}
        for lead, mass in leads.items():
            up = big_stick(turn, lead)
            for step, part in ((1, up), (-1, 1 - up)):
                following[lead + step] = following.get(lead + step, 0.0) + mass * part
        leads = {lead: mass for lead, mass in following.items() if mass}
        shares.append(leads.get(3, 0.0) + leads.get(-3, 0.0))
    assert sum(shares[-2:]) / 2 == pytest.approx(1 / 6)


def test_the_sides_that_are_drawn_are_guessed_as_often_as_the_rule_says():
    (table,) = next_side(Effort(simulations=400))
    for row, rule in zip(table.rows, RULES.values(), strict=True):
        found, error = (float(part) for part in row[2].split(" ± "))
        assert abs(found - 100 * best_guess(rule)[0]) < 4 * error
        assert int(row[4]) >= 2
    assert int(table.rows[2][4]) == 3
    assert TURNS == 28
