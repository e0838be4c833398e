"""Why the coefficient within models is tested, and not the one over all systems."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Codes, Matrix, Vector
from metaeval.sampling import stream
from metaeval.stats import PermutationPlan
from metaeval.validity.planted import PlantedDesign
from metaeval.validity.sections import Effort, ValidityTable, share, validity_section

ALPHA, PERMUTATIONS = 0.05, 999
DESIGN = PlantedDesign("", models=2, likeness=0.84)
PLANTED = (0.0, -0.6, 0.6)
APART = 2.0
"""How much the models differ in both the metric and the preferences, in standard deviations within a model."""

OTHERS = 5
"""Unrelated metrics beside the planted one, for max-T."""


@validity_section(
    place=20,
    title="The coefficient that is tested",
    about=f"""
Two models with 13 methods each (alike in both, .84), methods exchanged jointly. One model is better by {APART:g}
standard deviations in the preferences, and higher by as much in all metrics, so that the models alone make a metric
look good over all systems. Within models the true correlation of one metric is 0, −.6 or .6. Tested by magnitude: its
coefficient within models, and, for comparison, the one over all systems under the same permutations, whose mean is far
from 0. Max-T: the family-wise test of that metric beside {OTHERS} that follow nothing.
""",
    finding="""
Under permutations that leave the models where they are, the coefficient over all systems keeps what the models' means
have in common. A correlation within models that goes against them is then not found by its magnitude, however strong;
one that goes along with them is found a little more often, since only that side is asked about, unknown to the reader.
So the coefficient within models is what is tested, in every column of a result; the one over all systems is shown
beside it and gets no star.
""",
)
def tested_statistic(effort: Effort) -> list[ValidityTable]:
    rows = []
    for number, true in enumerate(PLANTED):
        found = np.zeros(4, dtype=np.int64)
        for at in range(effort.simulations):
            source = np.random.SeedSequence([effort.seed, 20, number, at])
            found += _study(true, source)
        rows.append([f"{true:g}".replace("-", "−"), *(share(int(count), effort.simulations) for count in found)])
    columns = ("true r within models", "within, magnitude", "overall, magnitude", "within, max-T", "overall, max-T")
    return [ValidityTable(columns, rows)]


def _study(true: float, source: np.random.SeedSequence) -> Codes:
    """Whether one study finds it by each of the four tests."""
    rng = np.random.default_rng(source)
    scores, target = DESIGN.drawn(rng, (true, *[0.0] * OTHERS))
    better = APART * np.array([float(model) for model, _ in DESIGN.cells])
    scores, target = scores + better, target + better
    tests = PermutationPlan(
        {str(row): values for row, values in enumerate(scores)},
        target,
        coefficients=["pearson"],
        n_resamples=PERMUTATIONS,
        two_sided="magnitude",
        seed=stream(source, 0),
        units=DESIGN.crossing,
        exchangeable="methods jointly",
    ).run()
    overall, family = overall_by_magnitude(scores, target, np.random.default_rng(stream(source, 1)))
    found = (tests[0].pvalue, overall, tests[0].p_family, family)
    return np.array([p <= ALPHA for p in found], dtype=np.int64)


def overall_by_magnitude(scores: Matrix, target: Vector, rng: np.random.Generator) -> tuple[float, float]:
    """p of |r| over all systems for the first metric, alone and by single-step max-T with the others, exchanging whole
    methods: what this project does not do."""
    methods = np.array([method for _, method in DESIGN.cells])
    models = np.array([model for model, _ in DESIGN.cells])
    orders = np.argsort(rng.random((PERMUTATIONS, DESIGN.methods)), axis=1)
    places = models * DESIGN.methods + orders[:, methods]
    x, y = (values - values.mean(axis=-1, keepdims=True) for values in (scores, target))
    x, y = x / np.linalg.norm(x, axis=-1, keepdims=True), y / np.linalg.norm(y)
    null, observed = np.abs(y[places] @ x.T), abs(float(x[0] @ y))
    own, largest = ((values >= observed - 1e-12).sum() for values in (null[:, 0], null.max(axis=1)))
    return (1 + int(own)) / (1 + PERMUTATIONS), (1 + int(largest)) / (1 + PERMUTATIONS)
