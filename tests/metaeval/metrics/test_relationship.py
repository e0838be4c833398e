"""Table 2 of Kurniawan et al. (2026): our simulation agrees with the reference simulation."""

import json

import numpy as np
import pytest
from scipy import stats

from metaeval.metrics import metric_relationship
from metaeval.metrics.relationship import SAME_EVERYWHERE, SETTINGS, _Dirichlet, relationship_plan

LETTERS = {"A": "accuracy", "J": "po_jsd", "E": "entropy_correlation", "S": "soft_accuracy"}


def assert_agrees(golden, setting, pairs, seed):
    """Within 3 standard errors, (1 - r^2) / sqrt(B), of both simulations together."""
    rows = json.loads((golden / "metric_relationship.json").read_text())["rows"]
    alpha, beta, labels = setting
    found = metric_relationship(alpha, beta, labels, pairs=pairs, seed=seed)
    mine = [row for row in rows if (row["alpha"], row["beta"], row["K"]) == setting]
    assert len(mine) == len(found.relations)
    for row in mine:
        a, b = (LETTERS[letter] for letter in row["pair"].split("-"))
        error = (1 - row["value"] ** 2) * np.sqrt(1 / pairs + 1 / row["B"])
        assert abs(found.between(a, b) - row["value"]) < 3 * error, (setting, row["pair"])


def test_the_settings_are_those_of_the_published_table():
    concentrations = {(10, 10), (0.1, 0.1), (10, 0.1), (0.1, 10)}
    assert len(SETTINGS) == 8
    assert set(SETTINGS) == {(alpha, beta, labels) for alpha, beta in concentrations for labels in (10, 100)}
    for setting in SETTINGS:
        plan = relationship_plan(*setting, pairs=12, instances=1, metrics=["accuracy"], seed=1)
        assert plan.blocks == (5, 5, 2)


def test_500_pairs_are_simulated_unless_told_otherwise():
    found = metric_relationship(0.05, 0.05, 2, instances=1, metrics=["accuracy", "soft_accuracy"])
    assert found.pairs == len(found.values) == 500


@pytest.mark.shared_data
@pytest.mark.parametrize("setting", SETTINGS)
def test_relations_agree_with_the_reference_simulation(golden, setting):
    assert_agrees(golden, setting, pairs=60, seed=1)


@pytest.mark.long
@pytest.mark.shared_data
@pytest.mark.parametrize("setting", SETTINGS)
def test_relations_agree_with_the_reference_simulation_in_its_size(golden, setting):
    assert_agrees(golden, setting, pairs=1000, seed=1)


def test_the_seed_alone_decides_whatever_the_number_of_threads(monkeypatch):
    def simulated():
        return metric_relationship(0.1, 10, 4, pairs=23, instances=30, seed=9).values

    many = simulated()
    monkeypatch.setattr("metaeval.threads.processors", lambda: 1)
    assert np.array_equal(many, simulated())
    assert many.shape == (23, 4)


def test_a_sequence_of_seeds_is_not_used_up():
    root = np.random.SeedSequence(3)
    first, again = (metric_relationship(1, 1, 3, pairs=6, instances=9, seed=root).values for _ in range(2))
    assert np.array_equal(first, again)


def test_metrics_that_do_not_vary_have_no_relation():
    relation = metric_relationship(1, 1, 3, pairs=1, instances=9, seed=1)
    assert relation.between("accuracy", "po_jsd").reason == SAME_EVERYWHERE
    assert relation.to_dict()["relations"][0] == {
        "a": "accuracy",
        "b": "po_jsd",
        "value": None,
        "reason": SAME_EVERYWHERE,
    }


@pytest.mark.parametrize("name", ["alpha", "beta", "pairs", "instances"])
def test_what_cannot_be_simulated_is_refused(name):
    given = {"alpha": 1, "beta": 1, "labels": 3, "pairs": 2, "instances": 2}
    with pytest.raises(ValueError, match=f"^{name} is 0; .*(0|1)"):
        metric_relationship(**given | {name: 0})


def test_progress_is_told():
    steps = []
    metric_relationship(1, 1, 3, pairs=12, instances=5, seed=1, progress=lambda *step: steps.append(step))
    assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("concentration", [0.05, 0.1, 0.3, 1.0, 2.5, 10.0])
@pytest.mark.parametrize("labels", [2, 10])
def test_the_rows_are_drawn_from_the_dirichlet_distribution(concentration, labels):
    rows = _Dirichlet(np.random.SeedSequence(5)).rows(concentration, 20_000, labels)
    assert rows.sum(axis=1) == pytest.approx(1)
    marginal = stats.beta(concentration, (labels - 1) * concentration)
    for column in (rows[:, 0], rows[:, -1]) if concentration >= 0.1 else ():  # below, many values round to 0 or 1
        assert stats.kstest(column, marginal.cdf).pvalue > 0.001
    within = (1 / labels) * (1 - 1 / labels) / (labels * concentration + 1)
    expected = np.full((labels, labels), -within / (labels - 1))
    np.fill_diagonal(expected, within)
    assert np.cov(rows.T) == pytest.approx(expected, abs=0.005)
