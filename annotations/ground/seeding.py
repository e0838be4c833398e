"""Every random choice in a study, except its sides, comes from its stored seed through one of these generators."""

from enum import IntEnum

import numpy as np


class RandomChoice(IntEnum):
    """What a stream of random numbers is for. The numbers are part of the result: never change them."""

    DRAWING = 0  # which instances for which system
    ORDERING = 1  # the order of the comparisons
    SHARING = 2  # which expert gets which place
    EXPERT_ORDER = 3  # the order in which an expert sees their assignments
    SIDES = 4  # which distribution was A, until there were secret keys (annotations/ground/sides.py)
    SIMULATING = 5  # what simulated experts are like and say
    GUESSING = 6  # which comparisons experts are asked to guess about at the end
    REPEATING = 7  # which texts experts answer a second time
    WEIGHING = 7  # which comparisons the ways of drawing are measured on while a study is set up


def generator(seed: int, purpose: RandomChoice, *path: int) -> np.random.Generator:
    """An independent stream for one purpose (and, say, one expert): the same on every machine."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(int(purpose), *path))))
