"""How often each test distinguishes two metrics that agree equally with the preferences."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Mask, Matrix
from metaeval.sampling import stream
from metaeval.stats import PairedUnits, permutation_comparison, williams_test
from metaeval.validity.crossed_samples import (
    crossed_studies,
    jackknife_errors,
    pearson_of_studies,
    without_each_method,
)
from metaeval.validity.sections import Effort, ValidityTable, share, validity_section

MODELS, METHODS = 2, 13
LIKENESS = 0.84
TRUTHS = (0.0, 0.4, 0.7)
ALPHA, RESAMPLES = 0.05, 499
COLUMNS = (
    "true r of both",
    "jackknife of arctanh r (the default)",
    "jackknife of r",
    "whole methods exchanged",
    "single systems exchanged",
    "Williams",
)


@validity_section(
    place=30,
    title="Two metrics compared",
    about=f"""
Two metrics with the same true correlation with the preferences, {MODELS} models x {METHODS} methods, a method's values
alike in both models (.84) or not: how often a difference is found that is not there (5%, two-sided; {RESAMPLES}
exchanges). The jackknife leaves out one method at a time.
""",
    finding="""
Williams' test and exchanging single systems take systems as independent, and see differences that are not there where a
method does alike in two models; they stay in results as published and support no sentence. The error of a difference of
correlations depends on the correlations themselves, so that the jackknife of r rejects too often near 0 and too rarely
where both are high; that of arctanh r does not, which is why it is the default.
""",
)
def two_metrics(effort: Effort) -> list[ValidityTable]:
    units = [(f"model {model}", f"method {method}") for model in range(MODELS) for method in range(METHODS)]
    tables = []
    for place, likeness in enumerate((LIKENESS, 0.0)):
        rows = []
        for number, true in enumerate(TRUTHS):
            source = np.random.SeedSequence([effort.seed, 30, place, number])
            rng = np.random.default_rng(source)
            shape = (effort.simulations, MODELS, METHODS)
            target, (first, second) = crossed_studies(rng, shape, r=(true, true), likeness=likeness, shift=0.0)
            found = [jackknifed(first, second, target, fisher=fisher) for fisher in (True, False)]
            tested = [
                _tested(first[at].ravel(), second[at].ravel(), target[at].ravel(), units, stream(source, at))
                for at in range(effort.simulations)
            ]
            counts = [int(mask.sum()) for mask in (*found, *np.array(tested).T)]
            rows.append([f"{true:g}", *(share(count, effort.simulations) for count in counts)])
        alike = f"Methods alike in both models (.{round(100 * likeness)})." if likeness else "Methods not alike."
        tables.append(ValidityTable(COLUMNS, rows, alike))
    return tables


def jackknifed(first: Matrix, second: Matrix, target: Matrix, *, fisher: bool) -> Mask:
    """Which studies find a difference with the jackknife: (studies,)."""
    from scipy.special import stdtrit

    methods = target.shape[2]

    def scale(r: Matrix) -> Matrix:
        scaled: Matrix = np.arctanh(r) if fisher else r
        return scaled

    difference = scale(pearson_of_studies(first, target)) - scale(pearson_of_studies(second, target))
    without = scale(without_each_method(first, target)) - scale(without_each_method(second, target))
    beyond: Mask = np.abs(difference) > stdtrit(methods - 1, 1 - ALPHA / 2) * jackknife_errors(without)
    return beyond


def _tested(
    first: Matrix, second: Matrix, target: Matrix, units: list[tuple[str, str]], source: np.random.SeedSequence
) -> tuple[bool, bool, bool]:
    """Whether a study finds a difference by exchanging methods, by exchanging systems, and by Williams' test."""
    paired = PairedUnits(first, second, target, units=units)
    by_method = paired.result(paired.permutation_plan(n_resamples=RESAMPLES, seed=source).run()).p_exchange
    columns = (row[:, np.newaxis] for row in (first, second, target))
    by_system = permutation_comparison(*columns, method="systems", n_resamples=RESAMPLES, seed=source).pvalue
    return by_method <= ALPHA, by_system <= ALPHA, williams_test(first, second, target).pvalue <= ALPHA
