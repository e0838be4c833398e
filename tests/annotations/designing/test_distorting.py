"""What each way to draw costs: how far drawn bars are from the predictions, and what it gives away."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations import designing
from annotations.designing.displays import FAR, distortion, weighed
from annotations.designing.lifecycle import change_state
from annotations.designing.pairing import Pairs
from annotations.ground.display_rule import DisplayRule
from annotations.management.commands.plan_study import as_text
from annotations.models import Dataset, Instance, StudyState
from annotations.simulating.demo.loading import load_dataset
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

GRID = DisplayRule()


def pairs(first: Any, second: Any, *, people: int = 5, task: str = "multilabel") -> Pairs:
    one, other = np.array(first, dtype=float), np.array(second, dtype=float)
    parts = np.full(len(one), people)
    return Pairs(instance=np.arange(len(one)), first=one, second=other, P=one, parts=parts, task=task)


def test_the_distance_of_every_drawn_bar_is_counted_in_points() -> None:
    # Drawn as 40, 60 and 20%; the next system's as none (.05 is not even half a person), none and 60%.
    found = distortion(pairs([[0.4, 0.6, 0.2]] * 2, [[0.44, 0.6, 0.11], [0.05, 0.09, 0.6]]), GRID, with_people=True)
    assert found.bars == 4
    assert found.mean == pytest.approx((4 + 0 + 9 + 0) / 4)
    assert found.most == pytest.approx(9)
    assert found.p95 == pytest.approx(np.percentile([4, 0, 9, 0], 95))
    assert found.far == 1 / 4
    assert (found.below, found.undrawn, found.people) == (0, 0, 0)
    assert (found.comparisons, found.identical) == (2, 1)


def test_bars_of_shares_that_are_not_above_the_threshold_are_counted_and_so_is_what_has_no_bar() -> None:
    told = pairs([[0.25]] * 3, [[0.1], [0.12], [0.13]], people=4)
    assert distortion(told, DisplayRule(version=1), with_people=True).below == 0
    assert distortion(told, GRID, with_people=True).undrawn == 1  # .12 of four people is none, .13 is one
    told = pairs([[0.2]] * 2, [[0.1], [0.11]])
    assert distortion(told, DisplayRule(version=1), with_people=True).below == 1
    assert distortion(told, GRID, with_people=True).below == 0


def test_identical_sides_are_counted_and_a_side_without_bars_has_no_distance() -> None:
    found = distortion(pairs([[0.0], [0.2]], [[0.05], [0.08]]), GRID, with_people=True)
    assert (found.bars, found.mean, found.p95, found.most, found.far) == (0, None, None, None, None)
    assert found.identical == 1
    assert found.statement == "No prediction is drawn with a bar."


def test_between_systems_both_sides_are_predictions() -> None:
    told = pairs([[0.43, 0.2]], [[0.4, 0.27]])
    assert distortion(told, GRID, with_people=False).mean == pytest.approx((3 + 0 + 0 + 7) / 4)
    assert distortion(told, GRID, with_people=False).people is None
    assert distortion(told, GRID, with_people=True).people == pytest.approx(3)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20),
    st.integers(1, 30),
    st.sampled_from([None, 0.01, 0.05, 0.1, 0.2, 0.5]),
)
def test_no_bar_is_off_by_more_than_half_a_step_and_none_is_drawn_below_the_threshold(rows, people, step) -> None:
    rule = DisplayRule.with_step(step)
    found = distortion(pairs([[0.5, 0.5]] * len(rows), rows, people=people), rule, with_people=True)
    assert found.below == 0
    if found.most is not None and found.mean is not None and found.far is not None:
        half = 100 / int(rule.parts(people)) / 2
        assert 0 <= found.mean <= found.most <= half + 0.5 + 1e-6  # and a whole percentage is half a point off
        assert (found.far > 0) == (found.most > FAR + 1e-7)


def test_a_way_to_draw_is_no_studys_own_by_itself_and_what_can_be_learned_is_measured_unless_left_out() -> None:
    rng = np.random.default_rng(1)
    told = pairs(rng.integers(0, 6, (300, 4)) / 5, rng.random((300, 4)))
    alone, quick = weighed(told, GRID), weighed(told, GRID, is_chosen=True, learns=False)
    assert (alone.is_chosen, quick.is_chosen) == (False, True)
    assert alone.learned is not None
    assert quick == replace(alone, is_chosen=True, learned=None)


@pytest.fixture
def demo(db: None) -> designing.Overview:
    dataset: Dataset = Dataset.objects.filter(slug="demo").first() or load_dataset()
    return designing.overview(study=designing.draft(dataset=dataset, slug="demo", seed=2026))


def test_the_demo_under_the_first_rule_drew_195_bars_that_were_not_above_the_threshold(demo) -> None:
    """What was found: 4.5 points on average, 12.5 at most, 44% by more than 5, 18 of 728 comparisons identical."""
    dataset = Dataset.objects.get(slug="demo")
    study = designing.draft(dataset=dataset, slug="before", seed=2026)
    study.display_rule = 1
    (own,) = (choice.distortion for choice in designing.overview(study=study).choices if choice.is_chosen)
    assert own.comparisons == 728
    assert own.mean == pytest.approx(4.5, abs=0.15)
    assert own.most == pytest.approx(12.5, abs=0.1)
    assert own.far == pytest.approx(0.44, abs=0.02)
    assert own.below == pytest.approx(195, abs=25)
    assert own.identical == pytest.approx(18, abs=6)
    (now,) = (choice.distortion for choice in demo.choices if choice.is_chosen)
    assert now.below == 0
    assert now.bars == pytest.approx(own.bars - own.below, abs=1)


def test_a_plan_says_what_each_way_to_draw_costs_and_gives_away(demo) -> None:
    names = [choice.name for choice in demo.choices]
    assert names == [
        "the shares that people can give",
        "steps of 20%",
        "steps of 10%",
        "steps of 5%",
        "whole percentages",
    ]
    grid, *steps, exact = demo.choices
    assert [choice.is_chosen for choice in demo.choices] == [True, False, False, False, False]
    means = [choice.distortion.mean or 0 for choice in (*steps, exact)]
    assert means == sorted(means, reverse=True)
    assert means[-1] < 0.3
    told = [choice.by_grid or 0 for choice in demo.choices]
    assert told == sorted(told)
    assert told[0] == 0.5
    assert told[-1] > 0.95
    assert (grid.learned or 0) < (exact.learned or 0)
    assert "The bars of predictions differ from the predictions by" in demo.statement
    assert "both sides look the same. They are shown as one" in demo.statement


def test_the_printed_plan_has_a_line_for_each_and_marks_the_studys_own(demo) -> None:
    lines = as_text(demo).splitlines()
    chosen = [line for line in lines if line.startswith("* ")]
    assert len(chosen) == 1
    assert "the shares that people can give" in chosen[0]
    for choice in demo.choices:
        line = next(line for line in lines if line[2:].startswith(choice.name))
        assert f"{choice.distortion.mean:.1f}" in line
        assert f"{choice.by_grid:.0%}" in line


@pytest.mark.django_db
def test_the_studys_own_step_is_weighed_too_and_a_known_one_once() -> None:
    dataset = make_dataset()
    for step, count in ((0.25, 6), (0.2, 5), ("exact", 5), ("grid", 5)):
        study = designing.draft(dataset=dataset, slug="s", seed=1, instances_per_system=3, display_step=step)
        choices = designing.overview(study=study).choices
        assert len(choices) == count
        assert sum(choice.is_chosen for choice in choices) == 1


@pytest.mark.django_db
def test_between_systems_there_is_no_grid_and_nothing_to_tell() -> None:
    study = designing.draft(
        dataset=make_dataset(), slug="s", seed=1, instances_per_system=2, compares="system_vs_system"
    )
    choices = designing.overview(study=study).choices
    assert [choice.mode for choice in choices] == ["step", "step", "step", "exact"]
    assert choices[-1].is_chosen
    assert {choice.by_grid for choice in choices} == {None}
    assert {choice.distortion.people for choice in choices} == {None}


@pytest.mark.django_db
def test_once_a_study_is_under_way_only_its_own_way_is_left() -> None:
    dataset = make_dataset()
    Instance.objects.filter(dataset=dataset).update(parts=5)
    study = make_study(dataset=dataset)
    before = designing.overview(study=study).choices[0]
    designing.apply_plan(study=study)
    assert len(designing.overview(study=study).choices) == 5
    study = change_state(study=study, to=StudyState.OPEN)
    assert designing.overview(study=study).choices == (before,)


@pytest.mark.django_db
def test_identical_sides_that_experts_are_not_told_about_are_counted_and_called_so() -> None:
    dataset = make_dataset()
    dataset.systems.update(predictions=dataset.gold)
    study = make_study(dataset=dataset)
    designing.apply_plan(study=study)
    study = change_state(study=study, to=StudyState.OPEN)
    assert (
        "In 6 of 6 comparisons, both sides look the same. They are shown" in designing.overview(study=study).statement
    )
    study.comparisons.update(identical=None)
    assert "look the same. Experts are not told that they do." in designing.overview(study=study).statement


def test_the_two_ways_that_have_names_are_stored_as_steps() -> None:
    study = designing.draft(dataset=Dataset(slug="d", task="multilabel"), slug="s")
    for said, step, mode in (
        ("exact", 0.01, "exact"),
        ("grid", None, "grid"),
        (0.05, 0.05, "step"),
        (None, None, "grid"),
    ):
        designing.put_settings(study, {"display_step": said})
        assert (study.display_step, DisplayRule.of(study).mode) == (step, mode)
    for said in ("fine", 0.3):
        with pytest.raises(designing.starting.InvalidSettings, match="display_step"):
            designing.put_settings(study, {"display_step": said})
