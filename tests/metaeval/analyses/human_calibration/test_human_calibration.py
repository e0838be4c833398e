"""Calibration to human judgements through the analysis: the published numbers on ChaosNLI-SNLI, and what must hold."""

import json
import math

import numpy as np
import pytest

from annotations.importing.datasets import import_predictions
from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.reading.files import SourceFile
from annotations.importing.writing.predictions import write_predictions
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.human_calibration.analysis import SAME_INSTANCES
from metaeval.analyses.human_calibration.temperatures import TemperaturePlan, best, scaled_by_fold
from metaeval.analyses.inputs.gathering import Subject, gather_dataset
from metaeval.figures.style import number
from metaeval.jobs.runs import compute
from metaeval.metrics.temperature import GRID
from tests.metaeval.datasets import annotated_dataset
from tests.metaeval.golden_runs import about, imported, stored_result

pytestmark = pytest.mark.django_db

GOLDEN = {
    "ece": "ECE10",
    "ranking": "RankCS",
    "entropy": "mean_abs_EntCE_nats",
    "entropy_signed": "mean_EntCE_nats",
    "distribution": "mean_DistCE_TVD",
    "classwise_ece": "classwise_ECE_mean",
}
OURS = {"RoBERTa": "roberta-base / {}", "RoBERTa-TS": "roberta-base / {} · T = 2", "Oracle": "People (oracle)"}
TABLES = ("label_errors", "guess_errors")
SPREAD = [*(name for name in GOLDEN if name != "entropy_signed"), "accuracy"]
PREDICTIONS = [f"chaosnli/SNLI_{part}_roberta-base_{seed}.json" for part in ("dev", "test") for seed in range(3)]


def of(subject, *, seed=1, **parameters):
    parameters = {"sample_size": 3, **parameters}
    return compute(
        subject=subject, analysis="human_calibration", parameters=parameters, seed=seed, progress=lambda *_: None
    )


def entry(result, name):
    return next(entry for entry in result["entries"] if entry["name"] == name)


def table(result, name):
    return next(found for found in result["tables"] if found["name"] == name)


@pytest.fixture(scope="module")
def reference(golden):
    return json.loads((golden / "calibration_snli.json").read_text())


@pytest.mark.shared_data
class TestChaosNLI:
    def test_every_golden_measure_of_the_real_predictions(self, reference, shared_data):
        """RoBERTa as imported, heated by the analysis and heated by the import, and people themselves."""
        dataset = imported(shared_data, ["chaosnli/chaosNLI_snli.jsonl"], predictions=PREDICTIONS)
        files = [SourceFile.at(shared_data / name) for name in PREDICTIONS]
        import_predictions(dataset=dataset, files=files, options={"temperature": 2})
        parameters = {"scaling": "one", "temperature": 2.0, "accuracy_ties": "last"}
        result = stored_result(about(dataset), "human_calibration", **parameters)
        names = {"People (oracle)": "Oracle"}
        for seed in range(3):
            names |= {
                f"roberta-base / {seed}": f"RoBERTa{seed}",
                f"roberta-base / {seed} · T = 2": f"RoBERTa{seed}-TS",
                f"roberta-base / temperature 2 / {seed}": f"RoBERTa{seed}-TS",
            }
        for name, key in names.items():
            found, expected = entry(result, name), reference["per_seed"][key]
            assert found["instances"] == reference["per_seed"]["n"]
            for measure, published in GOLDEN.items():
                assert found["measures"][measure] == pytest.approx(expected[published], abs=1e-12), (name, measure)
            assert found["measures"]["accuracy"] == pytest.approx(expected["Acc_acck"], abs=1e-12)
            assert found["classwise"] == pytest.approx(expected["classwise_ECE_per_class"], abs=1e-12)
        for method, key in (("", "RoBERTa"), ("T = 2", "RoBERTa-TS")):
            group = next(group for group in result["groups"] if group["method"] == method)
            published = reference["per_seed"]["mean_over_seeds"][key]
            assert group["runs"] == 3
            for measure in SPREAD:
                expected = published[GOLDEN.get(measure, "Acc_acck")]
                assert group["means"][measure] == pytest.approx(expected["mean"], abs=1e-12)
                assert group["deviations"][measure] == pytest.approx(expected["std_sample"], abs=1e-12)
        printed = {
            "acc_ties_last": "accuracy",
            "ece10": "ece",
            "rankcs": "ranking",
            "abs_entce_nats": "entropy",
            "distce": "distribution",
        }
        compared = 0
        for check in reference["checks"]:
            model, *seed, measure = check["name"].split(".")
            if measure in printed and (not seed or seed[0].startswith("seed")):
                number = seed[0].removeprefix("seed") if seed else ""
                value = entry(result, OURS[model].format(number))["measures"][printed[measure]]
                assert (abs(value - float(check["published"])) <= 0.0005 + 1e-9) is check["agrees"], check
                compared += 1
        assert compared == 35
        exact = reference["expected_distce_20_of_100"]["value_exact_hypergeometric_expectation"]
        for name in ("H1", "H2"):
            assert entry(result, name)["measures"]["distribution"] == pytest.approx(exact, abs=3 * 0.00135)
        apart = {name: entry(result, name)["compared"]["distribution"]["tvd"]["value"] for name in ("H2", *names)[:3:2]}
        assert apart["H2"] < 0.1 < apart["roberta-base / 0"]


@pytest.fixture
def dataset(db):
    return annotated_dataset()


def test_the_accuracy_takes_the_first_of_several_maxima_or_the_last(dataset):
    gold = np.asarray(dataset.gold)
    write_predictions(dataset=dataset, table=PredictionTable((SystemTable("Even", np.full(gold.shape, 1 / 3)),)))
    first, last = (
        entry(of(Subject.of_dataset(dataset), accuracy_ties=ties), "Even")["measures"]["accuracy"]
        for ties in ("first", "last")
    )
    assert (first, last) == tuple(
        float(metrics.accuracy(gold, np.full(gold.shape, 1 / 3), ties=t)) for t in ("first", "last")
    )
    assert first != last


def test_the_bins_of_a_reliability_diagram_make_the_expected_calibration_error(dataset):
    result = of(Subject.of_dataset(dataset), bins=5)
    for found in result["entries"]:
        bins = [row for row in found["reliability"] if row["instances"]]
        gaps = [row["instances"] * abs(row["confidence"] - row["accuracy"]) for row in bins]
        assert sum(gaps) / found["instances"] == pytest.approx(found["measures"]["ece"], abs=1e-12)
        assert all(row["low"] < row["confidence"] <= row["high"] + 1e-12 for row in bins)


def test_histograms_are_of_the_instances_errors(dataset):
    inputs = gather_dataset(dataset)
    result = of(Subject.of_dataset(dataset), histogram_bins=4)
    for name in inputs.systems:
        found = entry(result, name)["histograms"]
        errors = metrics.distribution_calibration_errors(inputs.P, inputs.Q[name])
        counts, edges = np.histogram(errors, bins=4, range=(0, 1))
        assert found["distribution"]["shares"] == pytest.approx(counts / len(errors))
        assert found["distribution"]["edges"] == pytest.approx(edges)
        assert found["entropy"]["edges"] == pytest.approx(np.linspace(-math.log(3), math.log(3), 5))


def test_errors_are_shown_label_by_label_and_guess_by_guess(dataset):
    inputs = gather_dataset(dataset)
    result = of(Subject.of_dataset(dataset), histogram_bins=4)
    assert len(result["entries"]) > len(inputs.systems)
    for name in inputs.systems:
        found = entry(result, name)
        Q = inputs.Q[name]
        first = [Q[i, Q[i].argmax()] - inputs.P[i, Q[i].argmax()] for i in range(len(Q))]
        for errors, expected in ((found["by_guess"][0], first), (found["by_label"][2], Q[:, 2] - inputs.P[:, 2])):
            counts, edges = np.histogram(expected, bins=4, range=(-1, 1))
            assert errors["shares"] == pytest.approx(counts / len(Q))
            assert errors["edges"] == pytest.approx(edges)
            assert errors["mean"] == pytest.approx(np.mean(expected))
            assert errors["magnitude"] == pytest.approx(np.abs(expected).mean())
        assert sum(one["mean"] for one in found["by_label"]) == pytest.approx(0, abs=1e-12)
        rows = {key: next(row for row in table(result, key)["rows"] if row["name"] == name) for key in TABLES}
        assert rows["label_errors"]["mean_2"] == found["by_label"][2]["mean"]
        assert rows["guess_errors"]["magnitude_0"] == found["by_guess"][0]["magnitude"]
    (oracle,) = [found for found in result["entries"] if found["kind"] == "oracle"]
    assert [one["magnitude"] for one in (*oracle["by_label"], *oracle["by_guess"])] == [0] * 6


def test_the_figure_of_labels_is_of_one_system_and_earlier_results_have_none(dataset):
    result = of(Subject.of_dataset(dataset))
    analysis = analyses.get("human_calibration")
    second = gather_dataset(dataset).systems[1]
    drawn = json.dumps(analysis.draw("calibration_labels-2-Alpha-M1-1", result).to_dict(), ensure_ascii=False)
    for k, label in enumerate(result["labels"]):
        for words, errors in ((label, "by_label"), (f"Guess {k + 1}", "by_guess")):
            assert f"{words}, mean {number(round(entry(result, second)[errors][k]['mean'], 2) + 0.0)}" in drawn
    assert "Line: H1" in drawn
    earlier = json.loads(json.dumps(result))
    for found in earlier["entries"]:
        del found["by_label"], found["by_guess"]
    assert not [name for name in analysis.figure_names(earlier) if name.startswith("calibration_labels")]
    assert analysis.figure_names(earlier) == [
        name for name in analysis.figure_names(result) if not name.startswith("calibration_labels")
    ]


class TestTemperatures:
    def test_the_best_of_the_grid_is_chosen_on_the_other_folds(self, dataset):
        inputs = gather_dataset(dataset)
        result = of(Subject.of_dataset(dataset), scaling="grid", folds=2, criterion="distribution_calibration_error")
        for name in inputs.systems:
            found = entry(result, f"{name} · T chosen")
            assert len(found["temperatures"]) == 2
            assert set(found["temperatures"]) <= set(GRID)
        rows = table(result, "temperatures")["rows"]
        assert rows[0]["fold_0"] == entry(result, rows[0]["name"])["temperatures"][0]

    def test_no_instance_has_a_say_in_the_temperature_that_it_is_judged_at(self):
        rng = np.random.default_rng(8)
        Q, fold = rng.dirichlet(np.ones(3), 90), np.arange(90) % 3
        truth = (0.5, 1.0, 2.0)  # in each fold, people are as certain as its systems at this temperature
        P = np.array([metrics.temperature_scaled(np.log(Q[i : i + 1]), truth[k])[0] for i, k in enumerate(fold)])
        plan = TemperaturePlan(P, Q, fold, 3, "distribution_calibration_error")
        chosen = best(plan.merged([plan.block(number) for number in range(len(plan.blocks))]))

        def best_for(rows):
            found = metrics.best_temperature(P[rows], np.log(Q[rows]), metric="distribution_calibration_error")
            return found.temperature

        assert [best_for(fold == k) for k in range(3)] == list(truth)
        assert chosen == [best_for(fold != k) for k in range(3)]
        assert all(one != own for one, own in zip(chosen, truth, strict=True))
        np.testing.assert_allclose(scaled_by_fold(Q, fold, truth), P, rtol=0, atol=1e-12)

    def test_on_the_same_instances_it_is_what_the_library_finds_and_says_so(self, dataset):
        inputs = gather_dataset(dataset)
        subject = Subject.of_dataset(dataset)
        result = of(subject, scaling="grid", folds=1, criterion="distribution_calibration_error")
        for name in inputs.systems:
            with np.errstate(divide="ignore"):
                logits = np.log(inputs.Q[name])
            expected = metrics.best_temperature(inputs.P, logits, metric="distribution_calibration_error")
            found = entry(result, f"{name} · T chosen")
            assert found["temperatures"] == [expected.temperature]
            assert found["measures"]["distribution"] == pytest.approx(float(expected.value), abs=1e-12)
        assert result["notes"] == [(SAME_INSTANCES)]

    def test_a_criterion_that_is_undefined_leaves_the_scaled_system_undefined(self, dataset):
        gold = np.asarray(dataset.gold)
        wrong = np.zeros_like(gold)
        wrong[np.arange(len(gold)), gold.argmin(axis=1)] = 1
        write_predictions(dataset=dataset, table=PredictionTable((SystemTable("Sure", wrong),)))
        result = of(Subject.of_dataset(dataset), scaling="grid", systems=["Sure"])
        found = entry(result, "Sure · T chosen")
        assert found["reason"] == "Cross-entropy is undefined at every temperature of the grid"
        assert found["measures"]["ece"] is None
        assert {"what": "system", "system": "Sure · T chosen", "count": 1, "reason": found["reason"]} in result[
            "exclusions"
        ]


class TestResampledPeople:
    def test_instances_with_too_few_votes_are_left_out_and_listed(self, dataset):
        result = of(Subject.of_dataset(dataset), sample_size=6)
        assert result["reference"] is None
        assert "errors" not in {found["name"] for found in result["tables"]}
        (left,) = [found for found in result["exclusions"] if found["what"] == "instances"]
        assert (left["count"], left["reason"]) == (20, "no instance has 6 votes")

    def test_all_votes_make_the_people_themselves(self, dataset):
        result = of(Subject.of_dataset(dataset), sample_size=5)
        assert entry(result, "H1")["measures"]["distribution"] == pytest.approx(0, abs=1e-12)

    def test_another_seed_draws_other_people(self, dataset):
        subject = Subject.of_dataset(dataset)
        assert entry(of(subject), "H1") != entry(of(subject, seed=2), "H1")
        assert entry(of(subject), "H1") == entry(of(subject, samples=3), "H1")

    def test_without_annotations_there_are_no_people_to_resample(self, study):
        dataset = study.dataset
        gold = np.asarray(dataset.gold) + 0.01
        type(dataset).objects.filter(pk=dataset.pk).update(task="multiclass", gold=gold / gold.sum(1, keepdims=True))
        for system in dataset.systems.all():
            Q = np.asarray(system.predictions) + 0.01
            type(system).objects.filter(pk=system.pk).update(predictions=Q / Q.sum(axis=1, keepdims=True))
        dataset.refresh_from_db()
        result = of(Subject.of_dataset(dataset))
        assert result["reference_reason"].startswith("it is not known how many people gave which label")
        assert {found["kind"] for found in result["entries"]} == {"oracle", "system"}


def test_sets_of_labels_are_refused_with_a_sentence(study):
    with pytest.raises(AnalysisError, match="lets people give several labels"):
        of(Subject.of_dataset(study.dataset))


def test_an_unknown_system_and_none_at_all_are_refused(dataset):
    with pytest.raises(AnalysisError, match=r"'X'\. Systems: Alpha / M0"):
        of(Subject.of_dataset(dataset), systems=["X"])
    with pytest.raises(AnalysisError, match="has no systems"):
        of(Subject.of_dataset(annotated_dataset("bare", systems=0)))


def test_the_figures_show_the_result(dataset):
    result = of(Subject.of_dataset(dataset))
    analysis = analyses.get("human_calibration")
    assert analysis.figure_names(result)[:2] == ["calibration_errors", "calibration_errors-1-Alpha-M0-1"]
    found = entry(result, gather_dataset(dataset).systems[1])
    drawn = json.dumps(analysis.draw("calibration_errors-2-Alpha-M1-1", result).to_dict(), ensure_ascii=False)
    assert f"DistCE, mean {found['measures']['distribution']:.2f}" in drawn
    assert "Line: H1" in drawn
    reliability = json.dumps(analysis.draw("calibration_reliability-2-Alpha-M1-1", result).to_dict())
    assert f"ECE {found['measures']['ece']:.2f}" in reliability
