"""Temperatures that are chosen on one dataset and judged on another: the analysis of two datasets."""

import json

import numpy as np
import pytest
from django.core.management import call_command

from annotations.importing.datasets import import_predictions
from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.reading.files import SourceFile
from annotations.importing.writing.predictions import write_predictions
from annotations.models import System
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.inputs.datasets import NOTHING_PREDICTED
from metaeval.analyses.inputs.gathering import Subject, gather_dataset
from metaeval.jobs.runs import compute
from tests.metaeval.datasets import annotated_dataset
from tests.metaeval.golden_runs import imported, stored_result
from tests.worlds.datasets import store_dataset

pytestmark = pytest.mark.django_db

DISTANCE = "distribution_calibration_error"
GRID = {"scaling": "grid", "criterion": DISTANCE, "sample_size": 3}


def judged(datasets, *, seed=1, **parameters):
    subject = Subject.of_datasets(datasets) if len(datasets) > 1 else Subject.of_dataset(datasets[0])
    asked = {**GRID, **parameters}
    return compute(subject=subject, analysis="human_calibration", parameters=asked, seed=seed, progress=lambda *_: None)


def entry(result, name):
    return next(entry for entry in result["entries"] if entry["name"] == name)


def by_hand(P, Q, temperature):
    with np.errstate(divide="ignore"):
        return float(metrics.distribution_calibration_error(P, metrics.temperature_scaled(np.log(Q), temperature)))


def best(P, Q):
    with np.errstate(divide="ignore"):
        return metrics.best_temperature(P, np.log(Q), metric=DISTANCE).temperature


def surer_by(factor, slug, *, labels, instances=40):
    """A dataset whose system is people's logits times a factor: at that temperature, it is perfect."""
    P = np.random.default_rng(labels).dirichlet(np.ones(labels), instances)
    return store_dataset(
        gold=P,
        labels=[f"label {k}" for k in range(labels)],
        systems=[SystemTable("Sure", metrics.temperature_scaled(np.log(P) * factor, 1.0), "M", "1")],
        slug=slug,
        title=f"Data {slug}",
        task="multiclass",
    )


@pytest.fixture
def pair(db):
    """Two datasets with systems of the same names, and different people."""
    return annotated_dataset("first"), annotated_dataset("second", seed=4, items=30)


class TestTwoDatasetsOfOtherLabelsWhoseRightTemperaturesAreKnown:
    @pytest.fixture
    def datasets(self, db):
        return surer_by(2, "twice", labels=4), surer_by(3, "thrice", labels=3, instances=50)

    @pytest.mark.parametrize(("fitted_on", "temperature", "place"), [("twice", 2.0, 1), ("thrice", 3.0, 0)])
    def test_the_temperature_is_right_where_it_is_chosen_and_not_where_it_is_judged(
        self, datasets, fitted_on, temperature, place
    ):
        inputs = gather_dataset(datasets[place])
        found = entry(judged(datasets, fitted_on=fitted_on), f"Sure / M / 1 · T of {fitted_on}")
        assert (found["kind"], found["method"], found["reason"]) == ("scaled", f"M · T of {fitted_on}", "")
        assert found["temperatures"] == [temperature]
        assert found["instances"] == len(inputs.P)
        Q = inputs.Q["Sure / M / 1"]
        assert found["measures"]["distribution"] == pytest.approx(by_hand(inputs.P, Q, temperature), abs=1e-15)
        assert found["measures"]["distribution"] > 0.03
        own = entry(judged([datasets[place]], folds=1), "Sure / M / 1 · T chosen")
        assert own["temperatures"] == [{2.0: 3.0, 3.0: 2.0}[temperature]]
        assert own["measures"]["distribution"] == pytest.approx(0, abs=1e-12)

    def test_the_result_says_what_was_chosen_where(self, datasets):
        result = judged(datasets, fitted_on="twice")
        assert result["fitted_on"] == "twice"
        assert [one["slug"] for one in result["subject"]["datasets"]] == ["thrice", "twice"]
        assert result["notes"] == [
            "Temperatures are chosen on the dataset twice; everything is judged on the dataset thrice."
        ]
        assert {key: result["counts"][key] for key in ("datasets", "systems", "instances", "labels")} == {
            "datasets": 2,
            "systems": 1,
            "instances": 50,
            "labels": 3,
        }
        assert result["labels"] == ["label 0", "label 1", "label 2"]
        (shown,) = (table for table in result["tables"] if table["name"] == "temperatures")
        assert shown["notes"] == [
            "Chosen from a grid by the lowest distribution calibration error on the dataset twice."
        ]
        assert [column["title"] for column in shown["columns"]] == ["System", "Temperature", "Notes"]
        assert [row["fold_0"] for row in shown["rows"]] == [2.0]

    def test_the_order_of_the_datasets_and_the_folds_change_nothing(self, datasets):
        result = judged(datasets, fitted_on="twice")
        assert judged(datasets[::-1], fitted_on="twice") == result
        assert judged(datasets, fitted_on="twice", folds=20)["entries"] == result["entries"]


def test_every_system_gets_the_temperature_that_the_library_finds_on_the_other_dataset(pair):
    fitting, data = map(gather_dataset, pair)
    result = judged(pair, fitted_on="first")
    for name in data.systems:
        temperature = best(fitting.P, fitting.Q[name])
        found = entry(result, f"{name} · T of first")
        assert found["temperatures"] == [temperature]
        assert found["measures"]["distribution"] == pytest.approx(by_hand(data.P, data.Q[name], temperature), abs=1e-12)


def test_all_that_is_not_scaled_is_what_it_is_without_the_other_dataset(pair):
    alone, with_other = judged(pair[1:], scaling="none"), judged(pair, fitted_on="first")
    assert [found for found in with_other["entries"] if found["kind"] != "scaled"] == alone["entries"]
    assert {key: with_other["counts"][key] for key in alone["counts"]} == alone["counts"]
    assert with_other["fingerprint"] != alone["fingerprint"]


def test_a_system_that_the_other_dataset_lacks_has_no_temperature_and_is_listed(pair):
    System.objects.filter(dataset=pair[0], model="Beta", method="M1").delete()
    result = judged(pair, fitted_on="first")
    found = entry(result, "Beta / M1 / 1 · T of first")
    assert (found["reason"], found["temperatures"]) == ("the dataset first has no system of this name", [None])
    assert found["measures"]["distribution"] is None
    assert entry(result, "Beta / M1 / 1")["reason"] == ""
    assert {
        "what": "system",
        "system": found["name"],
        "count": 1,
        "reason": found["reason"],
        "dataset": "second",
    } in result["exclusions"]
    assert sum(one["reason"] != "" for one in result["entries"]) == 1


def test_a_criterion_that_is_undefined_on_the_other_dataset_leaves_the_scaled_system_undefined(pair):
    for dataset, turned in zip(pair, (True, False), strict=True):
        gold = np.asarray(dataset.gold)
        Q = np.eye(3)[gold.argmin(axis=1)] if turned else gold
        write_predictions(dataset=dataset, table=PredictionTable((SystemTable("Sure", Q),)))
    found = entry(judged(pair, fitted_on="first", criterion="cross_entropy", systems=["Sure"]), "Sure · T of first")
    assert found["reason"] == "Cross-entropy is undefined at every temperature of the grid on first"


def test_what_a_system_does_not_predict_has_no_say_on_either_dataset(pair):
    name, lacking = "Holed", (range(12), range(5))
    for dataset, rows in zip(pair, lacking, strict=True):
        Q = np.random.default_rng(len(rows)).dirichlet(np.ones(3) / 2, len(dataset.gold))
        Q[list(rows)] = np.nan
        write_predictions(dataset=dataset, table=PredictionTable((SystemTable(name, Q),)))
    fitting, data = map(gather_dataset, pair)
    temperature = best(fitting.P[12:], fitting.Q[name][12:])
    result = judged(pair, fitted_on="first", systems=[name])
    found = entry(result, "Holed · T of first")
    assert (found["temperatures"], found["instances"]) == ([temperature], 25)
    assert found["measures"]["distribution"] == pytest.approx(by_hand(data.P[5:], data.Q[name][5:], temperature))
    left = {one["dataset"]: (one["count"], one["reason"]) for one in result["exclusions"] if one.get("system") == name}
    assert left == {
        "second": (5, NOTHING_PREDICTED),
        "first": (12, "the system predicted nothing for them: they have no say in its temperature"),
    }


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("parameters", "sentence"),
        [
            ({}, "Temperatures are chosen on one of two; say on which dataset: first or second."),
            ({"fitted_on": "third"}, "Temperatures cannot be chosen on 'third'; say on which dataset: first or second"),
            ({"fitted_on": "first", "scaling": "one"}, "scaling 'one', no temperature is chosen on first; set it to"),
            ({"fitted_on": "first", "scaling": "none"}, "scaling 'none', no temperature is chosen on first; set it to"),
            ({"fitted_on": "first", "systems": ["X"]}, r"No system of second is called 'X'\. Systems: Alpha / M0"),
        ],
    )
    def test_parameters_that_do_not_say_what_is_meant(self, pair, parameters, sentence):
        with pytest.raises(AnalysisError, match=sentence):
            judged(pair, **parameters)

    @pytest.mark.parametrize("slug", ["first", "second"])
    def test_a_single_dataset_has_no_other(self, pair, slug):
        with pytest.raises(AnalysisError, match=f"'{slug}' .*second"):
            judged(pair[1:], fitted_on=slug)

    def test_more_than_two_datasets_and_one_among_several(self, pair):
        for datasets in ([*pair, annotated_dataset("third")], pair[:1]):
            with pytest.raises(AnalysisError, match=f"not {len(datasets)};"):
                compute(
                    subject=Subject.of_datasets(datasets),
                    analysis="human_calibration",
                    parameters={**GRID, "fitted_on": "first"},
                    seed=1,
                    progress=lambda *_: None,
                )

    @pytest.mark.parametrize("fitted_on", ["first", "bare"])
    def test_a_dataset_without_systems(self, pair, fitted_on):
        with pytest.raises(AnalysisError, match=r"\bbare\b.*\bsystems\."):
            judged([pair[0], annotated_dataset("bare", systems=0)], fitted_on=fitted_on)

    def test_sets_of_labels_on_either_side(self, pair):
        sets = annotated_dataset("sets", task="multilabel")
        for fitted_on in ("first", "sets"):
            with pytest.raises(AnalysisError, match=r"\bdataset sets\b"):
                judged([pair[0], sets], fitted_on=fitted_on)


class TestWhatWasStoredBefore:
    def test_parameters_that_do_not_name_it_mean_the_dataset_itself(self):
        analysis = analyses.get("human_calibration")
        assert analysis.recalled({"scaling": "grid"}) == analysis.validated({"scaling": "grid", "fitted_on": ""})

    def test_a_result_that_does_not_have_it_is_read(self, pair):
        result = judged(pair[:1])
        assert result["fitted_on"] == ""
        assert {one.get("dataset") for one in result["exclusions"]} <= {None}
        earlier = {key: value for key, value in result.items() if key != "fitted_on"}
        assert analyses.get("human_calibration").read(earlier).plain() == result


def test_the_figures_show_what_is_scaled(pair):
    result, analysis = judged(pair, fitted_on="first"), analyses.get("human_calibration")
    names = [name for name in analysis.figure_names(result) if name.endswith("T-of-first")]
    assert len(names) == 3 * 4
    drawn = json.dumps(analysis.draw(names[0], result).to_dict(), ensure_ascii=False)
    assert f"DistCE, mean {entry(result, 'Alpha / M0 / 1 · T of first')['measures']['distribution']:.2f}" in drawn


def test_the_command_names_both_datasets_and_which_one_chooses(pair, tmp_path):
    said = ["--dataset", "first", "--dataset", "second", "human_calibration", "--scaling", "grid"]
    call_command("analyse", *said, "--sample-size", "3", "--fitted-on", "first", "--json", str(tmp_path / "found.json"))
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["entries"] == judged(pair, seed=0, criterion="cross_entropy", fitted_on="first")["entries"]


@pytest.mark.shared_data
def test_temperatures_chosen_on_the_development_part_of_snli_bring_the_test_part_nearer_to_people(shared_data):
    """RoBERTa's real predictions on ChaosNLI-SNLI: one dataset has those of one part, the other those of the other."""
    parts = []
    for part in ("dev", "test"):
        dataset = imported(shared_data, ["chaosnli/chaosNLI_snli.jsonl"], slug=part)
        files = [SourceFile.at(shared_data / f"chaosnli/SNLI_{part}_roberta-base_{run}.json") for run in range(3)]
        import_predictions(dataset=dataset, files=files, options={"missing": "leave_out"})
        parts.append(dataset)
    dev, test = map(gather_dataset, parts)
    subject = Subject.of_datasets(parts)
    result = stored_result(subject, "human_calibration", scaling="grid", fitted_on="dev", criterion=DISTANCE)
    for run, expected in enumerate([2.1, 1.8, 2.05]):
        name = f"roberta-base / {run}"
        (P_dev, Q_dev), (P, Q) = (known_rows(data, name) for data in (dev, test))
        assert (len(P_dev), len(P)) == (729, 785)
        assert best(P_dev, Q_dev) == expected
        found, before = entry(result, f"{name} · T of dev"), entry(result, name)
        assert found["temperatures"] == [expected]
        assert (found["instances"], before["instances"]) == (785, 785)
        assert found["measures"]["distribution"] == pytest.approx(by_hand(P, Q, expected), abs=1e-12)
        for measure, least in (("distribution", 0.025), ("entropy", 0.05), ("ece", 0.05)):
            assert found["measures"][measure] < before["measures"][measure] - least, measure
        assert found["measures"]["ranking"] == before["measures"]["ranking"], "a temperature keeps the order of labels"


def known_rows(data, name):
    known = ~np.isnan(data.Q[name]).any(axis=1)
    return data.P[known], data.Q[name][known]
