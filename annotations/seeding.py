"""Every random choice of a study comes from its stored seed, through one of these generators."""

from enum import IntEnum

import numpy as np

from annotations.models.comparisons import SideOrder


class RandomChoice(IntEnum):
    """What a stream of random numbers is for. The numbers are part of the result: never change them."""

    DRAWING = 0  # which instances for which system
    ORDERING = 1  # the order of the comparisons
    SHARING = 2  # which expert gets which place
    EXPERT_ORDER = 3  # the order in which an expert sees the own assignments
    SIDES = 4  # which distribution is A
    SIMULATING = 5  # what simulated experts are like and say
    GUESSING = 6  # about which comparisons experts are asked at the end


def generator(seed: int, purpose: RandomChoice, *path: int) -> np.random.Generator:
    """An independent stream for one purpose (and, say, one expert): the same on every machine."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(int(purpose), *path))))


# In a block of four every order of two and two is as likely; every prefix is within one of half.
_BLOCKS = ("aabb", "abab", "abba", "baab", "baba", "bbaa")


def side_order(*, seed: int, expert: int, turn: int) -> SideOrder:
    """Which distribution the expert sees as A at their `turn` (0, 1, ...).

    Balanced in blocks of four: after any number of turns each order was used half the time, give or take one.
    It depends on the study's seed, the expert's number and the turn alone: on nothing that is shown.

    >>> turns = [side_order(seed=1, expert=0, turn=turn) for turn in range(8)]
    >>> turns.count(SideOrder.FIRST_IS_A)
    4
    """
    block, place = divmod(turn, 4)
    order = _BLOCKS[generator(seed, RandomChoice.SIDES, expert, block).integers(len(_BLOCKS))]
    return SideOrder.FIRST_IS_A if order[place] == "a" else SideOrder.SECOND_IS_A
