"""What simulated studies are made of: what the parameters say, else the responses, else what is usual."""

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


def assumptions(parameters: PowerOfStudy, found: PreferenceVariance | None) -> dict[AssumedName, AssumedNumber]:
    """Every number that the simulation needs."""
    given = _given(parameters)
    estimated = {} if found is None else dict(zip(USUAL, found.on_log_odds(), strict=True))
    return {name: _assumed(name, given[name], estimated) for name in USUAL}


def _assumed(name: AssumedName, given: float | None, estimated: Mapping[AssumedName, float]) -> AssumedNumber:
    if given is not None:
        return AssumedNumber(name=name, value=given, source="given")
    if math.isfinite(estimated.get(name, math.nan)):
        return AssumedNumber(name=name, value=estimated[name], source="estimated from the responses")
    return AssumedNumber(name=name, value=USUAL[name], source="assumed")


def _given(parameters: PowerOfStudy) -> dict[AssumedName, float | None]:
    fraction = parameters.fraction
    return {
        "base": None if fraction is None else math.log(fraction / (1 - fraction)),
        "spread": parameters.system_spread,
        "instance_spread": parameters.instance_spread,
        "expert_spread": parameters.expert_spread,
    }
