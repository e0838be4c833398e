"""Permutations that are drawn side by side: those of sorting whole random words, in plain Python."""

import numpy as np
import pytest

from metaeval.stats.correlating.permutation_kernels import LANES, PLACE_BITS, draw_halves, fill, fill_by_words, network

BITS = (1 << 64) - 1


def words(state, count):
    """Blackman and Vigna's xoshiro256++ on Python's integers."""
    a, b, c, d = map(int, state)

    def rotated(value, by):
        return (value << by | value >> (64 - by)) & BITS

    for _ in range(count):
        yield (rotated((a + d) & BITS, 23) + a) & BITS
        shifted = (b << 17) & BITS
        c, d = c ^ a, d ^ b
        a, b = a ^ d, b ^ c
        c, d = c ^ shifted, rotated(d, 45)


@pytest.mark.parametrize("n", [2, 5])
def test_orders_are_those_of_random_words(n):
    states = np.random.SeedSequence(3).generate_state(4 * LANES, np.uint64).reshape(4, LANES)
    keys = [[word >> PLACE_BITS for word in words(state, n)] for state in states.T]
    expected = [sorted(range(n), key=key.__getitem__) for key in keys]
    by_halves, by_words = np.zeros((2, n, LANES), dtype=np.uint32)
    fill(states.copy(), False, 0, network(n), by_halves)
    fill_by_words(states.copy(), network(n), by_words)
    assert by_halves.T.tolist() == by_words.T.tolist() == expected


def test_half_a_key_has_the_upper_bits_of_a_word_and_its_place():
    states = np.random.SeedSequence(4).generate_state(4 * LANES, np.uint64).reshape(4, LANES)
    expected = [[(word >> 39 << 7) + place for place, word in enumerate(words(state, 3))] for state in states.T]
    keys = np.zeros((3, LANES), dtype=np.uint32)
    draw_halves(states, keys)
    assert keys.T.tolist() == expected
