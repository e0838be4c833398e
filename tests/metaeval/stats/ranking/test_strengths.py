"""Strengths: golden values, other packages on random data, the maximum of a likelihood, and graphs without a
ranking."""

import json
import math

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from metaeval.stats import PairwiseOutcomes, rank_by_outcomes, strengths, unrankable_because
from metaeval.stats.ranking.strengths import ALL_TIES, ONE_SYSTEM, batch
from tests.metaeval.stats.ranking.cases import ALL_METHODS, graph, made_up

CYCLES = [(0, 1), (1, 0), (2, 3), (3, 2)]


@pytest.fixture
def case(golden):
    return json.loads((golden / "ranking.json").read_text())


@pytest.fixture
def outcomes(case):
    return PairwiseOutcomes.of(case["W_i_beats_j"], case["ties"], names=case["names"])


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("ties", "key"), [("decisive", "pi_decisive_only"), ("all", "pi_wins_over_all_comps"), ("half", "pi_half_ties")]
)
def test_rank_centrality_equals_the_golden_one_for_every_treatment_of_ties(case, outcomes, ties, key):
    found = strengths(outcomes, "rank_centrality", ties=ties)
    assert found.values == pytest.approx(case["rank_centrality"][key], abs=1e-12)
    order = np.argsort(-np.array(found.values)).tolist()
    assert order == case["rank_centrality"][key.replace("pi", "order").replace("_only", "")]


@pytest.mark.shared_data
def test_bradley_terry_equals_the_golden_one(case, outcomes):
    found, expected = strengths(outcomes, "bradley_terry"), case["bradley_terry_no_ties"]
    assert found.values == pytest.approx(expected["statsmodels_GLM_centered"], abs=1e-12)
    assert found.values == pytest.approx(expected["choix_ilsr"], abs=1e-12)
    assert found.log_likelihood == pytest.approx(expected["loglik"], abs=1e-12)
    assert errors_relative_to_the_first(found) == pytest.approx(expected["se_relative_to_M0"], abs=1e-12)


@pytest.mark.shared_data
def test_davidson_equals_the_golden_one(case, outcomes):
    found, expected = strengths(outcomes, "davidson"), case["davidson"]
    assert found.values == pytest.approx(expected["log_pi_centered"], abs=1e-12)
    assert found.tie_parameter == pytest.approx(expected["nu"], abs=1e-12)
    assert found.log_likelihood == pytest.approx(expected["loglik"], abs=1e-12)
    # the reference's errors come from a general optimiser that stops at about 1e-12
    assert errors_relative_to_the_first(found) == pytest.approx(expected["se_log_pi_relative_M0"], abs=1e-11)
    assert found.tie_error == pytest.approx(expected["se_log_nu"], abs=1e-11)


def errors_relative_to_the_first(found):
    c = found.covariance
    return [math.sqrt(c[i, i] + c[0, 0] - 2 * c[0, i]) for i in range(1, len(c))]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_bradley_terry_and_rank_centrality_equal_choix(seed, systems):
    outcomes = made_up(seed, systems)
    pairs = [(i, j) for i, j in zip(*np.nonzero(outcomes.wins), strict=True) for _ in range(int(outcomes.wins[i, j]))]
    ours = strengths(outcomes, "bradley_terry").values
    assert ours == pytest.approx(choix.ilsr_pairwise(systems, pairs, tol=1e-10).tolist(), abs=1e-7)
    stationary = np.exp(choix.rank_centrality(systems, pairs))
    ours = strengths(outcomes, "rank_centrality").values
    assert ours == pytest.approx((stationary / stationary.sum()).tolist(), abs=1e-9)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(ALL_METHODS))
def test_renaming_systems_changes_nothing(seed, method):
    outcomes = made_up(seed)
    order = np.random.default_rng(seed).permutation(5)
    moved = PairwiseOutcomes.of(outcomes.wins[np.ix_(order, order)], outcomes.ties[np.ix_(order, order)])
    expected = np.array(strengths(outcomes, method[0], ties=method[1]).values)[order]
    assert strengths(moved, method[0], ties=method[1]).values == pytest.approx(expected, abs=1e-10)


def test_davidson_is_at_the_top_of_its_likelihood():
    outcomes = made_up(3)
    found = strengths(outcomes, "davidson")

    def log_likelihood(theta, nu):
        p = np.exp(theta)
        total = p[:, None] + p[None] + nu * np.sqrt(p[:, None] * p[None])
        tie = nu * np.sqrt(p[:, None] * p[None]) / total
        return (outcomes.wins * np.log(p[:, None] / total)).sum() + (outcomes.ties * np.log(tie)).sum() / 2

    theta, nu = np.array(found.values), found.tie_parameter
    best = log_likelihood(theta, nu)
    assert best == pytest.approx(found.log_likelihood, abs=1e-9)
    rng = np.random.default_rng(0)
    assert all(
        log_likelihood(theta + rng.normal(0, 0.01, 5), nu * 1.01**k) < best for k in (-1, 0, 1) for _ in range(9)
    )


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.5, 1.0, 4.0]))
def test_bradley_terry_with_a_prior_is_at_the_top_of_its_posterior(seed, prior):
    """Found again by a general optimiser: sum of w log P(i beats j), and the prior about the average system's 0."""
    outcomes = made_up(seed, systems=4)
    wins = np.array(outcomes.wins)

    def against(t):
        difference = t[:-1, None] - t[None, :-1]
        about = t[:-1] - t[-1]
        return (wins * np.logaddexp(0, -difference)).sum() + prior * (
            np.logaddexp(0, -about) + np.logaddexp(0, about)
        ).sum()

    found = strengths(outcomes, "bradley_terry_map", prior=prior)
    best = minimize(against, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x
    assert found.values == pytest.approx(best[:-1] - best[:-1].mean(), abs=1e-6)
    assert sum(found.values) == pytest.approx(0, abs=1e-12)


def test_a_prior_keeps_one_sided_and_disconnected_systems_finite_and_fades():
    one_sided = PairwiseOutcomes.of([[0, 5, 5], [0, 0, 5], [0, 0, 0]], names=["a", "b", "c"])
    assert strengths(one_sided, "bradley_terry").reason
    found = strengths(one_sided, "bradley_terry_map")
    assert not found.reason
    assert list(found.values) == sorted(found.values, reverse=True)
    assert np.isfinite(found.values).all()
    assert strengths(one_sided, "bradley_terry_map", prior=0.1).values[0] > found.values[0]
    ranking = rank_by_outcomes(one_sided, "bradley_terry_map", n_resamples=50)
    assert (ranking.undefined, [system.name for system in ranking.systems]) == (0, ["a", "b", "c"])
    apart = PairwiseOutcomes.of([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 9], [0, 0, 0, 0]], names=list("abcd"))
    assert "disconnected" in strengths(apart, "bradley_terry").reason
    values = strengths(apart, "bradley_terry_map").values
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    assert values[2] > values[0] > values[3]
    many = made_up(3, each=4000, ties=False)
    by_likelihood = strengths(many, "bradley_terry").values
    assert strengths(many, "bradley_terry_map", prior=1e-6).values == pytest.approx(by_likelihood, abs=1e-6)
    with pytest.raises(ValueError, match="prior is 0"):
        strengths(many, "bradley_terry_map", prior=0)


def test_davidson_without_ties_is_bradley_terry():
    outcomes = made_up(4, ties=False)
    found = strengths(outcomes, "davidson")
    assert found.values == pytest.approx(strengths(outcomes, "bradley_terry").values, abs=1e-12)
    assert (found.tie_parameter, found.tie_error) == (0, None)


@pytest.mark.parametrize(
    ("wins", "reason"),
    [
        (graph(CYCLES), "disconnected: no comparison links {0, 1} with {2, 3}"),
        (graph([*CYCLES, (0, 2)]), "one-sided: {0, 1} never lost to {2, 3}"),
        (graph([*CYCLES, (2, 0)]), "one-sided: {2, 3} never lost to {0, 1}"),
        (np.zeros((4, 4)), "no comparisons"),
        (np.zeros((1, 1)), "fewer than two systems"),
    ],
)
@pytest.mark.parametrize("method", ["rank_centrality", "bradley_terry", "davidson"])
def test_graphs_without_a_ranking_are_reported(wins, reason, method):
    found = strengths(PairwiseOutcomes.of(wins), method)
    assert found.reason == reason
    assert all(math.isnan(value) for value in found.values)
    ranking = rank_by_outcomes(PairwiseOutcomes.of(wins), method)
    assert (ranking.systems, ranking.reason) == ((), reason)
    assert found.to_dict()["values"] == [None] * len(wins)


def test_all_ties_are_undefined_unless_a_tie_is_half_a_win():
    ties = PairwiseOutcomes.of(np.zeros((3, 3)), 2 * (1 - np.eye(3)))
    for method in ("rank_centrality", "bradley_terry", "davidson"):
        assert strengths(ties, method).reason == ALL_TIES
    assert strengths(ties, "bradley_terry", ties="half").values == pytest.approx([0, 0, 0], abs=1e-12)
    assert strengths(ties, "rank_centrality", ties="half").values == pytest.approx([1 / 3] * 3, abs=1e-12)
    assert strengths(ties, "fraction", ties="half").values == (0.5, 0.5, 0.5)
    assert "no comparison that counts" in strengths(ties, "fraction").reason


def test_a_tie_can_connect_what_wins_do_not_but_not_always():
    """0 beats 1, and 2 ties with both: every system is connected, and yet nu and the strengths diverge together."""
    ties = np.zeros((3, 3))
    ties[2, :2] = ties[:2, 2] = 1
    ordered = PairwiseOutcomes.of(graph([(0, 1)], 3), ties)
    assert "ordered" in strengths(ordered, "davidson").reason
    mixed = PairwiseOutcomes.of(graph([(0, 1), (1, 0)], 3), ties)
    assert strengths(mixed, "davidson").reason == ""
    assert "disconnected" in strengths(mixed, "bradley_terry").reason
    assert strengths(mixed, "bradley_terry", ties="half").tie_error is None
    for treated, connects in (("decisive", False), ("half", True)):
        together = batch(np.array([mixed.wins]), np.array([mixed.ties]), "bradley_terry", treated)
        assert np.isfinite(together).tolist() == [[connects] * 3]
    assert unrankable_because(["a"], [[0]]) == ONE_SYSTEM
