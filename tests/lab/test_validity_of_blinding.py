"""What the page on validity says about blinding: next sides by hand, ways to draw on real judgements, learned leaks."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from annotations.ground.leaks import FEWEST_TO_LEARN_FROM, learned_leak, named_rightly
from annotations.importing.memory.tables import AnnotationRow, AnnotationTable, DatasetTable, InstanceRow, LabelSet
from annotations.models import Task
from tests.lab.validity import blinding
from tests.lab.validity.blinding import (
    COSTS_COLUMNS,
    RULES,
    STEPS_OF_TABLE,
    SYSTEMS,
    TURNS,
    best_guess,
    big_stick,
    blocks_of_four,
    coin_alone,
    learned_leak_by_number,
    next_side,
    pairs_of,
    perturbed,
    simulated,
    ways_to_draw,
)
from tests.lab.validity.sections import Effort


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
    (table,) = next_side.tables(Effort(simulations=400))
    for row, rule in zip(table.rows, RULES.values(), strict=True):
        found, error = (float(part) for part in row[2].split(" ± "))
        assert abs(found - 100 * best_guess(rule)[0]) < 4 * error
        assert int(row[4]) >= 2
    assert int(table.rows[2][4]) == 3
    assert TURNS == 28


def small(task: Task) -> DatasetTable:
    votes = [AnnotationRow(0, (0,)), AnnotationRow(0, (1,)), AnnotationRow(2, (2,)), AnnotationRow(2, (2,))]
    return DatasetTable(
        labels=LabelSet(("x", "y", "z"), task),
        instances=[InstanceRow(f"text-{number}", ()) for number in range(3)],
        annotations=AnnotationTable.from_rows(votes),
    )


@pytest.mark.parametrize("task", [Task.MULTICLASS, Task.MULTILABEL])
def test_perturbed_shares_are_shares_and_stay_near_to_peoples(task: Task) -> None:
    found = perturbed(small(task), np.random.default_rng(1))
    assert len(found) == SYSTEMS
    for Q in found:
        assert ((Q > 0) & (Q < 1)).all()
        if task == Task.MULTICLASS:
            assert Q.sum(axis=1) == pytest.approx(1)
    mean = np.mean([perturbed(small(task), np.random.default_rng(seed)) for seed in range(200)], axis=(0, 1))
    assert mean[2].argmax() == 2
    assert mean[0, 0] == pytest.approx(mean[0, 1], abs=0.03)


def test_every_judged_text_stands_beside_every_system() -> None:
    table = small(Task.MULTICLASS)
    pairs = pairs_of(table, perturbed(table, np.random.default_rng(1)))
    assert len(pairs) == 2 * SYSTEMS
    assert pairs.people.tolist() == [2] * 6
    assert pairs.first.tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]] * SYSTEMS


@pytest.mark.shared_data
def test_on_real_judgements_the_grid_tells_nothing_and_finer_steps_are_truer(shared_data: Path) -> None:
    tables = ways_to_draw.tables(Effort(data=shared_data))
    assert [len(table.rows) for table in tables] == [len(STEPS_OF_TABLE)] * 4
    column = {name: number for number, name in enumerate(COSTS_COLUMNS)}
    for table in tables:
        grid, *steps, exact = table.rows
        assert grid[column["named by the grid"]] == "50"
        means = [float(row[column["off on average"]]) for row in (*steps, exact)]
        assert means == sorted(means, reverse=True)
        assert float(exact[column["off at most"]]) < 1
        assert float(grid[column["people off at most"]]) <= 0.5
    hundred, five, *_ = tables
    assert "4,542 comparisons, 100 people a text" in hundred.caption
    assert hundred.rows[0][1:] == hundred.rows[-1][1:]  # with a hundred people, the grid is whole percentages
    assert int(five.rows[-1][column["named by the grid"]]) > 95


def test_what_is_named_of_few_comparisons_is_less_than_of_many():
    rng = np.random.default_rng(1)
    few = np.mean([named_rightly(simulated(rng, 28, 0.8)) for _ in range(12)])
    many = named_rightly(simulated(rng, 4000, 0.8))
    assert 0.5 < few < many - 0.03


def test_the_figure_of_the_page_is_the_one_of_the_plan():
    pairs = simulated(np.random.default_rng(2), FEWEST_TO_LEARN_FROM, 0.5)
    assert named_rightly(pairs) == learned_leak(pairs, interval=False).right


def test_the_section_has_a_row_for_each_habit_and_chance_where_there_is_none(monkeypatch):
    monkeypatch.setattr(blinding, "LARGE", 4000)
    (table,) = learned_leak_by_number.tables(Effort(simulations=60))
    assert [row[0] for row in table.rows] == ["systems as people", "a little more cautious", "more cautious"]
    assert 47 <= int(table.rows[0][-1]) <= 53
    assert int(table.rows[2][-1]) > int(table.rows[1][-1]) > 53
