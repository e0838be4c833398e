"""The table that the field publishes, from a study's responses."""

import json

import numpy as np
import pytest
from scipy import stats as scipy_stats

from annotations.ground.errors import HLVError
from annotations.models import Assignment, PreferenceResponse
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError, InvalidParameters, analyses
from metaeval.analyses.inputs.fractions import NOT_JUDGED, preference_fractions
from metaeval.analyses.inputs.gathering import Subject, gather_study
from metaeval.analyses.preference_correlation.analysis import NO_CERTAINTY
from metaeval.jobs.runs import compute
from tests.metaeval.studies import answered_study
from tests.worlds.answering import unsaved_preference

pytestmark = pytest.mark.django_db


def correlate(study, *, seed=1, progress=lambda *_: None, **parameters):
    parameters = {"permutations": 400, "resamples": 100, "exchanges": 100, **parameters}
    return compute(
        subject=Subject.of_study(study),
        analysis="preference_correlation",
        parameters=parameters,
        seed=seed,
        progress=progress,
    )


def test_coefficients_and_p_values_are_those_of_metric_values_and_fractions(answered):
    result = correlate(answered.study, permutations=20_000, exchangeable="systems")
    inputs = gather_study(answered.study)
    responses = inputs.responses()
    fractions = [responses.chosen[responses.system == place].mean() for place in range(len(inputs.systems))]
    assert [row["fraction"] for row in result["systems"]] == pytest.approx(fractions, abs=1e-15)
    tests = {"pearson": scipy_stats.pearsonr, "spearman": scipy_stats.spearmanr, "kendall": scipy_stats.kendalltau}
    assert len(result["correlations"]) == 3 * 6
    for row in result["correlations"]:
        metric = getattr(metrics, row["metric"])
        values = [metric(inputs.P, inputs.Q[name], "multilabel") for name in inputs.systems]
        expected = tests[row["coefficient"]](values, fractions)
        assert row["value"] == pytest.approx(expected.statistic, abs=1e-12)
        assert 0 < row["p_value"] <= 1
        assert row["p_value"] <= row["p_holm"]
        assert row["p_value"] <= row["p_bh"] <= row["p_holm"] + 1e-15
        assert row["n"] == 9


def test_the_same_inputs_parameters_and_seed_give_the_same_result_to_the_last_digit(study):
    first, second, other = correlate(study, seed=5), correlate(study, seed=5), correlate(study, seed=6)
    assert json.dumps(first) == json.dumps(second)
    assert first["correlations"] != other["correlations"]
    assert first["fingerprint"] == other["fingerprint"]


def test_a_result_states_all_that_is_needed_to_repeat_it(study):
    result = correlate(study)
    assert result["schema"] == 2
    assert (result["analysis"], result["version"]) == ("preference_correlation", 3)
    assert result["subject"]["slug"] == study.slug
    assert result["seed"] == 1
    assert len(result["fingerprint"]) == 64
    assert result["parameters"]["both"] == "1"
    assert set(result["versions"]) == {"numpy", "scipy", "numba"}
    assert result["counts"] == {
        "systems": 9,
        "instances": 24,
        "labels": 4,
        "responses": 96,
        "comparisons": 24,
        "experts": 4,
        "looked_alike": 0,
    }
    assert result["is_simulated"] is False
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_a_system_whose_metric_is_undefined_is_left_out_of_that_row_which_says_so():
    made = answered_study("flat", constant=3)
    result = correlate(made.study, coefficients=["pearson"])
    name = made.systems[3].name
    by_metric = {row["metric"]: row for row in result["correlations"]}
    assert by_metric["entropy_correlation"]["excluded"] == [name]
    assert by_metric["entropy_correlation"]["n"] == 8
    assert by_metric["po_jsd"]["excluded"] == []
    row = next(row for row in result["tables"][0]["rows"] if row["metric"] == "Entropy correlation")
    assert row["notes"].endswith(f"left out: {name}")
    (left_out,) = [entry for entry in result["exclusions"] if entry["what"] == "system"]
    assert left_out["system"] == name
    assert left_out["metric"] == "entropy_correlation"
    assert "the entropy of Q is the same for every instance in label 'Consumer law'" in left_out["reason"]


def test_a_metric_that_is_undefined_everywhere_is_a_row_with_a_reason():
    made = answered_study("equal", systems=4)
    for system in made.systems:
        type(system).objects.filter(pk=system.pk).update(predictions=made.Q[0])
    result = correlate(made.study, coefficients=["pearson"])
    for row in result["correlations"]:
        assert row["value"] is None
        assert row["p_value"] is None
        assert row["p_holm"] is None
        assert row["reason"] == f"all values of {row['metric']} are equal"
    assert all(line["reason"] for line in result["lines"].values())


def test_a_system_that_nobody_judged_is_left_out_everywhere_and_listed(answered):
    unseen = answered.systems[2]
    Assignment.objects.filter(comparison__second_system=unseen).update(is_pilot=True)
    result = correlate(answered.study, coefficients=["spearman"])
    assert all(row["excluded"] == [unseen.name] for row in result["correlations"])
    assert {
        "what": "system",
        "system": unseen.name,
        "metric": None,
        "count": 1,
        "reason": NOT_JUDGED,
    } in result["exclusions"]


@pytest.mark.parametrize("word", ["judged", "shown"])
def test_metrics_can_be_taken_on_the_judged_instances_only(answered, word):
    """`shown` was the name of this before there were shown values."""
    result = correlate(answered.study, instances=word, coefficients=["pearson"])
    assert result["parameters"]["instances"] == result["instances"] == "judged"
    inputs = gather_study(answered.study)
    responses = inputs.responses()
    for place, row in enumerate(result["systems"]):
        shown = np.unique(responses.instance[responses.system == place])
        expected = metrics.po_jsd(inputs.P[shown], inputs.Q[row["system"]][shown], "multilabel")
        assert 0 < len(shown) < 24
        assert row["metrics"]["po_jsd"]["value"] == expected


@pytest.mark.parametrize(
    ("both", "weights", "average", "expected"),
    [
        ("1", "none", "responses", 3 / 4),
        ("1/2", "none", "responses", 2.5 / 4),
        ("0", "none", "responses", 2 / 4),
        ("1", "certainty", "responses", (0.5 + 0.8) / 1.7),
        ("1", "none", "comparisons", (2 / 3 + 1) / 2),
        ("1/2", "certainty", "comparisons", (0.25 / 0.9 + 1) / 2),
    ],
)
def test_each_way_of_counting_a_preference(answered, both, weights, average, expected):
    """Three responses to one comparison (both 0.5, not chosen 0.4, chosen without certainty), one to another (0.8)."""
    inputs = gather_study(answered.study)
    responses = inputs.responses()
    place = 2
    mine = np.flatnonzero(responses.system == place)[:4]
    few = type(responses)(
        **{name: getattr(responses, name)[mine] for name in ("response", "system", "instance", "expert")}
        | {
            "comparison": np.array([1, 1, 1, 2]),
            "chosen": np.array([True, False, True, True]),
            "other_chosen": np.array([True, True, False, False]),
            "certainty": np.array([0.5, 0.4, np.nan, 0.8]),
            "exclusions": (),
        }
    )
    fractions = preference_fractions(few, inputs.systems, both=both, weights=weights, average=average)
    assert fractions[place].fraction == pytest.approx(expected, abs=1e-15)
    assert (fractions[place].responses, fractions[place].chosen, fractions[place].both) == (4, 3, 1)
    assert fractions[0].reason == NOT_JUDGED


def test_responses_without_a_certainty_are_listed_when_certainty_weighs(answered):
    PreferenceResponse.objects.bulk_create([unsaved_preference(answered.assignments[0], True, False, revision=1)])
    result = correlate(answered.study, weights="certainty")
    assert {"what": "responses", "count": 1, "reason": NO_CERTAINTY} in result["exclusions"]


def test_progress_moves_through_the_systems_and_then_between_blocks_of_permutations(study):
    steps = []
    few = {"permutations": 30_000, "resamples": 600, "interval": "bca", "exchangeable": "systems"}
    correlate(study, **few, progress=lambda done, total, message: steps.append((done, total, message)))
    done = [step[0] for step in steps]
    assert done == sorted(done)
    blocks = [step[2] for step in steps if step[2].startswith("Permutations and resamples: block")]
    assert len(set(blocks)) == int(blocks[-1].split()[-1]) + 1 > 2 * 3 * 4 + 3 + 1
    assert all(0 <= step[0] <= step[1] for step in steps)
    assert steps[-1][0] == steps[-1][1]


def test_a_study_without_responses_says_so():
    made = answered_study("empty")
    Assignment.objects.filter(study=made.study).update(is_pilot=True)
    with pytest.raises(AnalysisError, match="No responses count yet"):
        correlate(made.study)


def test_two_systems_are_too_few_to_correlate():
    with pytest.raises(AnalysisError, match=r"judged 2 system\(s\); .* at least 3"):
        correlate(answered_study("two", systems=2).study)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"permutations": 10**9}, "permutations: Input should be less than or equal to 10000000"),
        ({"both": 1}, "both: "),
        ({"metrics": ["f1"]}, "metrics: .*There is no metric 'f1'"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"coefficients": []}, "coefficients: "),
    ],
)
def test_parameters_are_checked_by_their_one_declaration(study, parameters, message):
    with pytest.raises(InvalidParameters, match=message) as caught:
        correlate(study, **parameters)
    assert set(caught.value.data) & {*parameters, "coefficients"}


def test_an_unknown_analysis_is_answered_with_the_known_ones(study):
    with pytest.raises(HLVError, match=r"'magic'\. .*\bpreference_correlation"):
        compute(subject=Subject.of_study(study), analysis="magic", parameters={}, seed=1, progress=lambda *_: None)


def test_every_analysis_declares_types_bounds_defaults_and_help():
    for entry in analyses:
        schema = entry.schema()
        assert entry.title
        assert entry.description
        for name, parameter in schema["properties"].items():
            assert {"title", "description", "default"} <= set(parameter), name
            assert {"type", "anyOf"} & set(parameter), name
        assert "$defs" not in schema
