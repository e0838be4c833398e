"""Rankings: which ranks and intervals of strengths the bootstrap keeps, and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats import (
    STRENGTH_METHODS,
    Judgements,
    PairwiseOutcomes,
    ResamplingPlan,
    rank_by_fraction,
    rank_by_outcomes,
    strengths,
)
from metaeval.stats.ranking.ranked import fraction_plan, outcome_plan, ranked
from tests.metaeval.stats.ranking.cases import ALL_METHODS, graph, made_up


@pytest.mark.parametrize(("method", "ties"), ALL_METHODS)
def test_a_batch_equals_one_by_one(method, ties):
    plan = outcome_plan(made_up(5), method, ties=ties, n_resamples=40, seed=2)
    rng = np.random.default_rng(np.random.SeedSequence(2).spawn(1)[0])
    wins, tied = made_up(5).resampled(rng, 40)
    for row, w, t in zip(plan.run(), wins, tied, strict=True):
        alone = strengths(PairwiseOutcomes.of(w, t), method, ties=ties)
        assert row == pytest.approx(alone.values, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("method", STRENGTH_METHODS)
def test_a_clear_order_is_kept_by_the_bootstrap_and_a_toss_up_is_not(method):
    wins = np.array([[0, 40, 70, 71], [10, 0, 55, 60], [5, 9, 0, 26], [6, 8, 25, 0]])
    ranking = rank_by_outcomes(PairwiseOutcomes.of(wins, names="abcd"), method, n_resamples=400, seed=1)
    assert [system.name for system in ranking.systems[:2]] == ["a", "b"]
    kept = [system.kept for system in ranking.systems]
    assert min(kept[:2]) > 0.95
    assert max(kept[2:]) < 0.9
    for system in ranking.systems:
        assert sum(system.rank_shares) == pytest.approx(1)
        assert system.strength in system.interval
    assert ranking.comparisons == wins.sum()


@settings(deadline=None)  # the first example may have to compile
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=24
    ),
    st.sampled_from([("comparisons",), ("experts",), ("comparisons", "experts")]),
)
def test_intervals_of_preference_fractions_stay_between_0_and_1(given_answers, over):
    """Few answers that vary a lot: quantiles of their replicates reached from -.03 to 1.03."""
    system, comparison, expert, chosen = zip(*given_answers, strict=True)
    answers = Judgements.of(
        system=[f"s{s}" for s in system],
        comparison=[f"{s}-{c}" for s, c in zip(system, comparison, strict=True)],
        expert=list(expert),
        chosen=np.array(chosen, dtype=float),
    )
    for one in rank_by_fraction(answers, over=over, n_resamples=60).systems:
        if not one.interval.reason:
            assert 0 <= one.interval.low <= one.strength + 1e-12
            assert one.strength - 1e-12 <= one.interval.high <= 1
            assert one.interval.low < one.interval.high  # even if everyone chose it


def test_quantiles_of_widened_replicates_would_leave_the_range_and_the_interval_does_not():
    answers = Judgements.of(
        system=["s"] * 10,
        comparison=[0] * 4 + [1] * 3 + [2] * 3,
        expert=[0, 1, 2, 3, 0, 1, 2, 0, 1, 2],
        chosen=[1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
    )
    plan = fraction_plan(answers, over=("comparisons", "experts"), n_resamples=2000, seed=1)
    high = np.quantile(plan.run(None)[:, 0], 0.975)
    assert high > 1
    found = rank_by_fraction(answers, n_resamples=2000, seed=1).systems[0]
    assert found.strength == 0.7
    assert 0.1 < found.interval.low < 0.5
    assert 0.85 < found.interval.high < 1


def test_intervals_of_strengths_are_quantiles_of_a_thousand_resamples_at_the_level_asked_for():
    outcomes = made_up(9)
    ranking = rank_by_outcomes(outcomes, "fraction", confidence_level=0.5)
    drawn = outcome_plan(outcomes, "fraction", ties="decisive", n_resamples=1000, seed=0).run()
    assert ranking.n_resamples == 1000
    for system in ranking.systems:
        replicates = drawn[:, outcomes.names.index(system.name)]
        assert system.interval.confidence_level == 0.5
        assert [system.interval.low, system.interval.high] == np.quantile(replicates, [0.25, 0.75]).tolist()


def test_resamples_without_a_ranking_are_counted_and_left_out():
    wins = graph([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2)], 3)
    ranking = rank_by_outcomes(PairwiseOutcomes.of(wins), "bradley_terry", n_resamples=500)
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
        rank_by_outcomes(outcomes, "fraction", n_resamples=1500).systems[0].interval.standard_error
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
    plans = [outcome_plan(made_up(7), "davidson", ties="decisive", n_resamples=600, seed=9) for _ in range(2)]
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
        ranking = rank_by_outcomes(outcomes, method, n_resamples=100)
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
    ranking = rank_by_fraction(judged, n_resamples=300)
    assert [system.name for system in ranking.systems] == ["good", "fair", "poor"]
    assert ranking.excluded == ("unseen",)
    assert all(system.kept > 0.95 for system in ranking.systems)
    with pytest.raises(ValueError, match=r"\bover is 'systems'; .*comparisons, experts"):
        rank_by_fraction(judged, over=["systems"])


def test_nobody_is_ranked_without_responses():
    judged = Judgements.of(system=[], comparison=[], expert=[], chosen=[], systems=["a"])
    assert rank_by_fraction(judged).reason == "no responses"


def test_equal_strengths_share_the_better_rank():
    replicates = ResamplingPlan(lambda stream, size: np.tile([0.5, 0.5, 0.1], (size, 1)), n_resamples=10).run()
    ranking = ranked([0.5, 0.5, 0.1], replicates, "abc", method="x", ties="", comparisons=9)
    assert [(system.rank, system.kept) for system in ranking.systems] == [(1, 1.0), (1, 1.0), (3, 1.0)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PairwiseOutcomes.of([[0, 1]]), r"wins have shape \(1, 2\)"),
        (lambda: PairwiseOutcomes.of([[1, 1], [0, 0]]), "zero on the diagonal"),
        (lambda: PairwiseOutcomes.of([[0, -1], [0, 0]]), "expected finite counts, none negative"),
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
