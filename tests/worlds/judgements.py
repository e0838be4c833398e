"""Responses of simulated studies, as people's judgements of systems."""

import numpy as np
from scipy.special import expit

from metaeval.stats import Judgements

SPREADS = {"base": -0.5, "spread": 0.6, "instance_spread": 0.5, "expert_spread": 0.3}


def answered(seed, *, systems=25, instances=28, each=4, experts=28, kept=1.0, **spreads):
    """Responses of a simulated study; `kept` is the share that came in."""
    made = SPREADS | spreads
    rng = np.random.default_rng(seed)
    who = rng.random((systems, instances, experts)).argsort(axis=2)[:, :, :each]
    system, instance, _ = np.indices(who.shape)
    logit = (
        made["base"]
        + made["spread"] * rng.normal(size=systems)[:, None, None]
        + made["instance_spread"] * rng.normal(size=(systems, instances, 1))
        + made["expert_spread"] * rng.normal(size=experts)[who]
    )
    there = rng.random(who.shape) < kept
    return Judgements.of(
        system=[f"s{place:02}" for place in system[there]],
        comparison=(system * instances + instance)[there].tolist(),
        expert=who[there].tolist(),
        chosen=(rng.random(who.shape) < expit(logit))[there],
        systems=[f"s{place:02}" for place in range(systems)],
    )
