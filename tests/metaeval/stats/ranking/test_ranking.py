"""Rankings: golden values, another package on random data, and graphs that have no ranking."""

import json
import math

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from metaeval.stats import (
    STRENGTH_METHODS,
    Judgements,
    PairwiseOutcomes,
    ResamplingPlan,
    rank_by_fraction,
    rank_by_outcomes,
    strengths,
    unrankable_because,
)
from metaeval.stats.ranking.ranked import fraction_plan, outcome_plan, ranked

ALL_METHODS = [
    ("fraction", "half"),
    ("rank_centrality", "decisive"),
    ("rank_centrality", "all"),
    ("rank_centrality", "half"),
    ("bradley_terry", "decisive"),
    ("bradley_terry", "half"),
    ("davidson", "decisive"),
    ("bradley_terry_map", "half"),
]


@pytest.fixture
def case(golden):
    return json.loads((golden / "ranking.json").read_text())


@pytest.fixture
def outcomes(case):
    return PairwiseOutcomes.of(case["W_i_beats_j"], case["ties"], names=case["names"])


def made_up(seed, systems=5, each=12, ties=True):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(1, each, (systems, systems)), 1)
    lower = np.triu(rng.integers(1, each, (systems, systems)), 1).T
    tied = np.triu(rng.integers(0, 5, (systems, systems)), 1) if ties else np.zeros((systems, systems))
    return PairwiseOutcomes.of(upper + lower, tied + tied.T)


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
    ranking = rank_by_outcomes(one_sided, "bradley_terry_map", resamples=50)
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
    assert found.tie_parameter == 0


def graph(pairs, systems=4):
    wins = np.zeros((systems, systems))
    for i, j in pairs:
        wins[i, j] += 1
    return wins


CYCLES = [(0, 1), (1, 0), (2, 3), (3, 2)]


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
        assert strengths(ties, method).reason == "every comparison is a tie"
    assert strengths(ties, "bradley_terry", ties="half").values == pytest.approx([0, 0, 0], abs=1e-12)
    assert strengths(ties, "rank_centrality", ties="half").values == pytest.approx([1 / 3] * 3, abs=1e-12)
    assert strengths(ties, "fraction", ties="half").values == (0.5, 0.5, 0.5)
    assert "no comparison that counts" in strengths(ties, "fraction").reason


def test_a_tie_can_connect_what_wins_do_not_but_not_always():
    """0 beats 1, and 2 ties both: every system is connected, and still nu and the strengths run away together."""
    ties = np.zeros((3, 3))
    ties[2, :2] = ties[:2, 2] = 1
    ordered = PairwiseOutcomes.of(graph([(0, 1)], 3), ties)
    assert "ordered" in strengths(ordered, "davidson").reason
    mixed = PairwiseOutcomes.of(graph([(0, 1), (1, 0)], 3), ties)
    assert strengths(mixed, "davidson").reason == ""
    assert "disconnected" in strengths(mixed, "bradley_terry").reason
    assert unrankable_because(["a"], [[0]]) == "fewer than two systems"


@pytest.mark.parametrize(("method", "ties"), ALL_METHODS)
def test_a_batch_equals_one_by_one(method, ties):
    plan = outcome_plan(made_up(5), method, ties=ties, resamples=40, seed=2)
    rng = np.random.default_rng(np.random.SeedSequence(2).spawn(1)[0])
    wins, tied = made_up(5).resampled(rng, 40)
    for row, w, t in zip(plan.run(), wins, tied, strict=True):
        alone = strengths(PairwiseOutcomes.of(w, t), method, ties=ties)
        assert row == pytest.approx(alone.values, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("method", STRENGTH_METHODS)
def test_a_clear_order_is_kept_by_the_bootstrap_and_a_toss_up_is_not(method):
    wins = np.array([[0, 40, 70, 71], [10, 0, 55, 60], [5, 9, 0, 26], [6, 8, 25, 0]])
    ranking = rank_by_outcomes(PairwiseOutcomes.of(wins, names="abcd"), method, resamples=400, seed=1)
    assert [system.name for system in ranking.systems[:2]] == ["a", "b"]
    kept = [system.kept for system in ranking.systems]
    assert min(kept[:2]) > 0.95
    assert max(kept[2:]) < 0.9
    for system in ranking.systems:
        assert sum(system.rank_shares) == pytest.approx(1)
        assert system.strength in system.interval
    assert ranking.comparisons == wins.sum()


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=24
    ),
    st.sampled_from([("comparisons",), ("experts",), ("comparisons", "experts")]),
)
def test_intervals_of_preference_fractions_stay_between_0_and_1(given_answers, over):
    """Few answers that spread much: quantiles of their replicates reached from -.03 to 1.03."""
    system, comparison, expert, chosen = zip(*given_answers, strict=True)
    answers = Judgements.of(
        system=[f"s{s}" for s in system],
        comparison=[f"{s}-{c}" for s, c in zip(system, comparison, strict=True)],
        expert=list(expert),
        chosen=np.array(chosen, dtype=float),
    )
    for one in rank_by_fraction(answers, over=over, resamples=60).systems:
        if not one.interval.reason:
            assert 0 <= one.interval.low <= one.strength + 1e-12
            assert one.strength - 1e-12 <= one.interval.high <= 1
            assert one.interval.low < one.interval.high  # also where everybody chose it


def test_quantiles_of_widened_replicates_would_leave_the_range_and_the_interval_does_not():
    answers = Judgements.of(
        system=["s"] * 10,
        comparison=[0] * 4 + [1] * 3 + [2] * 3,
        expert=[0, 1, 2, 3, 0, 1, 2, 0, 1, 2],
        chosen=[1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
    )
    plan = fraction_plan(answers, over=("comparisons", "experts"), resamples=2000, seed=1)
    high = np.quantile(plan.run(None)[:, 0], 0.975)
    assert high > 1
    found = rank_by_fraction(answers, resamples=2000, seed=1).systems[0]
    assert found.strength == 0.7
    assert 0.1 < found.interval.low < 0.5
    assert 0.85 < found.interval.high < 1


def test_intervals_of_strengths_are_quantiles_of_a_thousand_resamples_at_the_level_asked_for():
    outcomes = made_up(9)
    ranking = rank_by_outcomes(outcomes, "fraction", level=0.5)
    drawn = outcome_plan(outcomes, "fraction", ties="decisive", resamples=1000, seed=0).run()
    assert ranking.resamples == 1000
    for system in ranking.systems:
        replicates = drawn[:, outcomes.names.index(system.name)]
        assert system.interval.level == 0.5
        assert [system.interval.low, system.interval.high] == np.quantile(replicates, [0.25, 0.75]).tolist()


def test_resamples_without_a_ranking_are_counted_and_left_out():
    wins = graph([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2)], 3)
    ranking = rank_by_outcomes(PairwiseOutcomes.of(wins), "bradley_terry", resamples=500)
    assert 0 < ranking.undefined < 500
    assert ranking.systems[0].interval.undefined == ranking.undefined


def test_clusters_of_responses_are_resampled_together():
    """Ten copies of the same ten responses carry ten responses' information, not a hundred's."""
    rng = np.random.default_rng(6)
    first = ["a"] * 40
    outcome = rng.choice([1, -1], 40, p=[0.6, 0.4])
    alone = PairwiseOutcomes.from_responses(first, ["b"] * 40, outcome)
    copied = PairwiseOutcomes.from_responses(first * 10, ["b"] * 400, np.tile(outcome, 10), cluster=[*range(40)] * 10)
    errors = [
        rank_by_outcomes(outcomes, "fraction", resamples=1500).systems[0].interval.standard_error
        for outcomes in (alone, copied)
    ]
    assert errors[0] == pytest.approx(errors[1], rel=0.1)


def test_responses_and_matrices_are_the_same_thing():
    found = PairwiseOutcomes.from_responses("aabcb", "bbcac", [1, -1, 0, 1, 0], names=["a", "b", "c"])
    assert found.wins.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]
    assert found.ties.tolist() == [[0, 0, 0], [0, 0, 2], [0, 2, 0]]
    assert found.comparisons == 5
    wins, ties = found.resampled(np.random.default_rng(1), 7)
    assert (wins.sum(axis=(1, 2)) + ties.sum(axis=(1, 2)) / 2 == 5).all()


def test_shards_merge_to_the_result_of_one_run():
    plans = [outcome_plan(made_up(7), "davidson", ties="decisive", resamples=600, seed=9) for _ in range(2)]
    blocks = [plans[0].block(b) for b in (2, 0, 1)]
    np.testing.assert_array_equal(plans[1].merged([blocks[1], blocks[2], blocks[0]]), plans[1].run())


@pytest.mark.shared_data
def test_real_votes_rank_six_models_as_everyone_knows_them(shared_data):
    votes = [json.loads(line) for line in (shared_data / "mtbench" / "human.jsonl").read_text().splitlines()]
    outcome = [{"model_a": 1, "model_b": -1}.get(vote["winner"], 0) for vote in votes]
    outcomes = PairwiseOutcomes.from_responses(
        [vote["model_a"] for vote in votes],
        [vote["model_b"] for vote in votes],
        outcome,
        cluster=[vote["question_id"] for vote in votes],
    )
    assert outcomes.comparisons == len(votes)
    for method in ("rank_centrality", "bradley_terry", "davidson"):
        ranking = rank_by_outcomes(outcomes, method, resamples=100)
        assert ranking.systems[0].name == "gpt-4"
        assert ranking.systems[-1].name == "llama-13b"
        assert ranking.undefined == 0


def test_fractions_rank_systems_against_the_human_distribution():
    rng = np.random.default_rng(8)
    chance = {"good": 0.7, "fair": 0.4, "poor": 0.1}
    rows = [(s, i, e, rng.random() < p) for s, p in chance.items() for i in range(30) for e in range(4)]
    system, comparison, expert, chosen = zip(*rows, strict=True)
    judged = Judgements.of(
        system=system, comparison=comparison, expert=expert, chosen=chosen, systems=[*chance, "unseen"]
    )
    ranking = rank_by_fraction(judged, resamples=300)
    assert [system.name for system in ranking.systems] == ["good", "fair", "poor"]
    assert ranking.excluded == ("unseen",)
    assert all(system.kept > 0.95 for system in ranking.systems)
    with pytest.raises(ValueError, match=r"over is \('systems',\)"):
        rank_by_fraction(judged, over=["systems"])


def test_nobody_is_ranked_without_responses():
    judged = Judgements.of(system=[], comparison=[], expert=[], chosen=[], systems=["a"])
    assert rank_by_fraction(judged).reason == "no responses"


def test_equal_strengths_share_the_better_rank():
    replicates = ResamplingPlan(lambda stream, size: np.tile([0.5, 0.5, 0.1], (size, 1)), resamples=10).run()
    ranking = ranked([0.5, 0.5, 0.1], replicates, "abc", method="x", ties="", comparisons=9)
    assert [(system.rank, system.kept) for system in ranking.systems] == [(1, 1.0), (1, 1.0), (3, 1.0)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PairwiseOutcomes.of([[0, 1]]), r"wins have shape \(1, 2\)"),
        (lambda: PairwiseOutcomes.of([[1, 1], [0, 0]]), "zero on the diagonal"),
        (lambda: PairwiseOutcomes.of([[0, -1], [0, 0]]), "not negative"),
        (lambda: PairwiseOutcomes.of([[0, 1], [0, 0]], [[0, 1], [0, 0]]), "ties must be symmetric"),
        (lambda: PairwiseOutcomes.from_responses("a", "b", [2]), r"outcomes are \[2\]; expected 1"),
        (lambda: PairwiseOutcomes.from_responses("a", "b", [1], names=["a"]), "not among the given ones: b"),
        (lambda: PairwiseOutcomes.from_responses("a", "bc", [1]), "expected one a response"),
        (lambda: PairwiseOutcomes.from_responses("a", "b", [1], cluster=[]), "0 clusters for 1 responses"),
        (lambda: PairwiseOutcomes.from_responses("a", "a", [1]), "zero on the diagonal"),
        (lambda: strengths(made_up(1), "bradley_terry", ties="all"), "ties is 'all'; Bradley-Terry"),
        (lambda: strengths(made_up(1), "elo"), "method is 'elo'"),
    ],
)
def test_bad_input_is_refused_at_the_door(make, message):
    with pytest.raises(ValueError, match=message):
        make()
