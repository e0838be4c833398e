"""Normal and Gamma variates are those of the plain formulas, from the same random words."""

import itertools

import numpy as np
import pytest

from metaeval.generator import lane_states, next_word
from metaeval.metrics.kernels import loops

COUNT = 8 * loops.LANES
SPARE = 2 * loops.LANES


@pytest.fixture
def state():
    return lane_states(np.random.SeedSequence(12), loops.LANES)


def next_words(state, count):
    words = np.empty(count, dtype=np.uint64)
    loops.fill_words(state, words)
    return words


def unit(words):
    """The middle of the step, of 2^52 equally long ones in (0, 1), that the upper 52 bits number."""
    return np.array([((int(word) >> 12) + 0.5) / 2**52 for word in words])


def box_muller(words):
    """Two normal variates from two words: the first gives the radius and three bits, the second an angle."""
    half = len(words) // 2
    radius = np.sqrt(-2 * np.log(unit(words[:half])))
    angle = (unit(words[half:]) * 2 - 1) * np.pi / 4
    first, second, swap = (np.array([bool(int(word) & bit) for word in words[:half]]) for bit in (1, 2, 4))
    u = np.where(swap, np.sin(angle), np.cos(angle))
    v = np.where(swap, np.cos(angle), np.sin(angle))
    return np.concatenate([radius * np.where(first, u, -u), radius * np.where(second, v, -v)])


def marsaglia_tsang(state, shape):
    """Gamma variates, and how many tries they took; every try has a normal and a uniform variate of its own."""
    spare = itertools.chain.from_iterable(
        zip(box_muller(next_words(state, SPARE)), unit(next_words(state, SPARE)), strict=True)
        for _ in itertools.count()
    )
    d = (shape + 1 if shape < 1 else shape) - 1 / 3
    gammas, tries = [], 0
    for first in zip(box_muller(next_words(state, COUNT)), unit(next_words(state, COUNT)), strict=True):
        for x, u in itertools.chain([first], spare):
            tries += 1
            v = (1 + x / np.sqrt(9 * d)) ** 3
            if v > 0 and np.log(u) < x * x / 2 + d - d * v + d * np.log(v):
                gammas.append(d * v)
                break
    if shape < 1:
        return np.array(gammas) * unit(next_words(state, COUNT)) ** (1 / shape), tries
    return np.array(gammas), tries


def test_every_lane_is_a_generator_of_its_own(state):
    alone = [state[:, lane].copy() for lane in range(loops.LANES)]
    expected = [[int(next_word(words)) for words in alone] for _ in range(3)]
    assert next_words(state, 3 * loops.LANES).reshape(3, -1).tolist() == expected


def test_normal_variates_are_those_of_sine_cosine_and_logarithm(state):
    words, normals = np.empty(COUNT, dtype=np.uint64), np.empty(COUNT)
    expected = box_muller(next_words(state.copy(), COUNT))
    loops.fill_normals(state, words, normals)
    assert normals == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("shape", [0.1, 0.3, 1.0, 2.5])
def test_a_try_that_is_rejected_is_made_again_with_variates_of_its_own(state, shape):
    expected, tries = marsaglia_tsang(state.copy(), shape)
    assert tries > COUNT
    gammas = np.empty(COUNT)
    loops.fill_gammas(state, shape, np.empty(COUNT, dtype=np.uint64), np.empty(COUNT), gammas)
    assert gammas == pytest.approx(expected, rel=1e-9, abs=1e-300)
