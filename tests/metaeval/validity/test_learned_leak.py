"""With few comparisons, a leak looks smaller than it is; without a leak, none is found."""

import numpy as np

from annotations.ground.leaks import FEWEST_TO_LEARN_FROM, learned_leak, named_rightly
from metaeval.validity import learned_leak as sections_own
from metaeval.validity.learned_leak import learned_leak_by_number, simulated
from metaeval.validity.sections import Effort


def test_what_is_named_of_few_comparisons_is_less_than_of_many():
    rng = np.random.default_rng(1)
    few = np.mean([named_rightly(simulated(rng, 28, 0.8)) for _ in range(12)])
    many = named_rightly(simulated(rng, 4000, 0.8))
    assert 0.5 < few < many - 0.03


def test_the_figure_of_the_page_is_the_one_of_the_plan():
    pairs = simulated(np.random.default_rng(2), FEWEST_TO_LEARN_FROM, 0.5)
    assert named_rightly(pairs) == learned_leak(pairs, interval=False).right


def test_the_section_has_a_row_for_each_habit_and_chance_where_there_is_none(monkeypatch):
    monkeypatch.setattr(sections_own, "LARGE", 4000)
    (table,) = learned_leak_by_number(Effort(simulations=60))
    assert [row[0] for row in table.rows] == ["systems as people", "a little more cautious", "more cautious"]
    assert 47 <= int(table.rows[0][-1]) <= 53
    assert int(table.rows[2][-1]) > int(table.rows[1][-1]) > 53
