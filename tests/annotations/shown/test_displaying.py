"""What an expert sees of a distribution, and what it must not give away."""

from fractions import Fraction
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.ground.display_rule import DisplayRule, parts_of_step, percentages, rounded
from annotations.models import Instance, Label, Study
from annotations.shown.displaying import bars, in_step_1_order, parts_of

shares = st.lists(st.floats(0, 1), min_size=1, max_size=33)
parts = st.integers(1, 250)
tasks = st.sampled_from(["multilabel", "multiclass", "ordinal"])


@st.composite
def votes(draw: st.DrawFn) -> tuple[int, np.ndarray]:
    """How many people there were, and the shares of each label when everybody chose one."""
    count = draw(st.lists(st.integers(0, 40), min_size=1, max_size=33).filter(sum))
    return sum(count), np.array(count) / sum(count)


@st.composite
def distributions(draw: st.DrawFn) -> np.ndarray:
    weights = np.array(draw(st.lists(st.floats(0, 1), min_size=1, max_size=33).filter(lambda row: sum(row) > 1e-3)))
    shares: np.ndarray = weights / weights.sum()
    return shares


def label_set(*names: str, exclusive: str = "") -> list[Label]:
    return [Label(position=k, name=name, exclusive=name == exclusive) for k, name in enumerate(names)]


@given(shares, parts)
def test_every_value_is_rounded_to_the_nearest_part(values, parts):
    for value, count in zip(values, rounded(np.array(values), parts=parts, task="multilabel").tolist(), strict=True):
        assert 0 <= count <= parts
        assert abs(Fraction(count, parts) - Fraction(value)) <= Fraction(1, 2 * parts) + Fraction(1, 10**9)


@pytest.mark.parametrize(("value", "expected"), [(0.025, 1), (0.125, 3), (0.075, 2), (0.0249, 0), (1.0, 20), (0.15, 3)])
def test_halves_are_rounded_upwards(value, expected):
    assert rounded(np.array([value]), parts=20, task="multilabel").tolist() == [expected]


@given(votes(), tasks)
def test_what_people_said_stays_as_it_is_in_their_own_parts(votes, task):
    people, row = votes
    assert (rounded(row, parts=people, task=task) == np.round(row * people)).all()


@given(distributions(), parts)
def test_rows_that_sum_to_1_still_do_when_rounded_and_no_value_moves_by_a_whole_part(row, parts):
    # Else a side of 120% or 80% would be nobody's shares, and the other one people's.
    count = rounded(row, parts=parts, task="multiclass")
    assert count.sum() == parts
    assert (np.abs(count - row * parts) < 1 + 1e-6).all()


@given(distributions(), parts)
def test_rounding_a_matrix_is_rounding_its_rows(row, parts):
    matrix = np.array([row, row[::-1]])
    for task in ("multilabel", "multiclass"):
        both = rounded(matrix, parts=parts, task=task)
        assert (both[0] == rounded(row, parts=parts, task=task)).all()
        assert (both[1] == rounded(row[::-1], parts=parts, task=task)).all()


@given(distributions(), parts, tasks, st.floats(0, 0.99))
def test_what_the_first_rule_draws_depends_on_the_rounded_values_only(exact, parts, task, threshold):
    coarse = rounded(exact, parts=parts, task=task) / parts
    drawn = [percentages(row, parts=parts, threshold=threshold, task=task, version=1) for row in (exact, coarse)]
    assert (drawn[0] == drawn[1]).all()


@given(distributions(), parts, tasks, st.floats(0, 0.99))
def test_no_bar_is_drawn_of_a_share_that_is_not_above_the_threshold(exact, parts, task, threshold):
    drawn = percentages(exact, parts=parts, threshold=threshold, task=task)
    assert (exact[drawn > 0] > threshold).all()
    assert (drawn[drawn > 0] > threshold * 100).all()


@given(distributions(), parts, tasks, st.floats(0, 0.99))
def test_no_bar_is_drawn_that_only_a_model_could_have(exact, parts, task, threshold):
    # Every bar is one that people whose shares are the rounded values would have as well, and the second rule only
    # leaves bars out: of people's own shares it draws what the first one draws, but for those of the threshold itself.
    coarse = rounded(exact, parts=parts, task=task) / parts
    drawn = percentages(exact, parts=parts, threshold=threshold, task=task)
    of_people = percentages(coarse, parts=parts, threshold=threshold, task=task, version=1)
    assert (drawn[drawn > 0] == of_people[drawn > 0]).all()
    newest = percentages(coarse, parts=parts, threshold=threshold, task=task)
    assert (newest == np.where(coarse > threshold + 1e-9, of_people, 0)).all()


def test_a_prediction_of_the_threshold_was_drawn_as_20_percent_and_is_no_bar_now():
    # Five people: 0.1 is half a person, rounded up to one of five.
    row = np.array([0.1, 0.1001, 0.09, 0.6])
    assert DisplayRule(version=1).percentages(row, people=5, task="multilabel").tolist() == [20, 20, 0, 60]
    assert DisplayRule().percentages(row, people=5, task="multilabel").tolist() == [0, 20, 0, 60]


@given(st.lists(st.tuples(distributions(), parts), min_size=1, max_size=6), tasks, st.sampled_from([1, 2]))
def test_many_rows_with_their_own_parts_are_drawn_as_each_alone(rows, task, version):
    width = max(len(row) for row, _ in rows)
    matrix = np.array([np.pad(row, (0, width - len(row))) for row, _ in rows])
    people = np.array([number for _, number in rows])
    rule = DisplayRule(threshold=0.1, version=version)
    alone = [rule.shown(row, people=int(number), task=task) for row, number in zip(matrix, people, strict=True)]
    assert (rule.shown(matrix, people=people, task=task) == np.array(alone)).all()
    systems = np.stack([matrix, matrix[:, ::-1]])  # systems x rows x labels
    assert (rule.shown(systems, people=people, task=task)[0] == np.array(alone)).all()


def test_a_whole_dataset_and_its_26_systems_are_drawn_in_well_under_a_second():
    rng = np.random.default_rng(1)
    Q = rng.dirichlet(np.full(33, 0.1), size=(26, 1000))
    people = rng.integers(3, 8, 1000)
    began = perf_counter()
    for task in ("multilabel", "multiclass"):
        DisplayRule().shown(Q, people=people, task=task)
    assert perf_counter() - began < 2  # 0.3 s on two busy cores


def test_a_rule_is_that_of_its_study():
    study = Study(display_step=None, display_threshold=0.2)
    assert DisplayRule.of(study) == DisplayRule(threshold=0.2, mode="grid", step=None, version=2)
    assert DisplayRule.of(Study(display_step=0.05, display_rule=1)) == DisplayRule(0.1, "step", 0.05, 1)
    assert DisplayRule.of(Study(display_step=0.01)).mode == "exact"
    between = DisplayRule.of(Study(display_step=None, compares="system_vs_system"))
    assert (between.mode, between.parts(7)) == ("exact", 100)


def test_sides_are_identical_where_every_bar_is_and_where_neither_has_one():
    rule = DisplayRule()
    first = np.array([[0.4, 0.0], [0.4, 0.0], [0.05, 0.1]])
    second = np.array([[0.49, 0.1], [0.51, 0.1], [0.1, 0.0]])
    assert rule.identical(first, second, people=np.array([5, 5, 5]), task="multilabel").tolist() == [True, False, True]


@given(shares, parts, tasks)
def test_no_value_has_more_than_two_decimals(values, parts, task):
    row = np.array(values) / max(1.0, sum(values)) if task != "multilabel" else np.array(values)
    for value in (percentages(row, parts=parts, threshold=0.1, task=task) / 100).tolist():
        assert len(repr(value)) <= len("0.12")


def test_a_value_that_rounds_to_the_threshold_is_not_drawn():
    # A share of ten people is never between 0.1 and 0.125: a bar of 10% would give the system away.
    drawn = percentages(np.array([0.1, 0.12, 0.125]), parts=20, threshold=0.1, task="multilabel") / 100
    assert drawn.tolist() == [0.0, 0.0, 0.15]


def test_a_share_that_is_shown_as_the_threshold_is_not_drawn():
    # 2/19 is 10.5%, drawn as 11%; 8/77 is 10.4% and would be drawn as 10%.
    assert percentages(np.array([2 / 19]), parts=19, threshold=0.1, task="multilabel").tolist() == [11]
    assert percentages(np.array([8 / 77]), parts=77, threshold=0.1, task="multilabel").tolist() == [0]


def test_the_parts_are_the_studys_step_or_the_people_of_the_instance():
    instance = Instance(parts=7)
    assert parts_of(Study(display_step=0.05), instance) == 20
    assert parts_of(Study(display_step=None), instance) == 7
    assert parts_of(Study(display_step=None, compares="system_vs_system"), instance) == 100
    assert [parts_of_step(step) for step in (0.01, 0.143, 0.3333, 0.5)] == [100, 7, 3, 2]


def test_bars_stand_by_value_and_equal_ones_in_the_order_of_step_1():
    labels = label_set("None of these", "beta", "Alpha", "gamma", exclusive="None of these")
    drawn = bars(
        np.array([0.5, 0.52, 0.48, 0.9]), labels, rule=DisplayRule.with_step(0.05), people=5, task="multilabel"
    )
    assert [(bar.label, bar.value) for bar in drawn] == [
        ("gamma", 0.9),
        ("Alpha", 0.5),
        ("beta", 0.5),
        ("None of these", 0.5),
    ]


def test_a_side_without_bars_is_an_empty_list():
    assert bars(np.array([0.1, 0.0]), label_set("a", "b"), rule=DisplayRule(), people=20, task="multilabel") == []


def test_labels_stand_in_the_alphabet_with_the_exclusive_one_last_and_a_scale_in_its_order():
    labels = label_set("Not a legal issue", "Tax", "family law", exclusive="Not a legal issue")
    assert [label.name for label in in_step_1_order(labels, task="multilabel")] == [
        "family law",
        "Tax",
        "Not a legal issue",
    ]
    scale = label_set("-2", "-1", "0", "1")
    assert in_step_1_order(scale, task="ordinal") == scale
