"""The power of a planned study without simulation: immediate, and accurate enough for choosing numbers."""

from __future__ import annotations

import math

import numpy as np

from metaeval.stats.power.planned import StudyDesign

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(21)


def approximate_power(design: StudyDesign, *, alpha: float = 0.05) -> float:
    """About how often a two-sided test of Pearson's correlation finds the design's correlation.

    The fractions' noise attenuates the correlation (Spearman 1904); its z-transform is normal with variance
    1 / (systems - 3) (Fisher 1921). 0 with three systems or fewer. Systems count as independent: for systems that share
    models or methods, `power` simulates the test.

    >>> design = StudyDesign(systems=25, instances=28, experts_per_comparison=4, experts=28, correlation=0.7)
    >>> 0.8 < approximate_power(design) < 1
    True
    """

    from scipy.stats import norm

    if design.systems <= 3:
        return 0.0
    observed = min(abs(design.correlation) * math.sqrt(reliability(design)), 1 - 1e-12)
    shift = math.atanh(observed) * math.sqrt(design.systems - 3)
    bound = float(norm.isf(alpha / 2))
    return float(norm.sf(bound - shift) + norm.cdf(-bound - shift))


def reliability(design: StudyDesign) -> float:
    """The share of the variance of the systems' fractions that is due to the systems: in [0, 1]."""

    from scipy.special import expit

    texts, experts = design.instances, design.experts_per_comparison
    within = math.hypot(design.instance_spread, design.expert_spread)
    chances = expit(design.base + within * _NODES[:, None] + design.spread * _NODES)
    weights = _WEIGHTS / _WEIGHTS.sum()
    of_systems = weights @ chances  # the chance of a system of this quality, over texts and experts
    mean = float(weights @ of_systems)
    between = float(weights @ (of_systems - mean) ** 2)
    slope = answer = float(weights @ (chances * (1 - chances)) @ weights)  # of the logistic curve; of one answer
    noise = (slope * design.instance_spread) ** 2 / texts
    noise += ((slope * design.expert_spread) ** 2 + answer) / (texts * experts)
    return between / (between + noise) if between else 0.0
