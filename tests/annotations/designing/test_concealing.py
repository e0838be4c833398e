"""Whether a plan hides people among systems, measured."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations import designing
from annotations.designing.concealing import DrawnPair, by_grid, by_habit, grid_evidence
from annotations.displaying import parts_of_step, percentages
from annotations.models import Dataset, Instance, Study, System
from annotations.simulating.demo.loading import load_dataset
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

CHANCE = 0.03  # four standard errors of 4,000 guesses


def twins(
    *, people: int, parts: int, task: str = "multilabel", comparisons: int = 4000, seed: int = 1
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
        drawn = [percentages(row, parts=parts, threshold=0.1, task=task) for row in (human, system)]
        pairs.append(DrawnPair(number, people, parts, *(row[row > 0] for row in drawn)))
    return pairs


@pytest.mark.parametrize("people", [2, 3, 5, 7, 12])
@pytest.mark.parametrize("task", ["multilabel", "multiclass"])
def test_drawn_in_their_own_parts_people_cannot_be_told_from_a_twin(people, task):
    pairs = twins(people=people, parts=people, task=task)
    assert by_grid(pairs) == 0.5
    if task == "multilabel":  # where one label is certain, a twin that is nearly certain is rounded to it
        assert abs(by_habit(pairs) - 0.5) < CHANCE


@pytest.mark.parametrize("people", [3, 5, 7])
def test_in_steps_of_5_percent_few_people_stand_out(people):
    pairs = twins(people=people, parts=20)
    assert by_grid(pairs) > 0.8
    assert by_habit(pairs) > 0.8  # who learned it from the answers sees it as well: the closed form is no artefact


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


def studied(step: float | None, **settings: Any) -> designing.Overview:
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
    assert automatic.by_habit is not None
    assert automatic.by_habit < 0.65


@pytest.mark.django_db
def test_a_plan_that_gives_people_away_says_so_and_a_hiding_one_does_not():
    told = studied(0.05)
    assert len(told.warnings) == 1
    assert "give the human side away in 99%" in told.warnings[0]
    hiding = studied(None)
    assert hiding.warnings == ()
    assert "names the human side rightly in 50%" in hiding.statement


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
    with django_assert_max_num_queries(11):
        stored = designing.overview(study=study)
    assert stored.concealment == proposed.concealment
    assert stored.warnings
    System.objects.filter(dataset=dataset).update(predictions=Dataset.objects.get().gold)
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
