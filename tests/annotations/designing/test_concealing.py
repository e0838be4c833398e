"""Whether a plan hides people among systems, measured."""

import math
from collections import defaultdict
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations import designing
from annotations.designing import Concealment, concealment
from annotations.designing.concealing import DrawnPair, GivenAway
from annotations.ground.display_rule import parts_of_step, percentages
from annotations.ground.leaks import IMPOSSIBLE, TOO_FEW, LearnedLeak, Tells, by_grid, grid_evidence, learned_leak
from annotations.models import Dataset, Instance, PlanFigures, Study, System
from annotations.simulating.demo.loading import load_dataset
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

CHANCE = 0.03  # four standard errors of 4,000 guesses


def twins(
    *, people: int, parts: int, task: str = "multilabel", comparisons: int = 4000, seed: int = 1, version: int = 2
) -> list[DrawnPair]:
    """Comparisons in which the sides differ in nothing but the grid: the system says anything within half a share."""
    rng = np.random.default_rng(seed)
    pairs = []
    for number in range(comparisons):
        if task == "multilabel":
            human, near = rng.integers(0, people + 1, (2, 4)) / people
            system = np.clip(near + rng.uniform(-0.5, 0.5, 4) / people, 0, 1)
        else:
            human = rng.multinomial(people, np.full(4, 0.25)) / people
            system = rng.multinomial(people, np.full(4, 0.25)) / people + rng.uniform(0, 0.25, 4) / people
            system /= system.sum()
        drawn = [percentages(row, parts=parts, threshold=0.1, task=task, version=version) for row in (human, system)]
        pairs.append(DrawnPair(number, people, parts, *(row[row > 0] for row in drawn)))
    return pairs


def learned(pairs: list[DrawnPair]) -> float:
    right = learned_leak(pairs, interval=False).right
    assert right is not None
    return right


@pytest.mark.parametrize(
    ("people", "version"),
    [
        *((people, version) for people in (3, 12) for version in (1, 2)),
        *(pytest.param(people, version, marks=pytest.mark.long) for people in (2, 5) for version in (1, 2)),
        (7, 1),
    ],
)
@pytest.mark.parametrize("task", ["multilabel", "multiclass"])
def test_drawn_in_their_own_parts_people_cannot_be_told_from_a_twin(people, version, task):
    pairs = twins(people=people, parts=people, task=task, version=version)
    assert by_grid(pairs) == 0.5
    if task == "multilabel":  # where one label is certain, a twin that is nearly certain is rounded to it
        assert abs(learned(pairs) - 0.5) < CHANCE


def test_of_six_to_nine_people_the_threshold_hides_a_little_less_where_it_is_that_of_the_exact_value_too():
    # One of seven is 14%, drawn; of what is as near to it as half a person, 7 to 21%, all up to 10% is not drawn.
    assert abs(learned(twins(people=7, parts=7, version=1)) - 0.5) < CHANCE
    assert 0.5 + CHANCE < learned(twins(people=7, parts=7, version=2)) < 0.56
    assert by_grid(twins(people=7, parts=7, version=2)) == 0.5  # the values themselves still tell nothing


@pytest.mark.parametrize("people", [3, 5, 7])
def test_in_steps_of_5_percent_few_people_stand_out(people):
    pairs = twins(people=people, parts=20)
    assert by_grid(pairs) > 0.8
    assert learned(pairs) > 0.8  # what is certain by the grid is learned as well


def test_coarser_steps_that_fit_as_well_hide_as_well():
    assert by_grid(twins(people=20, parts=10)) < 0.55
    assert by_grid(twins(people=100, parts=20)) < 0.55


@given(st.integers(1, 400))
def test_the_own_parts_are_evidence_for_nobody(people):
    assert (grid_evidence(people, people) == 0).all()


@given(st.integers(1, 100), st.integers(1, 100))
def test_evidence_against_people_is_certain_only_for_values_that_they_cannot_give(people, parts):
    shares = np.arange(people + 1) / people
    possible = {int(percentages(np.array([share]), parts=parts, threshold=0, task="multilabel")[0]) for share in shares}
    certain = set(np.flatnonzero(grid_evidence(people, parts) < -40).tolist())
    assert not certain & possible


@cache
def studied(step: float | None, **settings: Any) -> designing.Overview:
    """Of the demo, each once: nothing of it is stored."""
    dataset: Dataset = Dataset.objects.filter(slug="demo").first() or load_dataset()
    return designing.overview(
        study=designing.draft(dataset=dataset, slug="demo", seed=2026, display_step=step, **settings)
    )


@pytest.mark.django_db
def test_the_demos_default_hides_and_the_old_step_did_not():
    automatic, old = studied(None).concealment, studied(0.05).concealment
    assert automatic is not None
    assert old is not None
    assert (automatic.fewest, automatic.most, automatic.comparisons) == (4, 7, 728)
    assert automatic.by_grid == 0.5
    assert old.by_grid > 0.95
    assert automatic.learned.right is not None
    assert 0.58 < automatic.learned.right < 0.66  # .61 [.54, .68]
    assert automatic.learned.right_when_sure is not None
    assert automatic.learned.right_when_sure > 0.9
    assert 700 < automatic.learned.comparisons < 728  # a few show the same picture twice


@pytest.mark.django_db
def test_a_plan_counts_the_comparisons_that_give_themselves_away_by_system():
    hidden = studied(None).concealment
    assert hidden is not None
    assert (hidden.tells.lowest_sum, hidden.tells.most_bars) == (100, 9)
    assert len(hidden.given_away) == 26
    assert 60 < hidden.certain < 130
    assert {one.comparisons for one in hidden.given_away} == {28}
    assert f"{hidden.certain} of 728 comparisons reveal the system's side" in hidden.statement
    assert "sums to less than 100% or has more than 9 bars" in hidden.statement


@pytest.mark.django_db
def test_a_plan_that_gives_people_away_says_so_and_a_hiding_one_does_not():
    told = studied(0.05)
    assert len(told.warnings) == 1
    assert "reveal the human side in 99%" in told.warnings[0]
    hiding = studied(None)
    assert hiding.warnings == ()
    assert "one could guess the human side 50% of the time" in hiding.statement


@pytest.mark.django_db
def test_where_no_side_is_peoples_there_is_nothing_to_give_away():
    plan = studied(0.05, compares="system_vs_system")
    assert plan.concealment is None
    assert plan.warnings == ()


@pytest.mark.django_db
def test_a_stored_plan_is_measured_like_a_proposed_one(django_assert_max_num_queries):
    dataset = make_dataset(instances=30, systems=5)
    Instance.objects.filter(dataset=dataset).update(parts=5)
    Dataset.objects.filter(pk=dataset.pk).update(gold=np.round(np.array(dataset.gold) * 5) / 5)
    study = make_study(dataset=Dataset.objects.get(), instances_per_system=20, display_step=0.05)
    proposed = designing.overview(study=study)
    designing.apply_plan(study=study)
    with django_assert_max_num_queries(28):  # the first look keeps what it measured
        stored = designing.overview(study=study)
    assert stored.concealment == proposed.concealment
    assert stored.warnings
    System.objects.filter(dataset=dataset).update(predictions=Dataset.objects.get().gold)
    PlanFigures.objects.all().delete()  # nothing else changes predictions that a study shows
    alike = designing.overview(study=study).concealment
    assert alike is not None
    assert alike.by_grid == 0.5  # nothing is left to tell


def test_the_steps_that_a_study_may_have_divide_1():
    for step in (0.01, 0.05, 0.1, 1 / 7, 0.2, 0.25, 0.333, 0.5):
        designing.put_settings(planning_draft(), {"display_step": step})
    for step in (0.0, 0.005, 0.03, 0.3, 0.4, 0.7, 1.0):
        with pytest.raises(designing.starting.InvalidSettings, match="display_step"):
            designing.put_settings(planning_draft(), {"display_step": step})
    assert parts_of_step(1 / 7) == 7


def planning_draft() -> Study:
    return Study(slug="a", title="A", dataset=Dataset(slug="d", task="multilabel"))


def shown_alone(value: float, parts: int) -> int:
    """The percentage that is drawn for a value, whatever the threshold."""
    return int(percentages(np.array([value]), parts=parts, threshold=0, task="multilabel")[0])


def evidence_by_counting(people: int, parts: int) -> dict[int, float]:
    """Percentage -> its evidence, from all shares of so many people and a grid of all values within half a share."""
    exactly: dict[int, float] = defaultdict(float)
    nearly: dict[int, float] = defaultdict(float)
    finest = 2 * people * parts  # no step and no half share ends within such a piece of [0, 1]
    for k in range(people + 1):
        exactly[shown_alone(k / people, parts)] += 1 / (people + 1)
        pieces = range(max(0, (2 * k - 1) * parts), min(finest, (2 * k + 1) * parts))
        for piece in pieces:
            nearly[shown_alone((piece + 0.5) / finest, parts)] += 1 / len(pieces) / (people + 1)
    return {
        value: math.log(exactly[value] / probability) if value in exactly else IMPOSSIBLE
        for value, probability in nearly.items()
    }


GRIDS = [(1, 1), (1, 4), (2, 3), (3, 2), (4, 4), (5, 20), (6, 4), (7, 10), (9, 5), (3, 100)]


@pytest.mark.parametrize(("people", "parts"), GRIDS)
def test_the_evidence_of_a_value_is_how_much_likelier_people_show_it(people, parts):
    evidence, counted = grid_evidence(people, parts), evidence_by_counting(people, parts)
    assert len(evidence) == 101
    assert evidence == pytest.approx([counted.get(value, 0) for value in range(101)], abs=1e-8)


def test_a_small_lead_decides_and_no_lead_is_half_right():
    # In halves three people show 0, 50, 50 and 100%. What is near to their shares shows 0% in 5 of 16 cases and 50%
    # in 6: so 50% speaks for people by log(8/6), and 0% against them by log(5/4).
    assert grid_evidence(3, 2)[[0, 50, 100]] == pytest.approx(np.log([4 / 5, 4 / 3, 4 / 5]), abs=1e-8)
    for_people, against, undecided = (
        DrawnPair(0, 3, 2, np.array([human]), np.array([system])) for human, system in ((50, 0), (0, 50), (50, 50))
    )
    assert by_grid([for_people]) == 1
    assert by_grid([against]) == 0
    assert by_grid([undecided]) == 0.5
    assert by_grid([for_people, for_people, against, undecided]) == 2.5 / 4


def test_a_plan_gives_away_from_5_points_and_two_standard_errors_above_chance():
    def found(comparisons: int, by_grid: float) -> Concealment:
        return concealed(comparisons=comparisons, by_grid=by_grid)

    assert not found(100, 0.59).gives_away  # two standard errors are 2 x 0.5 / sqrt(100)
    assert found(100, 0.61).gives_away
    assert not found(1_000_000, 0.549).gives_away
    assert found(1_000_000, 0.551).gives_away
    assert found(100, 0.59).warning == ""
    assert "61%" in found(100, 0.61).warning


def concealed(**known: Any) -> Concealment:
    few = LearnedLeak(50, reason=TOO_FEW)
    facts = {"comparisons": 50, "fewest": 5, "most": 5, "by_grid": 0.5, "learned": few, "tells": Tells(100, 9)}
    return Concealment(**{**facts, **known})


def test_the_statement_says_how_many_people_judged_a_text_and_what_can_be_learned_at_least():
    alike = concealed(learned=LearnedLeak(400, right=0.62, low=0.55, high=0.69, right_when_sure=0.9))
    assert "judged by 5 people." in alike.statement
    assert alike.statement.endswith(
        "at least 62% of the time (95% interval: 55% to 69%), "
        "and 90% of the time in the clearest fifth of the comparisons."
    )
    differing = concealed(fewest=3, most=7)
    assert "judged by 3 to 7 people." in differing.statement
    assert differing.statement.endswith("at least 300 comparisons on 20 texts are needed.")


@pytest.mark.django_db
def test_a_plan_is_measured_on_what_its_comparisons_show():
    count = 40
    make_dataset(slug="neighbour", systems=3)
    dataset = make_dataset(instances=30, systems=3)
    for instance in dataset.instances.all():
        Instance.objects.filter(pk=instance.pk).update(parts=3 + instance.position % 4)
    study = designing.draft(dataset=dataset, slug="s", display_threshold=0.2)
    first, second, _ = dataset.systems.order_by("pk")
    shown = [(system.pk, position) for system in (second, first) for position in range(29, 29 - count // 2, -1)]
    shown += [(second.pk, 0)] * (count - len(shown))
    pairs = []
    for key, position in shown:
        parts = 3 + position % 4
        rows = (dataset.gold[position], System.objects.get(pk=key).predictions[position])
        human, system = (percentages(np.array(row), parts=parts, threshold=0.2, task="multilabel") for row in rows)
        same = bool((human == system).all())
        pairs.append(DrawnPair(position, parts, parts, human[human > 0], system[system > 0], same))
    assert len(pairs) == len(set(shown)) == count
    tells = bounds(dataset)
    found = concealment(study=study, shown=shown + shown[:5])  # whatever is said twice counts once
    assert found == Concealment(
        comparisons=count,
        fewest=3,
        most=6,
        by_grid=by_grid(guessed := [pair for pair in pairs if not pair.identical]),
        learned=learned_leak(guessed),
        tells=tells,
        given_away=tuple(
            GivenAway(system.name, len(sides), sum(beyond(tells, side) for side in sides))
            for system in (first, second)
            if (sides := [pair.system for pair, (key, _) in zip(pairs, shown, strict=False) if key == system.pk])
        ),
    )


def bounds(dataset: Dataset) -> Tells:
    """Of all texts of the dataset, also of those that the plan does not show."""
    rows = [
        percentages(row, parts=3 + position % 4, threshold=0.2, task="multilabel")
        for position, row in enumerate(np.array(dataset.gold))
    ]
    return Tells(min(int(row.sum()) for row in rows), max(int((row > 0).sum()) for row in rows))


def beyond(tells: Tells, side: np.ndarray) -> bool:
    return bool(side.sum() < tells.lowest_sum or len(side) > tells.most_bars)


@pytest.mark.parametrize("unknown", ["right", "low", "high", "right_when_sure"])
def test_what_is_known_in_part_only_of_what_can_be_learned_is_not_told(unknown):
    known = {"right": 0.62, "low": 0.55, "high": 0.69, "right_when_sure": 0.9} | {unknown: None}
    told = concealed(learned=LearnedLeak(400, reason=TOO_FEW, **known)).statement
    assert "300" in told
    assert not any(figure in told for figure in ("62%", "55%", "69%", "90%"))
