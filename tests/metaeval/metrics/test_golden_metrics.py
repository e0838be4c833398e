"""The reference results on small fixed matrices with edge rows and columns, and on real predictions."""

import json
import math

import numpy as np
import pytest

from metaeval import metrics
from metaeval.metrics import DistributionError, class_table, compute, temperature_scaled

from .conftest import SEEDS

pytestmark = pytest.mark.shared_data

GOLDEN_NAMES = {
    "accuracy": "hard_accuracy",
    "micro_f1": "hard_micro_f1",
    "macro_f1": "hard_macro_f1",
    "soft_accuracy": "soft_accuracy",
    "soft_micro_f1": "soft_micro_f1",
    "soft_macro_f1": "soft_macro_f1",
    "po_jsd": "poJSD",
    "entropy_correlation": "entropy_correlation",
}
CASES = (
    "A_multiclass_6x3",
    "B_multilabel_6x4_zero_col",
    "C_multilabel_8x5",
    "D_multiclass_8x5",
    "E_multilabel_8x5_Q_zero",
    "F_multiclass_4x3_zero_col",
    "G_multiclass_identity",
    "G_multilabel_identity",
    "H_multiclass_sub_1e-8",
    "I_multilabel_both_zero",
)
# The reference code takes logarithms of values under 1e-8 as 0; ours does not, and differs by that much.
TOLERANCES = {"H_multiclass_sub_1e-8": 1e-7}
SOFT = {"soft_micro_f1", "soft_macro_f1"}


@pytest.fixture
def cases(golden):
    return json.loads((golden / "metrics.json").read_text())["cases"]


def task_of(case):
    return "multilabel" if case["multilabel"] else "multiclass"


@pytest.mark.parametrize("name", CASES)
def test_metrics_equal_the_reference_on_the_fixed_matrices(cases, name):
    case = cases[name]
    task = task_of(case)
    for entry in metrics.available(task):
        expected = case["result"].get(GOLDEN_NAMES.get(entry.name))
        if expected is None:
            continue
        # the reference gives NaN for the soft 0/0 and 1 for the hard one: zero_division is the parameter
        zero_division = math.nan if entry.name in SOFT else 1.0
        value = entry.function(case["P"], case["Q"], task, zero_division=zero_division)
        if expected == "NaN":
            assert math.isnan(value), entry.name
            assert value.reason, entry.name
        else:
            assert value == pytest.approx(expected, abs=TOLERANCES.get(name, 1e-12)), entry.name


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("kind", "zero_division"), [("hard", 1.0), ("soft", math.nan)])
def test_the_table_of_classes_equals_the_reference(cases, name, kind, zero_division):
    case = cases[name]
    expected = case["result"][f"{kind}_prfs_P_R_F_support"]
    table = class_table(case["P"], case["Q"], task_of(case), zero_division=zero_division)
    rows = [getattr(row, kind) for row in table.rows]
    for row, *scores in zip(rows, *expected, strict=True):
        for name_of_score, score in zip(("precision", "recall", "f1", "support"), scores, strict=True):
            value = getattr(row, name_of_score)
            if score == "NaN":
                assert "0/0" in value.reason
            else:
                assert value == pytest.approx(score, abs=1e-12)


def test_a_class_nobody_uses_counts_as_one_by_default(cases):
    case = cases["F_multiclass_4x3_zero_col"]
    per_class = case["result"]["soft_prfs_P_R_F_support"][2]
    expected = np.mean([*per_class[:2], 1.0])
    value = metrics.soft_macro_f1(case["P"], case["Q"], "multiclass")
    assert value == pytest.approx(expected, abs=1e-12)


def test_a_multilabel_matrix_called_multiclass_is_refused(cases):
    case = cases["B_as_multiclass_as_coded_in_run_eval"]
    with pytest.raises(DistributionError, match=r"row 0 .*\b1\.7 \(.*\b5 .*\b1"):
        compute(case["P"], case["Q"], "multiclass")


CHAOSNLI_NAMES = {
    "accuracy": "hard_accuracy",
    "macro_f1": "hard_macro_f1",
    "soft_accuracy": "soft_accuracy",
    "soft_macro_f1": "soft_macro_f1",
    "po_jsd": "po_jsd_base2",
    "entropy_correlation": "entropy_correlation",
    "js_distance": "mean_js_distance_natural_sqrt",
    "cross_entropy": "cross_entropy_nats",
    "kl_divergence": "kl_human_model_nats",
    "tvd": "tvd",
    "manhattan_distance": "manhattan",
}


def test_metrics_equal_the_reference_on_real_predictions(golden, chaosnli_votes, chaosnli_logits):
    reference = json.loads((golden / "metrics_chaosnli_snli.json").read_text())["metrics"]
    P = chaosnli_votes / chaosnli_votes.sum(axis=1, keepdims=True)
    # from the logits in double precision: `probs` in the files are single-precision, up to 6e-9 away
    predictions = [temperature_scaled(logits, 1.0) for logits in chaosnli_logits]
    systems = {"oracle": P, "uniform": np.full_like(P, 1 / 3)}
    systems |= {f"roberta-base.seed{seed}": predictions[seed] for seed in SEEDS}
    table = compute(P, systems, "multiclass", CHAOSNLI_NAMES)
    for system, Q in systems.items():
        expected = reference[f"ChaosNLI-SNLI.{system}"]
        for name, value in table[system].items():
            if CHAOSNLI_NAMES[name] in expected:
                assert value == pytest.approx(expected[CHAOSNLI_NAMES[name]], abs=1e-12), (system, name)
        soft = [float(row.soft.f1) for row in class_table(P, Q, "multiclass").rows]
        assert soft == pytest.approx(expected["soft_f1_per_class"], abs=1e-12)
    assert table["uniform"]["entropy_correlation"].reason == "the entropy of Q is the same for every instance"
