"""Streams of random numbers for analyses, separate from those that planned the study with the same seed."""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a stream is for. The numbers are part of a result: never change them."""

    PERMUTATIONS = 1000
    CORRELATION_BOOTSTRAP = 1001
    PAIRED_METRICS = 1002
    SENSITIVITY = 1003
    AGREEMENT = 1010
    RANKING = 1020
    METRIC_RELATIONSHIP = 1030
    POWER = 1050
    LEADERBOARD = 1090
    STUDY_QUALITY = 1100
    UNCERTAINTY = 1200
    UNCERTAINTY_CURVES = 1210
    HUMAN_CALIBRATION = 1220


def root(seed: int, purpose: Purpose) -> np.random.SeedSequence:
    """The root of the streams of one purpose."""
    return np.random.SeedSequence(seed, spawn_key=(int(purpose),))
