"""Every result is frozen, becomes plain JSON, and says why whenever a number is missing."""

import dataclasses
import json
import math

import numpy as np
import pytest

from metaeval import stats
from metaeval.stats import Statistic, agreement, plain, uncertainty

NAN = math.nan
NOBODY = agreement.Annotations.from_counts(np.zeros((0, 2), dtype=int))
ALONE = agreement.Annotations.from_counts([[1, 0], [0, 1]])
SAME = agreement.Annotations.from_counts([[2, 0], [3, 0]])
SETS = agreement.SetAnnotations.from_columns([1, 1], None, [{"a"}, {"a"}])
LITTLE = agreement.Bootstrap(20)
JUDGED = stats.Judgements.of(
    system=["a"] * 4, comparison=[1, 2, 3, 4], expert="xyxy", chosen=[1, 1, 1, 1], systems=["a", "b"]
)
ONE_SIDED = stats.PairwiseOutcomes.of([[0, 1], [0, 0]])
FLAT, UP = [[1, 1], [1, 1], [1, 1.0]], [[1, 2], [2, 1], [3, 4.0]]
STUDY = stats.StudyDesign(
    systems=3, instances=1, experts_per_comparison=1, experts=1, correlation=0.5, base=30, spread=0
)

UNDEFINED = {
    "correlation, constant": lambda: stats.correlation([1, 1], [1, 2]),
    "test, constant": lambda: stats.correlation_tests({"m": [1, 1, 1.0]}, [1, 2, 3.0], n_resamples=10),
    "test, one missing": lambda: stats.correlation_tests({"m": [1, NAN, 5.0]}, [1, 2, 3.0], n_resamples=10),
    "interval, constant": lambda: stats.correlation_intervals({"m": [1, 1, 1.0]}, [1, 2, 3.0], n_resamples=10),
    "interval, two systems": lambda: stats.correlation_intervals({"m": [1, 2.0]}, [1, 2.0], n_resamples=10),
    "interval, one system judged": lambda: stats.correlation_intervals({"m": [1, 2.0]}, JUDGED, n_resamples=10),
    "williams, the same metric": lambda: stats.williams(0.1, 0.1, 1.0, 10),
    "williams, constant": lambda: stats.williams_test([1, 1, 1, 1], [1, 2, 3, 4], [1, NAN, 3, 5]),
    "wilcoxon, equal": lambda: stats.wilcoxon([1, 2], [1, 2]),
    "line, constant": lambda: stats.regression_line([1, 1, 1], [1, 2, 3]),
    "soft pairwise, one system": lambda: stats.soft_pairwise_accuracy([[1, 2]], [[1, 2]]),
    "soft pairwise": lambda: stats.soft_pairwise_accuracy(UP, UP),
    "pairwise": lambda: stats.pairwise_p_values(UP),
    "ties": lambda: stats.calibrate_ties([[1.0]], [[1.0]]),
    "position, both sides": lambda: stats.position_bias("xx", [1, 0], [1, 0], n_resamples=10),
    "position, one expert said both": lambda: stats.position_bias("xy", [1, 0], [0, 0], n_resamples=10),
    "self-consistency, no repeats": lambda: stats.self_consistency("xy", [1, 2], "AA"),
    "self-consistency, one answer": lambda: stats.self_consistency("xx", [1, 1], "AA"),
    "blinding, nobody": lambda: stats.blinding_index(0, 0),
    "blinding, all unsure": lambda: stats.blinding_index(0, 0, 3),
    "guesses, nobody": lambda: stats.guessed_blinding([], [], []),
    "power, all agree": lambda: stats.power(STUDY, n_resamples=3, n_test_resamples=40),
    "ranking, one-sided": lambda: stats.rank_by_outcomes(ONE_SIDED, "bradley_terry", n_resamples=5),
    "ranking, often one-sided": lambda: stats.rank_by_outcomes(
        stats.PairwiseOutcomes.of([[0, 1], [1, 0]]), "bradley_terry", n_resamples=9
    ),
    "ranking, a system without responses": lambda: stats.rank_by_fraction(JUDGED, n_resamples=5),
    "strengths, one-sided": lambda: stats.strengths(ONE_SIDED, "davidson"),
    "strengths": lambda: stats.strengths(stats.PairwiseOutcomes.of([[0, 2], [1, 0]]), "rank_centrality"),
    "permutation, constant": lambda: stats.permutation_comparison(FLAT, UP, UP, n_resamples=10),
    "bootstrap, constant": lambda: stats.bootstrap_comparison(FLAT, UP, UP, n_resamples=10),
    "binary alphas, one label": lambda: agreement.mean_binary_alpha(SETS, bootstrap=LITTLE),
    "kappas, nothing in common": lambda: agreement.cohen_kappas(
        agreement.Annotations.from_columns([1, 2], ["x", "y"], [1, 2])
    ),
    "variation, nobody": lambda: agreement.label_variation(NOBODY),
    "strata, one label": lambda: uncertainty.stratified_table(SAME, SAME),
    "strata, nobody": lambda: uncertainty.stratified_table(NOBODY, NOBODY),
    "bins, nobody": lambda: uncertainty.binned_jsd(NOBODY, NOBODY, "nominal"),
    "bins, one label": lambda: uncertainty.binned_jsd(SAME, SAME, "nominal"),
    "curve, too few": lambda: uncertainty.subset_curve(SAME, SAME, size=3, n_resamples=2),
    **{
        f"{measure.__name__}, {name}": lambda measure=measure, votes=votes: measure(votes, bootstrap=LITTLE)
        for measure in (
            agreement.krippendorff_alpha,
            agreement.fleiss_kappa,
            agreement.randolph_kappa,
            agreement.percentage_agreement,
            agreement.pairwise_agreement,
        )
        for name, votes in (("nobody", NOBODY), ("one annotator", ALONE), ("one label", SAME))
    },
}


def unexplained(value, path="", explained=False):
    """Where a NaN stands without a reason or a note in the results around it."""
    if isinstance(value, Statistic):
        explained = explained or bool(getattr(value, "reason", "") or getattr(value, "notes", ()))
        explained = explained or bool(getattr(value, "left_out", ()))
        for field in dataclasses.fields(value):
            yield from unexplained(getattr(value, field.name), f"{path}.{field.name}", explained)
    elif isinstance(value, np.ndarray | list | tuple):
        for place, item in enumerate(value):
            yield from unexplained(item, f"{path}[{place}]", explained)
    elif isinstance(value, float) and math.isnan(value) and not explained:
        yield path


@pytest.mark.parametrize("name", UNDEFINED)
def test_a_missing_number_is_null_and_says_why(name):
    found = UNDEFINED[name]()
    assert list(unexplained(found)) == []
    json.dumps(plain(found), allow_nan=False)


def results(of=Statistic):
    for kind in of.__subclasses__():
        yield kind
        yield from results(kind)


@pytest.mark.parametrize("kind", list(results()), ids=lambda kind: kind.__name__)
def test_a_result_is_a_frozen_dataclass(kind):
    assert dataclasses.is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
