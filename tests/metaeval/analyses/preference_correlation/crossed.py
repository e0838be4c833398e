"""Studies as arrays whose systems are crossed: every method in every model, or nearly."""

from dataclasses import replace

import numpy as np

from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from tests.metaeval.planted import SYSTEMS, planted_study

FEW = {"permutations": 2000, "metrics": ["soft_accuracy", "po_jsd"]}


def named_study(names, *, seed=1, latent=0.6):
    """The planted study with its first systems renamed: (model, method) of each, or (model, method, run)."""
    inputs = planted_study(seed, latent)
    count = len(names)
    assert count <= SYSTEMS
    parts = [(*name, "")[:3] for name in names]
    joined = tuple(" / ".join(part for part in name if part) for name in parts)
    origins = tuple({"model": model, "method": method, "run": run} for model, method, run in parts)
    Q = dict(zip(joined, [inputs.Q[name] for name in inputs.systems[:count]], strict=True))
    answers = inputs.answers.of(inputs.answers.second < count)
    return replace(inputs, data=replace(inputs.data, systems=joined, origins=origins, Q=Q), answers=replace(answers))


def crossed(models, methods, *, holes=()):
    """(model, method) of each system, model by model, without the holes."""
    pairs = [(f"model {a}", f"method {chr(97 + b)}") for a in range(models) for b in range(methods)]
    return [pair for pair in pairs if pair not in holes]


def analysed(inputs, *, seed=1, **parameters):
    entry = analyses.get("preference_correlation")
    return result_of(inputs=inputs, entry=entry, parameters=entry.validated(FEW | parameters), seed=seed, work=Work())


def rows(result, coefficient="pearson"):
    return {row["metric"]: row for row in result["correlations"] if row["coefficient"] == coefficient}


def scores_of(result):
    """Each metric's values, and the fractions: one per system."""
    names = [metric["name"] for metric in result["metrics"]]
    scores = {name: [system["metrics"][name]["value"] for system in result["systems"]] for name in names}
    return scores, np.array([system["fraction"] for system in result["systems"]])
