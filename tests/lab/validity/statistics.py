"""Do tests and intervals keep their promises? Simulated studies with a known truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, stdtrit

from annotations.ground.arrays import Codes, Counts, Mask, Matrix, Vector
from annotations.ground.units import EXCHANGEABLE, Exchangeable, count_permutations, default_exchangeable, smallest_p
from metaeval.sampling import stream
from metaeval.stats import (
    CorrelationBootstrap,
    Judgements,
    PairedUnits,
    PermutationPlan,
    SharedUnits,
    correlation_intervals,
    jackknife_intervals,
    permutation_comparison,
    williams_test,
)
from metaeval.stats import wilcoxon_clusters as clusters_of
from metaeval.stats.power.planned import mixed
from tests.lab.validity.planted import (
    PlantedDesign,
    crossed_studies,
    jackknife_errors,
    pearson_of_studies,
    without_each_method,
)
from tests.lab.validity.sections import Effort, Table, section, share

ALPHA, PERMUTATIONS = 0.05, 999
TRUTHS = (0.0, 0.4, 0.7)
PLANTED, STRONG = 0.6, 0.8
SMALLEST_P = "The smallest two-sided p-value that there can be, with 9,999 permutations or all there are."

EXCHANGED_DESIGNS = (
    PlantedDesign("one model, 13 methods"),
    PlantedDesign("2 models x 13 methods, nothing alike", models=2),
    PlantedDesign("2 x 13, models shifted", models=2, shift=1.0),
    PlantedDesign("2 x 13, methods alike (.84)", models=2, likeness=0.84),
    PlantedDesign("2 x 13, both", models=2, likeness=0.84, shift=1.0),
    PlantedDesign("2 x 13, both, one hole", models=2, likeness=0.84, shift=1.0, holes=((1, 12),)),
    PlantedDesign("2 models with 13 methods each of their own, shifted", models=2, nested=True, shift=1.0),
    PlantedDesign("one model, 13 methods, 3 runs each", runs=3),
    PlantedDesign("one model, 4 methods, 3 runs each", methods=4, runs=3),
    PlantedDesign("4 models x 4 methods, methods alike (.4)", models=4, methods=4, likeness=0.4),
    PlantedDesign("4 x 4, methods alike (.84)", models=4, methods=4, likeness=0.84),
    PlantedDesign("4 x 4, alike (.84) and shifted", models=4, methods=4, likeness=0.84, shift=1.0),
    PlantedDesign("4 x 4, alike and shifted, one hole", models=4, methods=4, likeness=0.84, shift=1.0, holes=((3, 3),)),
)


@section(
    title="What may change places: false findings and power",
    about=f"""
A metric and the preference fractions of simulated systems have a true correlation within models of 0 (first table),
{PLANTED} (second) or {STRONG} (third). Models are *shifted* by independent normal amounts with the standard deviation
that methods have within a model; methods are *alike* if their values in two models correlate, at .84 where nothing
else is said; runs of one method do so at .9. Each study is tested as a real one is (Pearson, two-sided, {PERMUTATIONS}
permutations or all there are). A dash: nothing can change places. The default that follows from the systems' names is
in bold.
""",
    finding="""
Exchanging systems freely is right where systems share nothing. Shifted models, methods that are alike in several
models, and runs that are counted as systems each make it find what is not there, several times as often as promised.
Four methods alone can never give a p-value below .05, which is why models and methods are exchanged there. Where models
are shifted, that costs power, because the coefficient over all systems is what is tested then; a study with six methods
or more has the test within models.
""",
)
def unit_of_analysis(effort: Effort) -> list[Table]:
    rejected = {design: rejections(design, effort) for design in EXCHANGED_DESIGNS}
    captions = (
        "True correlation 0: how often something is found (should be 5).",
        f"True correlation {PLANTED}: how often it is found.",
        f"True correlation {STRONG}: how often it is found.",
    )
    tables = [
        Table(
            ("design", *EXCHANGEABLE),
            [
                [design.name, *_rejected_shares(design, rejected[design][:, at].tolist(), effort)]
                for design in EXCHANGED_DESIGNS
            ],
            caption,
        )
        for at, caption in enumerate(captions)
    ]
    return [*tables, Table(("design", *EXCHANGEABLE), _smallest_ps(), SMALLEST_P)]


def rejections(design: PlantedDesign, effort: Effort, choices: Sequence[Exchangeable] = EXCHANGEABLE) -> Counts:
    """How many studies each choice rejects (choices, 3): with no, the planted and the strong correlation.

    -1 if nothing can be exchanged, or if the choice is not requested.
    """
    crossing, root = design.crossing, np.random.SeedSequence([effort.seed, len(design.cells), design.models])
    possible = [choice for choice in choices if count_permutations(crossing, choice) > 1]
    rejected: Counts = np.full((len(EXCHANGEABLE), 3), -1)
    rejected[[EXCHANGEABLE.index(choice) for choice in possible]] = 0
    for number in range(effort.simulations):
        source = stream(root, number)
        scores, target = design.drawn(np.random.default_rng(source), (0.0, PLANTED, STRONG))
        for choice in possible:
            tests = PermutationPlan(
                {str(at): row for at, row in enumerate(scores)},
                target,
                coefficients=["pearson"],
                n_resamples=PERMUTATIONS,
                seed=stream(source, 0),
                units=crossing,
                exchangeable=choice,
            ).run()
            rejected[EXCHANGEABLE.index(choice)] += [test.pvalue <= ALPHA for test in tests]
    return rejected


def _rejected_shares(design: PlantedDesign, rejected: Sequence[int], effort: Effort) -> list[str]:
    default = default_exchangeable(design.crossing)
    texts = ["–" if count < 0 else share(count, effort.simulations) for count in rejected]
    return [f"**{text}**" if choice == default else text for choice, text in zip(EXCHANGEABLE, texts, strict=True)]


def _smallest_ps() -> list[list[str]]:
    shown = [PlantedDesign(f"2 models x {methods} methods", models=2, methods=methods) for methods in (4, 5, 6, 13)]
    shown += [PlantedDesign("4 x 4", models=4, methods=4), PlantedDesign("3 x 4", models=3, methods=4)]
    return [
        [design.name, *(f"{smallest_p(design.crossing, choice, permutations=9999):.4f}" for choice in EXCHANGEABLE)]
        for design in shown
    ]


TESTED_DESIGN = PlantedDesign("", models=2, likeness=0.84)
APART = 2.0
"""How much the models differ in both the metric and the preferences, in standard deviations within a model."""

UNRELATED = 5
"""Unrelated metrics beside the planted one, for max-T."""


@section(
    title="The coefficient that is tested",
    about=f"""
Two models with 13 methods each (alike in both, .84), methods exchanged jointly. One model is better by {APART:g}
standard deviations in the preferences, and higher by as much in all metrics, so that the models alone make a metric
look good over all systems. Within models the true correlation of one metric is 0, −.6 or .6. Tested by magnitude: its
coefficient within models, and, for comparison, the one over all systems under the same permutations, whose mean is far
from 0. Max-T: the family-wise test of that metric beside {UNRELATED} that follow nothing.
""",
    finding="""
Under permutations that leave the models where they are, the coefficient over all systems keeps what the models' means
have in common. A correlation within models that goes against them is then not found by its magnitude, however strong;
one that goes along with them is found a little more often, since only that side is asked about, unknown to the reader.
So the coefficient within models is what is tested, in every column of a result; the one over all systems is shown
beside it and gets no star.
""",
)
def tested_statistic(effort: Effort) -> list[Table]:
    rows = []
    for number, true in enumerate((0.0, -PLANTED, PLANTED)):
        rejected = np.zeros(4, dtype=np.int64)
        for at in range(effort.simulations):
            rejected += _tested_study(true, np.random.SeedSequence([effort.seed, 20, number, at]))
        rows.append([f"{true:g}".replace("-", "−"), *(share(int(count), effort.simulations) for count in rejected)])
    columns = ("true r within models", "within, magnitude", "overall, magnitude", "within, max-T", "overall, max-T")
    return [Table(columns, rows)]


def _tested_study(true: float, source: np.random.SeedSequence) -> Codes:
    """Whether one study finds it by each of the four tests."""
    rng = np.random.default_rng(source)
    scores, target = TESTED_DESIGN.drawn(rng, (true, *[0.0] * UNRELATED))
    better = APART * np.array([float(model) for model, _ in TESTED_DESIGN.cells])
    scores, target = scores + better, target + better
    tests = PermutationPlan(
        {str(row): values for row, values in enumerate(scores)},
        target,
        coefficients=["pearson"],
        n_resamples=PERMUTATIONS,
        two_sided="magnitude",
        seed=stream(source, 0),
        units=TESTED_DESIGN.crossing,
        exchangeable="methods jointly",
    ).run()
    overall, family = overall_by_magnitude(scores, target, np.random.default_rng(stream(source, 1)))
    p_values = (tests[0].pvalue, overall, tests[0].p_family, family)
    return np.array([p <= ALPHA for p in p_values], dtype=np.int64)


def overall_by_magnitude(scores: Matrix, target: Vector, rng: np.random.Generator) -> tuple[float, float]:
    """p of |r| over all systems for the first metric, alone and by single-step max-T with the others, exchanging whole
    methods: what this project does not do."""
    methods = np.array([method for _, method in TESTED_DESIGN.cells])
    models = np.array([model for model, _ in TESTED_DESIGN.cells])
    orders = np.argsort(rng.random((PERMUTATIONS, TESTED_DESIGN.methods)), axis=1)
    places = models * TESTED_DESIGN.methods + orders[:, methods]
    x, y = (values - values.mean(axis=-1, keepdims=True) for values in (scores, target))
    x, y = x / np.linalg.norm(x, axis=-1, keepdims=True), y / np.linalg.norm(y)
    null, observed = np.abs(y[places] @ x.T), abs(float(x[0] @ y))
    own, largest = ((values >= observed - 1e-12).sum() for values in (null[:, 0], null.max(axis=1)))
    return (1 + int(own)) / (1 + PERMUTATIONS), (1 + int(largest)) / (1 + PERMUTATIONS)


MODELS, METHODS = 2, 13
LIKENESS = 0.84
EXCHANGES = 499
TWO_METRICS_COLUMNS = (
    "true r of both",
    "jackknife of arctanh r (the default)",
    "jackknife of r",
    "whole methods exchanged",
    "single systems exchanged",
    "Williams",
)


@section(
    title="Two metrics compared",
    about=f"""
Two metrics with the same true correlation with the preferences, {MODELS} models x {METHODS} methods, a method's values
alike in both models (.84) or not: how often a difference is found that is not there (5%, two-sided; {EXCHANGES}
exchanges). The jackknife leaves out one method at a time.
""",
    finding="""
Williams' test and exchanging single systems take systems as independent, and see differences that are not there where a
method does alike in two models; they stay in results as published and support no sentence. The error of a difference of
correlations depends on the correlations themselves, so that the jackknife of r rejects too often near 0 and too rarely
where both are high; that of arctanh r does not, which is why it is the default.
""",
)
def two_metrics(effort: Effort) -> list[Table]:
    units = [(f"model {model}", f"method {method}") for model in range(MODELS) for method in range(METHODS)]
    tables = []
    for place, likeness in enumerate((LIKENESS, 0.0)):
        rows = []
        for number, true in enumerate(TRUTHS):
            source = np.random.SeedSequence([effort.seed, 30, place, number])
            rng = np.random.default_rng(source)
            shape = (effort.simulations, MODELS, METHODS)
            target, (first, second) = crossed_studies(rng, shape, r=(true, true), likeness=likeness, shift=0.0)
            by_jackknife = [jackknifed(first, second, target, fisher=fisher) for fisher in (True, False)]
            tested = [
                _compared(first[at].ravel(), second[at].ravel(), target[at].ravel(), units, stream(source, at))
                for at in range(effort.simulations)
            ]
            counts = [int(mask.sum()) for mask in (*by_jackknife, *np.array(tested).T)]
            rows.append([f"{true:g}", *(share(count, effort.simulations) for count in counts)])
        alike = f"Methods alike in both models (.{round(100 * likeness)})." if likeness else "Methods not alike."
        tables.append(Table(TWO_METRICS_COLUMNS, rows, alike))
    return tables


def jackknifed(first: Matrix, second: Matrix, target: Matrix, *, fisher: bool) -> Mask:
    """Which studies find a difference with the jackknife: (studies,)."""
    methods = target.shape[2]

    def scale(r: Matrix) -> Matrix:
        scaled: Matrix = np.arctanh(r) if fisher else r
        return scaled

    difference = scale(pearson_of_studies(first, target)) - scale(pearson_of_studies(second, target))
    without = scale(without_each_method(first, target)) - scale(without_each_method(second, target))
    beyond: Mask = np.abs(difference) > stdtrit(methods - 1, 1 - ALPHA / 2) * jackknife_errors(without)
    return beyond


def _compared(
    first: Matrix, second: Matrix, target: Matrix, units: list[tuple[str, str]], source: np.random.SeedSequence
) -> tuple[bool, bool, bool]:
    """Whether a study finds a difference by exchanging methods, by exchanging systems, and by Williams' test."""
    paired = PairedUnits(first, second, target, units=units)
    by_method = paired.result(paired.permutation_plan(n_resamples=EXCHANGES, seed=source).run()).p_exchange
    columns = (row[:, np.newaxis] for row in (first, second, target))
    by_system = permutation_comparison(*columns, method="systems", n_resamples=EXCHANGES, seed=source).pvalue
    return by_method <= ALPHA, by_system <= ALPHA, williams_test(first, second, target).pvalue <= ALPHA


LEVEL, RESAMPLES = 0.95, 500
COMPARISONS, EACH, EXPERTS = 28, 4, 28
JUDGED = SharedUnits(
    tuple((model, f"method {method}") for model in ("A", "B") for method in range(13)), likeness=0.84, model_spread=1.0
)
INTERVAL_DESIGNS = (
    PlantedDesign("methods alike (.84), models shifted", models=2, likeness=0.84, shift=1.0),
    PlantedDesign("the same, one hole", models=2, likeness=0.84, shift=1.0, holes=((1, 12),)),
    PlantedDesign("methods not alike, models shifted", models=2, shift=1.0),
)
INTERVALS_COLUMNS = (
    "2 models x 13 methods",
    "true r within models",
    "jackknife by method (the default)",
    "BCa by method (the option)",
    "plain percentile by method",
    "BCa by single systems",
)


@section(
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
def intervals(effort: Effort) -> list[Table]:
    rows = []
    for design in INTERVAL_DESIGNS:
        for number, true in enumerate(TRUTHS):
            held = np.zeros(4, dtype=np.int64)
            for at in range(effort.simulations):
                held += _containing(design, true, np.random.SeedSequence([effort.seed, 40, number, at]))
            rows.append([design.name, f"{true:g}", *(share(int(count), effort.simulations) for count in held)])
    return [Table(INTERVALS_COLUMNS, rows), _with_judges(effort)]


def _with_judges(effort: Effort) -> Table:
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
    return Table(columns, rows, "With responses: methods alike (.84), models shifted.")


def judged_study(true: float, rng: np.random.Generator) -> tuple[Vector, Judgements]:
    """Scores of a metric, and the responses of a study, whose log-odds have this true correlation with the scores."""
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


def _containing(design: PlantedDesign, true: float, source: np.random.SeedSequence) -> Codes:
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
        (bca,) = bootstrap.intervals(replicates, confidence_level=LEVEL, method="bca")
        limits.append((bca.interval.low, bca.interval.high))
        if not place:
            low, high = np.nanquantile(replicates[:, 0, 0], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            limits.append((float(low), float(high)))
    return np.array([low <= true <= high for low, high in limits], dtype=np.int64)


ITEMS = 200
EQUAL_SYSTEMS = (2, 3, 6, 10)
ITEM_CORRELATIONS = (0.0, 0.8)


@section(
    title="Clusters of a leaderboard",
    about=f"""
Systems that are equally good, {ITEMS} items each with normal scores that correlate between systems (0 or .8, since
the items are the same): in how many tables the rule of LeWiDi-2025 (sorted by mean; Wilcoxon's test of each against
the best of its cluster, p < .05) opens a second cluster.
""",
    finding="""
With two systems the rule is a test at 5%. With more, the best one is best by chance, everyone is compared with it, and
of tables with six systems that are all alike more than a third are split. That belongs to the rule as published: a new
cluster is no proof of a difference.
""",
)
def wilcoxon_clusters(effort: Effort) -> list[Table]:
    rows = []
    for systems in EQUAL_SYSTEMS:
        cells = []
        for place, alike in enumerate(ITEM_CORRELATIONS):
            root = np.random.SeedSequence([effort.seed, 50, systems, place])
            split = sum(_is_split(systems, alike, stream(root, at)) for at in range(effort.simulations))
            cells.append(share(split, effort.simulations))
        rows.append([f"{systems} systems", *cells])
    columns = ("all alike", *(f"scores correlate at {alike:g}" for alike in ITEM_CORRELATIONS))
    return [Table(columns, rows)]


def _is_split(systems: int, alike: float, source: np.random.SeedSequence) -> bool:
    rng = np.random.default_rng(source)
    own, shared = rng.normal(size=(systems, ITEMS)), rng.normal(size=ITEMS)
    scores = np.sqrt(alike) * shared + np.sqrt(1 - alike) * own
    return clusters_of({str(row): values for row, values in enumerate(scores)})[-1].cluster > 1
