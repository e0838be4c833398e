"""Every public function of the library refuses bad arguments in a sentence that says what was passed.

Each function has a good call here, and the bad values of an argument follow from its name: a new function fails until
it has a good call, and a new argument until it has bad values.
"""

import inspect
import math
import re

import pytest

from annotations.ground.errors import HLVError
from metaeval import metrics, stats
from metaeval.stats import agreement, uncertainty

NAN, INF = math.nan, math.inf
LEVELS = [95, 0, 1, -0.5, NAN, "high", None, [0.95]]
COUNTS = [-5, 1.5, NAN, INF, "many", [3]]
WORDS = ["tau", "", 3, ["pearson"]]
SEEDS = [-1, 1.5, "lucky"]
ROW = ["abc", [["a"]], [[[1.0]]], 3.0, None, [1.0, INF, 2.0, 3.0], ["a", "b", "c", "d"]]
NO_NAN = [*ROW, [1.0, NAN, 2.0, 3.0]]
MATRIX = ["abc", 3.0, None, [], [1.0, 2.0], [[1.0, 2.0], [3.0]], [["a", "b"], ["c", "d"]], [[INF, 0.0], [0.0, 1.0]]]
SEQUENCE = [3, None, ["only one"]]
FIVE = [0.1, 0.4, 0.3, 0.8, 0.9]
HUMAN = [[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]]
SYSTEM = [[0.6, 0.4], [0.7, 0.3], [0.1, 0.9]]
SCORES = [[3.0, 2.0, 4.0, 3.0], [1.0, 2.0, 3.0, 1.0], [2.0, 3.0, 3.0, 2.0], [1.0, 1.0, 2.0, 2.0]]
OTHERS = [[3.0, 1.0, 4.0, 2.0], [2.0, 2.0, 3.0, 1.0], [1.0, 3.0, 3.0, 1.0], [1.0, 2.0, 2.0, 2.0]]
VOTES = agreement.Annotations.from_matrix([[1, 2, 1, 2], [1, 2, 1, 1], [1, 2, 2, 2]])
MODEL = agreement.Annotations.from_matrix([[1, 2, 1, 1]])
SETS = agreement.SetAnnotations.from_columns([1, 1, 2, 2], None, [{"a"}, {"a", "b"}, set(), {"b"}])
JUDGED = stats.Judgements.of(system="AABB", comparison=[1, 2, 3, 4], expert="xyxy", chosen=[1, 0, 1, 1])
OUTCOMES = stats.PairwiseOutcomes.of([[0, 2, 1], [1, 0, 1], [1, 2, 0]])
DESIGN = stats.StudyDesign(systems=8, instances=4, experts_per_comparison=2, experts=4, correlation=0.7)
TRUTH = [{"a": 1, "b": 0}, {"a": 0}]

P_AND_Q = {"P": HUMAN, "Q": SYSTEM}
PAIR_OF_ROWS = {"first": FIVE, "second": FIVE[::-1]}
THREE_ROWS = {**PAIR_OF_ROWS, "target": [1.0, 3.0, 2.0, 5.0, 4.0]}
THREE_TABLES = {"first": SCORES, "second": OTHERS, "judgements": SCORES[::-1], "n_resamples": 20}

GOOD = {
    stats: {
        "attainable_p": {
            "shared": None,
            "systems": 8,
            "n_resamples": 99,
            "alternative": "two-sided",
            "two_sided": "double",
        },
        "benjamini_hochberg": {"p_values": FIVE},
        "blinding_index": {"right": 3, "wrong": 2, "unsure": 1},
        "bootstrap_comparison": THREE_TABLES,
        "bootstrap_correlation": {"metric": SCORES, "judgements": OTHERS, "n_resamples": 20},
        "bootstrap_interval": {"replicates": FIVE},
        "calibrate_ties": {"judgements": FIVE, "metric": FIVE},
        "correlation": {"x": FIVE, "y": FIVE[::-1]},
        "correlation_intervals": {"scores": {"m": FIVE}, "target": FIVE[::-1], "n_resamples": 20},
        "correlation_tests": {"scores": {"m": FIVE}, "target": FIVE[::-1], "n_resamples": 20},
        "guessed_blinding": {"expert": "xxy", "guess": ["A", "B", "A"], "guess_right": [True, False, True]},
        "holm": {"p_values": FIVE},
        "jackknife_intervals": {"scores": {"m": FIVE}, "target": FIVE[::-1]},
        "leaderboard": {"tables": {"t": {"a": FIVE, "b": FIVE[::-1]}}, "baseline": "a"},
        "mean_ranks": {"values": SCORES, "lower": [True] * 4, "last": [[False] * 4] * 4, "absent": [[False] * 4] * 4},
        "paired_correlation_test": {**THREE_ROWS, "n_resamples": 20},
        "pairwise_accuracy": {"judgements": FIVE, "metric": FIVE},
        "pairwise_p_values": {"scores": SCORES, "n_resamples": 20},
        "permutation_comparison": THREE_TABLES,
        "plain": {"value": 1},
        "position_bias": {"expert": "xxy", "a_chosen": [1, 0, 1], "b_chosen": [0, 1, 0], "n_resamples": 20},
        "power": {"design": DESIGN, "n_resamples": 2, "n_test_resamples": 39},
        "power_curve": {"design": DESIGN, "correlations": [0.5], "n_resamples": 2, "n_test_resamples": 39},
        "preference_variance": {"judged": JUDGED},
        "rank_by_fraction": {"judgements": JUDGED, "n_resamples": 20},
        "rank_by_outcomes": {"outcomes": OUTCOMES, "method": "bradley_terry", "n_resamples": 20},
        "regression_line": {"x": FIVE, "y": FIVE[::-1]},
        "self_consistency": {"expert": "xxy", "question": [1, 1, 2], "answer": "AAB"},
        "soft_pairwise_accuracy": {"judgements": SCORES, "metric": OTHERS, "n_resamples": 20},
        "strengths": {"outcomes": OUTCOMES, "method": "bradley_terry"},
        "tie_calibrated_comparison": {**THREE_TABLES},
        "to_frame": {"results": stats.wilcoxon(FIVE), "index": ["alternative"]},
        "unrankable_because": {"names": ["a", "b"], "beats": [[0, 1], [1, 0]]},
        "wilcoxon": PAIR_OF_ROWS,
        "wilcoxon_clusters": {"scores": {"a": FIVE, "b": FIVE[::-1]}},
        "williams": {"r12": 0.3, "r13": 0.2, "r23": 0.1, "n": 25},
        "williams_test": THREE_ROWS,
        "wilson_interval": {"successes": 8, "n": 10},
        "within_correlation": {"x": FIVE, "y": FIVE[::-1], "parts": "AABBB"},
    },
    agreement: {
        "agreement_with_rest": {"annotations": VOTES, "person": 0},
        "cohen_kappa": {"first": [1, 2, 1], "second": [1, 2, 2]},
        "cohen_kappas": {"annotations": VOTES},
        "fleiss_kappa": {"annotations": VOTES},
        "intraclass_correlation": {"ratings": SCORES},
        "krippendorff_alpha": {"annotations": VOTES},
        "label_variation": {"annotations": VOTES},
        "mean_binary_alpha": {"annotations": SETS},
        "pairwise_agreement": {"annotations": VOTES},
        "percentage_agreement": {"annotations": VOTES},
        "randolph_kappa": {"annotations": VOTES},
    },
    uncertainty: {
        "binned_jsd": {"human": VOTES, "machine": MODEL},
        "first_given": {"annotations": VOTES},
        "jensen_shannon": {"p": [0.5, 0.5], "q": [0.2, 0.8]},
        "paired": {"human": VOTES, "machine": MODEL},
        "partitions_by_agreement": {"annotations": VOTES},
        "partitions_by_labels": {"annotations": VOTES},
        "random_labeller": {"human": VOTES},
        "side_by_side": {"annotations": VOTES, "first": [0, 1, 0, 0], "second": [0, 0, 0, 1]},
        "simulated_curve": {"items": 5, "annotators": 3, "labels": 2, "shares": [0.5], "n_resamples": 2},
        "stratified_table": {"human": VOTES, "machine": MODEL},
        "subset_curve": {"human": VOTES, "machine": MODEL, "shares": [0.5], "size": 2, "n_resamples": 2},
        "typical_labels": {"annotations": VOTES},
        "typical_shares": {"annotations": VOTES, "typical": [0, 1, 0, 1]},
    },
    metrics: {
        "available": {"task": "multiclass"},
        "annotation_metrics": {},
        "best_temperature": {"P": HUMAN, "logits": SYSTEM, "grid": [1.0, 2.0]},
        "checked_task": {"task": "multiclass"},
        "class_table": {**P_AND_Q, "task": "multiclass"},
        "compare_errors": {
            "reference": metrics.error_histogram(FIVE, bins=2),
            "other": metrics.error_histogram(FIVE, bins=2),
        },
        "compute": {**P_AND_Q, "task": "multiclass"},
        "defaults": {"task": "multiclass"},
        "error_histogram": {"errors": FIVE},
        "error_rate": {"truth": TRUTH, "predicted": TRUTH},
        "get": {"name": "po_jsd"},
        "mean_soft_label": {"P": HUMAN, "task": "multiclass"},
        "metric": {"title": "T", "tasks": metrics.MULTICLASS, "source": "S", "works_per_item": True},
        "metric_relationship": {"alpha": 1.0, "beta": 1.0, "labels": 3, "pairs": 2, "instances": 4},
        "most_frequent_labels": {"train": TRUTH},
        "multilabel_error_rate": {"truth": [{"a": [1, 0]}], "predicted": [{"a": [1, 1]}]},
        "normalised_absolute_distance": {"truth": TRUTH, "predicted": TRUTH, "S": 5},
        "per_item": {**P_AND_Q, "task": "multiclass", "name": "soft_accuracy"},
        "predict_most_frequent": {"train": TRUTH, "items": [["a"]]},
        "predict_random": {"labels": ["x", "y"], "items": [["a"]]},
        "random_soft_labels": {"instances": 2, "labels": 3, "task": "multiclass"},
        "resampled_humans": {"votes": [[10, 0], [5, 5]], "size": 5},
        "select": {"task": "multiclass", "names": ["po_jsd"]},
        "temperature_scaled": {"logits": SYSTEM, "temperature": 2.0},
        "undefined": {"reason": "why"},
    },
}
"""A valid call of each function. Metrics of P and Q need none: they share one."""


def alike(names, values):
    return {name: values for name in names}  # noqa: C420 - read only


BAD = {
    **alike(("confidence_level", "alpha"), LEVELS),
    **alike(("n_resamples", "n_test_resamples"), COUNTS),
    **alike(("coefficient", "alternative", "two_sided", "zero_method", "null", "positions"), WORDS),
    **alike(("missing_places", "missing", "method", "correlation_level", "ties", "distance"), WORDS),
    **alike(("weighting", "pooling", "form", "scale", "median", "uncertain", "align", "sets", "task", "absent"), WORDS),
    **alike(("seed", "rng"), SEEDS),
}
BAD |= {
    # numbers
    **alike(("n", "right", "wrong", "unsure"), [-1, NAN, "ten", None]),
    **alike(("successes",), [-1, 12, NAN, "ten", None]),
    **alike(("r12", "r13", "r23"), [2, -1.5, NAN, "high", None]),
    **alike(("threshold", "stretch"), [-1, NAN, "big", None]),
    **alike(("target_share", "accuracy"), [-0.1, 1.5, "high"]),
    **alike(("points", "bins", "systems", "labels_an_item", "size"), [-1, 0, 1.5, "x", NAN]),
    **alike(("pairs", "instances"), [-1, 0, 1.5, "x", NAN]),
    **alike(("prior", "temperature", "S"), [0, -1, NAN, "big", None]),
    **alike(("beta",), [0, -1, NAN, INF, "big"]),
    **alike(("base",), [0, 1, -2, NAN, "e"]),
    **alike(("zero_division",), ["warn", 2, -1, INF, None]),
    "observed": ["high", [1, 2], None],
    "person": [-1, 7, 1.5, "Ann"],
    "span": [(1, 0), (0, NAN), "ab", 3, (0, 1, 2)],
    "minimum": [-1, 1.5, "two"],
    "shares": [[2.0], [-1], "ab", 3, [NAN]],
    "correlations": [[0.5, 0.2], [2.0], [NAN], "ab", 3],
    "grid": [[], [0.0], [NAN], "ab", 3],
    # rows of values
    **alike(("x", "y"), NO_NAN),
    **alike(("first", "second"), ROW),
    "target": ROW,
    "replicates": ["abc", [[1.0]], 3.0, None, [INF, 1.0], ["a", "b"]],
    "jackknife": ["abc", [[1.0]], 3.0, ["a"]],
    "p_values": ["abc", [[0.1], [0.2]], [2.0], [-0.1], 0.5, None, [INF], ["a"]],
    "errors": ["abc", [[0.1]], [NAN], [2.0], [], 0.5, None, ["a"]],
    "p": ["ab", [[0.5, 0.5]], [NAN, 1.0], [0.7, 0.7], [-1.0, 2.0], [], 3, [1.0]],
    "scores": [3, None, "abc", {"m": "abc"}, {"m": [[1.0]]}, {"m": [1.0]}, {"m": ["a", "b", "c", "d", "e"]}],
    "tables": [3, None, "abc", {"t": 3}, {"t": {"a": "abc"}}, {"t": {"a": [NAN]}}],
    "grouping": MATRIX,
    **alike(("judgements", "metric", "values", "ratings"), MATRIX),
    **alike(("lower", "last"), [3, [True], "abc"]),
    "beats": [3, "ab", [1, 0], [[1, 0]], [["a", "b"], ["c", "d"]]],
    "votes": [3, "ab", [1, 2], [[1.5, 2]], [[-1, 9]], [[NAN, 9]], [], [["a", "b"]], [[1, 0]]],
    **alike(("P", "Q"), [3, None, "ab", [], [0.5, 0.5], [[NAN, 1.0]], [[0.7, 0.7]], [[1.5, -0.5]], [["a", "b"]]]),
    "logits": [3, None, "ab", [], [0.5, 0.5], [[NAN, 1.0]], [["a", "b"]], [[-INF, -INF]]],
    # sequences of anything
    **alike(("expert", "question", "answer", "guess", "guess_right", "a_chosen", "b_chosen"), SEQUENCE),
    "parts": [3, None, "AB"],
    "names": [3, "ab"],
    **alike(("truth", "predicted"), [3, None, "ab", [3], [{"z": 1}], [[1], [2]]]),
    "train": [3, None, "ab", [3], [[1, 2]]],
    "typical": [3, "ab", [0], [0, 1, 0, 9], [0.5] * 4],
    # the library's own types
    **alike(("human", "machine"), [3, None, "ab", SETS]),
    "annotations": [3, "ab", [1, 2, 3], {"a": 1}],
    "judged": [3, None, [1, 2]],
    "outcomes": [3, None, "ab", [[1, 2, 3]], [["a", "b"]], [[0, -1], [1, 0]], [(0, 1, 2)]],
    "design": [3, None, "ab"],
    "shared": [3, "ab"],
    **alike(("reference", "other"), [3, None, [0.5, 0.5]]),
    "bootstrap": [3, "ab"],
    "results": [3, "ab", [1, 2]],
    "index": [3, "ab", ["no such field"]],
    "name": ["no_such_metric", 3, None],
    "tasks": [3, "multiclass", {"other"}],
}
BAD_FOR = {
    ("correlation_intervals", "method"): WORDS,
    ("metric_relationship", "alpha"): [0, -1, NAN, INF, "big"],
    ("metric_relationship", "labels"): [0, 1, 1.5, "many"],
    ("metric_relationship", "metrics"): [["no_such"], "po_jsd", 3],
    ("random_soft_labels", "labels"): [0, 1, 1.5, "many"],
    ("simulated_curve", "items"): COUNTS,
    ("simulated_curve", "annotators"): COUNTS,
    ("simulated_curve", "labels"): COUNTS,
    ("randolph_kappa", "labels"): WORDS,
    ("power_curve", "target"): [0, 2, NAN, "high"],
    ("jensen_shannon", "q"): BAD["p"],
    ("compute", "Q"): [*BAD["Q"], {"a": [[0.5, 0.5]]}],
    ("compute", "metrics"): [["no_such"], "po_jsd", 3],
    ("select", "names"): [["no_such"], "po_jsd", 3],
    ("best_temperature", "metric"): ["no_such", 3],
    ("bootstrap_correlation", "metric"): MATRIX,
    ("mean_ranks", "absent"): [3, [True], "abc"],
    ("pairwise_p_values", "scores"): [*MATRIX, [[NAN, 1.0], [1.0, 2.0]]],
    ("position_bias", "a_chosen"): [*SEQUENCE, ["yes", "no", "yes"], [2, 0, 1], [NAN, 0, 1]],
    ("predict_random", "labels"): [3, None, [], "", 1.5],
    ("predict_random", "items"): [3, [3]],
    ("predict_most_frequent", "items"): [3, [3]],
    ("cohen_kappas", "least_common"): COUNTS,
    ("cohen_kappa", "first"): [3, None, [1]],
    ("cohen_kappa", "second"): [3, None, [1]],
    ("cohen_kappa", "labels"): [3, [1], [1, 1, 2]],
    ("side_by_side", "first"): BAD["typical"],
    ("side_by_side", "second"): BAD["typical"],
    ("correlation_tests", "target"): [*ROW, [1.0]],
    ("calibrate_ties", "judgements"): ROW,
    ("calibrate_ties", "metric"): ROW,
    ("pairwise_accuracy", "judgements"): ROW,
    ("pairwise_accuracy", "metric"): ROW,
    ("rank_by_fraction", "judgements"): [3, None, [1, 2]],
    ("agreement_with_rest", "annotations"): [3, "ab", {"a": 1}],
    ("mean_binary_alpha", "annotations"): [3, "ab", {"a": 1}],
    ("wilcoxon", "first"): NO_NAN,
    ("wilcoxon", "second"): [bad for bad in NO_NAN if bad is not None],
    ("wilcoxon_clusters", "scores"): [*BAD["scores"][:3], {"m": "abc"}, {"m": [[1.0]]}, {"m": [NAN]}, {"m": []}],
}
ANYTHING = {
    "progress",
    "constant",
    "undefined_because",
    "centred",
    "higher_is_better",
    "needs_baseline",
    "never_missing",
    "baseline",
    "squared",
    "value",
    "reason",
    "half",
    "zeros",
    "partitions",
    "coefficients",
    "over",
    "units",
    "exchangeable",
    "systems",
    "labels",
    "title",
    "source",
    "works_per_item",
    "default_for",
    "orientation",
    "range",
    "reads",
    "target_name",
    "items",
    "bounds",
    "hinge",
    "expected",
}
"""Arguments that cannot be wrong, or whose wrong values have separate tests."""


def evaluated(name, function):
    """The good call; that of a metric of P and Q is the same for all."""
    for library, calls in GOOD.items():
        if name in library.__all__ and name in calls:
            return calls[name]
    if list(inspect.signature(function).parameters)[:2] == ["P", "Q"]:
        entry = next((entry for entry in metrics.available() if entry.name == name), None)
        if entry is not None:
            task = (
                "multiclass" if "multiclass" in entry.tasks else "ordinal" if "ordinal" in entry.tasks else "multilabel"
            )
            return {**P_AND_Q, "task": task}
        return P_AND_Q
    pytest.fail(f"{name} has no good call in this test")
    return None


FUNCTIONS = {
    name: getattr(library, name)
    for library in (metrics, stats, agreement, uncertainty)
    for name in library.__all__
    if inspect.isfunction(getattr(library, name))
}


def bad_values(name, argument):
    return BAD_FOR.get((name, argument), BAD.get(argument))


CASES = [
    (name, argument, number, bad)
    for name, function in FUNCTIONS.items()
    for argument in inspect.signature(function).parameters
    if argument not in ANYTHING or (name, argument) in BAD_FOR
    for number, bad in enumerate(bad_values(name, argument) or [])
]


def test_every_function_has_a_good_call_and_every_argument_bad_ones():
    without = []
    for name, function in FUNCTIONS.items():
        function(**evaluated(name, function))
        arguments = inspect.signature(function).parameters
        without += [(name, it) for it in arguments if it not in ANYTHING and not bad_values(name, it)]
    assert without == []


def test_a_bad_argument_is_refused_in_a_sentence():
    assert len(CASES) > 2400
    answers = [(f"{name}-{argument}-{number}", answer(name, argument, bad)) for name, argument, number, bad in CASES]
    assert [(case, wrong) for case, wrong in answers if wrong] == []


def answer(name, argument, bad):
    """What is wrong with how a function answers to a bad argument; None if nothing is."""
    function = FUNCTIONS[name]
    try:
        function(**{**evaluated(name, function), argument: bad})
    except (ValueError, TypeError, HLVError) as refused:
        is_clear = "expected" in str(refused) or re.search(rf"\b{argument}\b", str(refused))
        return None if is_clear else f"it does not name the argument: {refused}"
    except Exception as error:  # so that the other cases are told, too
        return repr(error)
    return "it was not refused"
