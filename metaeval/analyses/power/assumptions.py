"""The assumptions of simulated studies: from the parameters, else from the responses, else usual values."""

from __future__ import annotations

import math
from collections.abc import Mapping

from metaeval.analyses.power.parameters import PowerOfStudy
from metaeval.analyses.power.result import AssumedName, AssumedNumber
from metaeval.stats import PreferenceVariance

USUAL: dict[AssumedName, float] = {
    "base": math.log(0.38 / 0.62),
    "spread": 0.4,
    "instance_spread": 0.5,
    "expert_spread": 0.3,
}
"""On the scale of log-odds."""

USUALLY_SHARED: dict[AssumedName, float] = {"likeness": 0.84, "model_spread": 1.0}
"""Cautious assumptions for systems that share models and methods. The more alike a method's systems, the less each
adds; the further apart models are, the smaller the share of the systems' differences that is due to methods."""


def assumptions(
    parameters: PowerOfStudy, found: PreferenceVariance | None, *, is_shared: bool
) -> dict[AssumedName, AssumedNumber]:
    """Every number that the simulation needs; `is_shared`: whether systems have models or methods in common."""
    given = _given(parameters)
    estimated = {} if found is None else dict(zip(USUAL, found.on_log_odds(), strict=True))
    usual = USUAL | (USUALLY_SHARED if is_shared else {})
    return {name: _assumed(name, given[name], estimated, usual[name]) for name in usual}


def _assumed(
    name: AssumedName, given: float | None, estimated: Mapping[AssumedName, float], usual: float
) -> AssumedNumber:
    if given is not None:
        return AssumedNumber(name=name, value=given, source="given")
    if math.isfinite(estimated.get(name, math.nan)):
        return AssumedNumber(name=name, value=estimated[name], source="estimated from the responses")
    return AssumedNumber(name=name, value=usual, source="assumed")


def _given(parameters: PowerOfStudy) -> dict[AssumedName, float | None]:
    fraction = parameters.fraction
    return {
        "base": None if fraction is None else math.log(fraction / (1 - fraction)),
        "spread": parameters.system_spread,
        "instance_spread": parameters.instance_spread,
        "expert_spread": parameters.expert_spread,
        "likeness": parameters.likeness,
        "model_spread": parameters.model_spread,
    }
