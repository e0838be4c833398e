"""The random number generator gives the same numbers as its authors', alone and side by side."""

import numpy as np
import pytest

from metaeval.compiled import compiled
from metaeval.generator import below, lane_states, next_word, state, step

# Of the state 1, 2, 3, 4, by the authors' program in C (https://prng.di.unimi.it/xoshiro256plusplus.c).
WORDS = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]


def test_the_words_are_those_of_the_authors():
    words = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert [int(next_word(words)) for _ in WORDS] == WORDS


@compiled
def steps(a, b, c, d, words):
    for i in range(len(words)):
        words[i], a, b, c, d = step(a, b, c, d)


def test_lanes_side_by_side_are_generators_of_their_own():
    source = np.random.SeedSequence(5)
    lanes = lane_states(source, 3)
    assert lanes.shape == (4, 3)
    assert len(np.unique(lanes)) == 12
    for lane in range(3):
        words, alone = np.zeros(50, dtype=np.uint64), lanes[:, lane].copy()
        steps(*lanes[:, lane], words)
        assert words.tolist() == [int(next_word(alone)) for _ in range(50)]


def test_a_state_is_four_words_of_its_seed():
    assert state(np.random.SeedSequence(5)).tolist() == np.random.SeedSequence(5).generate_state(4, np.uint64).tolist()


def expected_below(words, bound):
    """Lemire (2019), in whole numbers of any size: rejected is a half word whose product is low by too little."""
    while True:
        product = (int(next_word(words)) >> 32) * bound
        if product % 2**32 >= (2**32 - bound) % bound:
            return product >> 32


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 1000, 2**31 - 1, 2**31 + 1, 3 * 2**30, 2**32 - 1])
def test_numbers_below_a_bound_are_those_of_the_method_also_where_it_rejects(bound):
    one, other = (state(np.random.SeedSequence(bound)) for _ in range(2))
    drawn = [int(below(one, np.uint64(bound))) for _ in range(300)]
    assert drawn == [expected_below(other, bound) for _ in range(300)]
    assert one.tolist() == other.tolist()  # both have asked for as many words
    assert 0 <= min(drawn) <= max(drawn) < bound
