"""Distributed resampling: whoever draws which block, the result is the same."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.checking import checked_choice
from metaeval.sampling import BLOCK
from metaeval.stats import ResamplingPlan
from metaeval.stats.resampling import tail_p_value

VALUES = np.random.default_rng(0).normal(size=30)


def means(stream, size):
    return np.random.default_rng(stream).choice(VALUES, (size, len(VALUES))).mean(axis=1)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000), st.integers(1, 5 * BLOCK), st.randoms(use_true_random=False))
def test_the_merged_result_does_not_depend_on_the_number_of_shards_or_their_order(seed, resamples, random):
    whole = ResamplingPlan(means, n_resamples=resamples, seed=seed).run()
    numbers = list(range(len(ResamplingPlan(means, n_resamples=resamples, seed=seed).blocks)))
    random.shuffle(numbers)
    drawn = {number: ResamplingPlan(means, n_resamples=resamples, seed=seed).block(number) for number in numbers}
    merged = ResamplingPlan(means, n_resamples=resamples, seed=seed).merged([drawn[n] for n in sorted(drawn)])
    assert merged.tolist() == whole.tolist()
    assert len(whole) == resamples


def test_a_seed_can_be_a_number_a_sequence_or_a_generator():
    def run(seed):
        return ResamplingPlan(means, n_resamples=10, seed=seed).run().tolist()

    assert run(4) == run(np.random.SeedSequence(4))
    assert run(np.random.default_rng(4)) == run(np.random.default_rng(4))
    assert run(4) != run(5)


def test_progress_is_told_before_the_first_block_and_after_each():
    steps = []
    ResamplingPlan(means, n_resamples=2 * BLOCK + 1).run(lambda done, total: steps.append((done, total)))
    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_impossible_requests_are_refused_in_words():
    with pytest.raises(ValueError, match="n_resamples is 0"):
        ResamplingPlan(means, n_resamples=0)
    with pytest.raises(ValueError, match="all 2 blocks"):
        ResamplingPlan(means, n_resamples=BLOCK + 1).merged([np.zeros(3)])
    with pytest.raises(ValueError, match=r"\bdraw .*1 replicates .*10 "):
        ResamplingPlan(lambda stream, size: np.zeros(1), n_resamples=10).run()
    with pytest.raises(ValueError, match=r"\bmethod is 'magic'; .*a, b"):
        checked_choice("method", "magic", ("a", "b"))


@pytest.mark.parametrize(
    ("alternative", "two_sided", "expected"),
    [
        ("greater", "double", 3 / 6),
        ("less", "double", 1.0),
        ("two-sided", "double", 1.0),
        ("two-sided", "magnitude", 4 / 6),
    ],
)
def test_a_sampled_p_value_counts_itself_and_what_is_undefined(alternative, two_sided, expected):
    null = np.array([-2.0, 0.5, 1.0, math.nan, 0.0])
    assert tail_p_value(null, 1.0, alternative, two_sided, exact=False) == pytest.approx(expected)


def test_an_enumerated_p_value_does_not_count_itself_twice():
    assert tail_p_value(np.array([0.0, 1.0, 1.0 + 1e-14, -1.0]), 1.0, "greater", "double", exact=True) == 0.5
    assert math.isnan(tail_p_value(np.zeros(3), math.nan, "less", "double", exact=True))
