"""How often intervals of a correlation contain the true one, depending on what is treated as independent."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Codes, Vector
from annotations.ground.units import Exchangeable
from metaeval.sampling import stream
from metaeval.stats import (
    CorrelationBootstrap,
    Judgements,
    SharedUnits,
    correlation_intervals,
    jackknife_intervals,
)
from metaeval.stats.power.planned import mixed
from metaeval.validity.planted import PlantedDesign
from metaeval.validity.sections import Effort, ValidityTable, share, validity_section

LEVEL, RESAMPLES = 0.95, 500
TRUTHS = (0.0, 0.4, 0.7)
COMPARISONS, EACH, EXPERTS = 28, 4, 28
JUDGED = SharedUnits(
    tuple((model, f"method {method}") for model in ("A", "B") for method in range(13)), likeness=0.84, model_spread=1.0
)
DESIGNS = (
    PlantedDesign("methods alike (.84), models shifted", models=2, likeness=0.84, shift=1.0),
    PlantedDesign("the same, one hole", models=2, likeness=0.84, shift=1.0, holes=((1, 12),)),
    PlantedDesign("methods not alike, models shifted", models=2, shift=1.0),
)
COLUMNS = (
    "2 models x 13 methods",
    "true r within models",
    "jackknife by method (the default)",
    "BCa by method (the option)",
    "plain percentile by method",
    "BCa by single systems",
)


@validity_section(
    place=40,
    title="Intervals of a correlation",
    about=f"""
Intervals of 95% of Pearson's r within models: how often they hold the true one (should be 95). The jackknife leaves
out one method with its systems in all models; bootstraps draw methods, or systems as if they were independent
({RESAMPLES} resamples). The option takes Student's quantile for the number of methods; the plain percentile does not.
The second table is of studies with responses (28 comparisons a system, 4 of 28 experts each): the interval by method
has the judges' noise in it, since other methods would have noise of their own; the bootstrap draws methods, comparisons
and experts. The correlation to be held is what such studies show on average, below the true one.
""",
    finding="""
With 13 methods the default and the option hold what they promise. A plain percentile interval is too narrow, as with so
few units it always is; and where a method does alike in both models, an interval that takes its two systems as
independent is too narrow by far.
""",
)
def intervals(effort: Effort) -> list[ValidityTable]:
    rows = []
    for design in DESIGNS:
        for number, true in enumerate(TRUTHS):
            held = np.zeros(4, dtype=np.int64)
            for at in range(effort.simulations):
                held += _held(design, true, np.random.SeedSequence([effort.seed, 40, number, at]))
            rows.append([design.name, f"{true:g}", *(share(int(count), effort.simulations) for count in held)])
    return [ValidityTable(COLUMNS, rows), _with_judges(effort)]


def _with_judges(effort: Effort) -> ValidityTable:
    """On simulated responses: the jackknife, and the bootstrap of methods, comparisons and experts."""
    rows = []
    for number, true in enumerate((0.0, 0.7)):
        shown, limits = np.zeros(effort.simulations), np.zeros((effort.simulations, 2, 2))
        for at in range(effort.simulations):
            source = np.random.SeedSequence([effort.seed, 41, number, at])
            scores, judged = judged_study(true, np.random.default_rng(source))
            metric, units = {"metric": scores}, JUDGED.units
            (jackknife,) = jackknife_intervals(metric, judged.fractions(), units=units, coefficients=["pearson"])
            (drawn,) = correlation_intervals(
                metric, judged, units=units, coefficients=["pearson"], n_resamples=RESAMPLES, seed=stream(source, 0)
            )
            shown[at] = jackknife.value
            limits[at] = (jackknife.low, jackknife.high), (drawn.interval.low, drawn.interval.high)
        low, high = limits[:, :, 0], limits[:, :, 1]
        held = ((low <= shown.mean()) & (shown.mean() <= high)).sum(axis=0)
        rows.append(
            [
                f"{true:g}",
                f"{round(shown.mean(), 2) + 0.0:.2f}",
                *(share(int(count), effort.simulations) for count in held),
            ]
        )
    columns = ("true r", "shown on average", "jackknife by method", "BCa by method, comparison and expert")
    return ValidityTable(columns, rows, "With responses: methods alike (.84), models shifted.")


def judged_study(true: float, rng: np.random.Generator) -> tuple[Vector, Judgements]:
    """Scores of a metric, and the responses of a study, whose log-odds have this true correlation with the scores."""

    from scipy.special import expit

    quality, noise = JUDGED.drawn(rng), JUDGED.drawn(rng)
    systems = len(quality)
    people = rng.normal(0, 0.3, EXPERTS)
    texts = rng.normal(0, 0.5, (systems, COMPARISONS, 1))
    order = rng.random((systems, COMPARISONS, EXPERTS)).argsort(axis=2)[:, :, :EACH]
    logit = 0.4 * quality[:, None, None] - 0.5 + texts + people[order]
    chosen = (rng.random(logit.shape) < expit(logit)).astype(np.float64)
    judged = Judgements(
        systems=tuple(" / ".join(unit) for unit in JUDGED.units),
        comparison=np.tile(np.repeat(np.arange(COMPARISONS), EACH), systems),
        expert=order.ravel(),
        chosen=chosen.ravel(),
        weight=np.ones(chosen.size),
        system_starts=np.arange(systems + 1) * COMPARISONS * EACH,
        comparison_starts=np.arange(systems + 1) * COMPARISONS,
        experts=EXPERTS,
    )
    return mixed(quality, noise, true), judged


def _held(design: PlantedDesign, true: float, source: np.random.SeedSequence) -> Codes:
    """Which of the four intervals of one study contain the true correlation."""
    (scores,), target = design.drawn(np.random.default_rng(source), (true,))
    rows, units = {"metric": scores}, design.crossing
    (jackknife,) = jackknife_intervals(rows, target, units=units, coefficients=["pearson"], confidence_level=LEVEL)
    limits = [(jackknife.low, jackknife.high)]
    exchanged: tuple[Exchangeable, ...] = ("methods jointly", "within model")
    for place, exchangeable in enumerate(exchanged):
        bootstrap = CorrelationBootstrap(
            rows,
            target,
            coefficients=["pearson"],
            n_resamples=RESAMPLES,
            seed=stream(source, place),
            units=units,
            exchangeable=exchangeable,
        )
        replicates = bootstrap.plan.run()
        (found,) = bootstrap.intervals(replicates, confidence_level=LEVEL, method="bca")
        limits.append((found.interval.low, found.interval.high))
        if not place:
            low, high = np.nanquantile(replicates[:, 0, 0], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            limits.append((float(low), float(high)))
    return np.array([low <= true <= high for low, high in limits], dtype=np.int64)
