"""The numeric code's random number generator: xoshiro256++ of Blackman and Vigna (2019), compiled.

One generator draws word by word (`next_word`). A loop over many generators side by side (lanes) takes a `step` of each,
and becomes vector instructions. A state is four words, or four rows of words with one column per lane.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Words
from metaeval.compiled import compiled, inlined

_ROTATE_A, _ROTATE_B, _SHIFT = np.uint64(23), np.uint64(45), np.uint64(17)
_WORD, _HALF = np.uint64(64), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_RANGE = np.uint64(1 << 32)


def state(source: np.random.SeedSequence) -> Words:
    """The state of one generator: shape (4,)."""
    return source.generate_state(4, np.uint64).astype(np.uint64, copy=False)


def lane_states(source: np.random.SeedSequence, lanes: int) -> Words:
    """The states of generators side by side: shape (4, lanes)."""
    return source.generate_state(4 * lanes, np.uint64).astype(np.uint64, copy=False).reshape(4, lanes)


@inlined
def _rotated(x, by):
    return (x << by) | (x >> (_WORD - by))


@inlined
def step(a, b, c, d):
    """The next 64 bits of the state a, b, c, d, and the state after them."""
    third, fourth = c ^ a, d ^ b
    return (
        _rotated(a + d, _ROTATE_A) + a,
        a ^ fourth,
        b ^ third,
        third ^ (b << _SHIFT),
        _rotated(fourth, _ROTATE_B),
    )


@compiled
def next_word(state):
    """The next 64 bits of one generator."""
    word, state[0], state[1], state[2], state[3] = step(state[0], state[1], state[2], state[3])
    return word


@compiled
def below(state, bound):
    """A number in [0, bound), exactly uniform (Lemire 2019: multiply, and reject the few that would bias)."""
    product = (next_word(state) >> _HALF) * bound
    if (product & _LOW) < bound:
        threshold = (_RANGE - bound) % bound
        while (product & _LOW) < threshold:
            product = (next_word(state) >> _HALF) * bound
    return product >> _HALF
