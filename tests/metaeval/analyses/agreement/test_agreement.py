"""Agreement through the analysis: the golden values from the real files, and what it promises on small data."""

import json
import math

import numpy as np
import pytest

from annotations.models import Assignment
from metaeval.analyses.agreement import measures
from metaeval.analyses.base.registry import AnalysisError, InvalidParameters, analyses
from metaeval.analyses.inputs.answers import LABELLED_BEFORE, PILOT
from metaeval.analyses.inputs.gathering import Subject, gather_study
from metaeval.jobs.runs import compute
from metaeval.stats.agreement import SetAnnotations, krippendorff_alpha, mean_binary_alpha
from metaeval.stats.agreement.measure import NO_PAIRS
from tests.metaeval.golden_runs import about, imported, stored_result
from tests.metaeval.studies import answered_study
from tests.worlds.original import make_two_experts, restored_original

pytestmark = pytest.mark.django_db

LEWIDI = {"HS-Brexit": "lewidi2023/HS-Brexit_{}.json", "ArMIS": "lewidi2023/ArMIS_{}.json"}
PARTS = {"train": ["train"], "dev": ["dev"], "test": ["test"], "all": ["train", "dev", "test"]}
CRITERIA = ("Understandable", "Uses Knowledge", "Engaging", "Maintains Context", "Natural", "Overall")
MT_BENCH = ["mtbench/human.jsonl", "mtbench/gpt4_pair.jsonl"]

REAL = {
    **{
        f"{name}.{part}": ([path.format(split) for split in splits], {}, {})
        for name, path in LEWIDI.items()
        for part, splits in PARTS.items()
    },
    **{
        f"Par.{part}": ([f"lewidi2025/Paraphrase_{split}.json" for split in splits], {}, {})
        for part, splits in PARTS.items()
    },
    "CSC.dev": (["lewidi2025/CSC_dev.json"], {}, {}),
    "ChaosNLI-snli.100labels": (["chaosnli/chaosNLI_snli.jsonl"], {}, {}),
    "ChaosNLI-snli.old_5labels": (["chaosnli/chaosNLI_snli.jsonl"], {"votes": "old"}, {}),
    "DICES-350_crowdsourced": (["dices350/dices_350_crowdsourced.json"], {"raters": "position"}, {}),
    **{
        f"TopicalChat360.{criterion}": (["topicalchat/tc_usr_data.json"], {"criterion": criterion}, {})
        for criterion in CRITERIA
    },
    "MT-Bench.human.all_items": (MT_BENCH, {}, {}),
    "MT-Bench.human.items_with_3_or_more": (MT_BENCH, {}, {"least_annotations": 3}),
}
ELSEWHERE = {f"VEN.dev.binary_{label}" for label in ("entailment", "neutral", "contradiction")}  # by label, below


def agree_on_files(shared_data, files, *, options=(), **parameters):
    """Imported, executed as a stored run, and read from there."""
    subject = about(imported(shared_data, files, **dict(options)))
    return stored_result(subject, "agreement", **{"resamples": 100, **parameters})


def agree(subject, *, seed=1, progress=lambda *_: None, **parameters):
    parameters = {"resamples": 100, **parameters}
    return compute(subject=subject, analysis="agreement", parameters=parameters, seed=seed, progress=progress)


def by_measure(judged):
    return {row["measure"]: row["value"] for row in judged["measures"]}


@pytest.fixture(scope="module")
def agreement(golden):
    return json.loads((golden / "agreement.json").read_text())


@pytest.mark.shared_data
class TestRealFiles:
    def test_every_golden_dataset_is_tested(self, agreement):
        assert set(REAL) | ELSEWHERE == set(agreement["datasets"])

    @pytest.mark.parametrize("name", list(REAL))
    def test_golden_agreement_and_variation(self, name, agreement, shared_data):
        files, options, parameters = REAL[name]
        expected = agreement["datasets"][name]
        (judged,) = agree_on_files(shared_data, files, options=options, partitions=[], **parameters)["judged"]
        summary, measures = judged["variation"], by_measure(judged)
        found = {
            "n_items": summary["n_items"],
            "n_annotations": summary["n_annotations"],
            "J_mean": summary["annotations_mean"],
            "J_min": summary["annotations_min"],
            "J_max": summary["annotations_max"],
            "items_with_fewer_than_2": summary["fewer_than_two"],
            "pairwise_agreement_mean_over_items": measures["pairwise_agreement"],
            "pairwise_agreement_pooled_over_pairs": measures["pairwise_agreement_pooled"],
            "mean_modal_share": summary["mean_modal_share"],
            "percent_unanimous": 100 * summary["unanimous_share"],
            "items_with_tied_mode": summary["tied_items"],
            "mean_entropy_bits": summary["mean_entropy"],
            "krippendorff_alpha_nominal": measures["alpha_nominal"],
            "krippendorff_alpha_ordinal": measures.get("alpha_ordinal"),
            "krippendorff_alpha_interval": measures.get("alpha_interval"),
            "fleiss_kappa": measures["fleiss_kappa"],
            "randolph_kappa": measures["randolph_kappa"],
        }
        for key in expected.keys() & found.keys():
            assert found[key] == pytest.approx(expected[key], rel=1e-12, abs=1e-12), key
        assert "krippendorff_alpha_nominal" in expected
        counts = [count for count in summary["label_counts"].values() if count]
        assert sorted(counts) == sorted(expected["label_counts"].values())

    @pytest.mark.parametrize(
        ("name", "files"),
        [
            *((name, [path.format(split) for split in PARTS["all"]]) for name, path in LEWIDI.items()),
            ("Paraphrase", [f"lewidi2025/Paraphrase_{split}.json" for split in PARTS["all"]]),
        ],
    )
    def test_golden_kappa_of_every_pair_of_annotators(self, name, files, agreement, shared_data):
        expected = agreement["annotator_pairs"][name]
        (judged,) = agree_on_files(shared_data, files, partitions=[])["judged"]
        found = {f"{row['first']}|{row['second']}": row for row in judged["pairs"]}
        assert set(found) == set(expected["pairs"])
        for pair, row in found.items():
            golden = expected["pairs"][pair]
            assert row["n_items"] == golden["n"]
            assert row["agreement"] == pytest.approx(golden["observed_agreement"], abs=1e-12)
            assert row["value"] == pytest.approx(golden["cohen_kappa"], abs=1e-12)
        assert by_measure(judged)["mean_cohen_kappa"] == pytest.approx(expected["mean_cohen_kappa"], abs=1e-12)

    def test_golden_alpha_of_every_label_of_sets(self, agreement, shared_data):
        (judged,) = agree_on_files(shared_data, ["lewidi2025/VariErrNLI_dev.json"])["judged"]
        for row in judged["labels"]:
            expected = agreement["datasets"][f"VEN.dev.binary_{row['label']}"]
            assert row["alpha"] == pytest.approx(expected["krippendorff_alpha_nominal"], abs=1e-12)
            assert row["count"] == expected["label_counts"]["1"]
        alphas = [row["alpha"] for row in judged["labels"]]
        assert by_measure(judged)["mean_binary_alpha"] == pytest.approx(np.mean(alphas), abs=1e-12)

    def test_votes_of_machines_are_apart(self, shared_data):
        subject = about(imported(shared_data, MT_BENCH))
        with_people = agree(subject, partitions=["systems"])
        (left_out,) = [entry for entry in with_people["exclusions"] if entry["what"] == "votes"]
        assert left_out == {"what": "votes", "count": 2400, "reason": "votes of machines"}
        assert with_people["counts"]["votes_judgements"] == 3355
        (alone,) = [entry for entry in with_people["exclusions"] if entry["reason"].startswith("one judgement only")]
        assert (alone["count"], alone["reason"]) == (853, "one judgement only, which says nothing of agreement")
        share = by_measure(with_people["judged"][0])["percentage_agreement"]
        as_zero = agree(subject, partitions=[], percentage_minimum=0)["judged"][0]
        assert round(by_measure(as_zero)["percentage_agreement"], 3) == 0.391
        assert share == pytest.approx(by_measure(as_zero)["percentage_agreement"] * 1814 / 961)
        assert len(with_people["judged"][0]["partitions"]) == 15
        alone = agree(subject, judges="machines")
        assert by_measure(alone["judged"][0])["alpha_nominal"] is None
        assert alone["judged"][0]["measures"][0]["reason"] == NO_PAIRS


class TestAStudy:
    def test_both_steps_are_those_of_the_responses_that_count(self, answered):
        Assignment.objects.filter(pk=answered.assignments[0].pk).update(is_pilot=True)
        result = agree(Subject.of_study(answered.study))
        labels, preferences = result["judged"]
        answers = gather_study(answered.study).answers
        kept = answers.counting(answers.is_answered).kept
        sets = SetAnnotations.from_indicators(answers.instance[kept], answers.expert[kept], answers.labels[kept])
        assert by_measure(labels)["mean_binary_alpha"] is None  # everyone always chose the same label
        assert math.isnan(mean_binary_alpha(sets).value)
        words = {(True, True): "both", (True, False): "human", (False, True): "system", (False, False): "neither"}
        said = [words[pair] for pair in zip(answers.first_chosen[kept], answers.second_chosen[kept], strict=True)]
        items = answers.comparison[kept].tolist()
        alpha = krippendorff_alpha(SetAnnotations.from_columns(items, None, [{word} for word in said]), "nominal")
        assert by_measure(preferences)["alpha_nominal"] == pytest.approx(alpha.value, abs=1e-12)
        assert preferences["variation"]["label_counts"]["both"] == said.count("both")
        assert {"what": "responses", "count": 1, "reason": PILOT, "of": "Step 2: preferences"} in result["exclusions"]
        with_pilot = agree(Subject.of_study(answered.study), include_pilot=True)
        assert with_pilot["counts"]["preferences_judgements"] == len(answered.assignments)

    def test_nobody_agrees_with_themselves_about_a_text_that_they_had_beside_two_systems(self, tmp_path):
        result = agree(Subject.of_study(restored_original(make_two_experts(tmp_path))))
        labels, preferences = result["judged"]
        assert by_measure(labels)["alpha_nominal"] == pytest.approx(10 / 17, abs=1e-12)  # of 8 labels on 4 texts
        assert by_measure(preferences)["alpha_nominal"] == pytest.approx(5 / 14, abs=1e-12)
        assert result["counts"]["labels_judgements"] == 8
        again = {"what": "responses", "count": 3, "reason": LABELLED_BEFORE, "of": "Step 1: labels"}
        assert again in result["exclusions"]

    def test_partitions_by_system_hold_all_comparisons_of_each(self, answered):
        (judged,) = agree(Subject.of_study(answered.study), steps=["preferences"], partitions=["systems"])["judged"]
        assert [row["partition"] for row in judged["partitions"]] == sorted(s.name for s in answered.systems)
        assert sum(row["items"] for row in judged["partitions"]) == 24

    def test_what_is_undefined_says_why_and_papers_print_one(self, study):
        labels = agree(Subject.of_study(study), steps=["labels"])
        row = labels["judged"][0]["measures"][0]
        assert (row["value"], row["low"]) == (None, None)
        assert "all annotations are equal" in row["reason"]
        assert labels["tables"][0]["rows"][0]["notes"].startswith("undefined: all annotations are equal")
        papers = agree(Subject.of_study(study), steps=["labels"], constant="1")
        assert papers["judged"][0]["measures"][0]["value"] == 1.0

    def test_an_interval_holds_its_value_and_narrows_with_the_level(self, study):
        def bounds(**parameters):
            (judged,) = agree(Subject.of_study(study), steps=["preferences"], resamples=400, **parameters)["judged"]
            row = judged["measures"][0]
            assert row["low"] < row["value"] < row["high"]
            return row["high"] - row["low"]

        assert bounds(level=0.5) < bounds(level=0.95) < bounds(level=0.99)
        assert bounds(interval="bca") > 0

    def test_step_2_is_the_same_with_and_without_step_1(self, study):
        both = agree(Subject.of_study(study))["judged"][1]
        (alone,) = agree(Subject.of_study(study), steps=["preferences"])["judged"]
        assert json.dumps(both) == json.dumps(alone)

    def test_pairs_need_enough_items_in_common(self, study):
        result = agree(Subject.of_study(study), steps=["preferences"], least_common=25)
        assert result["judged"][0]["pairs"] == []
        (left_out,) = [entry for entry in result["exclusions"] if entry["what"] == "pairs of experts"]
        assert (left_out["count"], left_out["reason"]) == (6, "fewer than 25 items in common")

    def test_of_very_many_pairs_those_with_most_items_are_listed_and_all_count(self, study, monkeypatch):
        full = agree(Subject.of_study(study), steps=["preferences"], least_common=1)
        monkeypatch.setattr(measures, "LISTED", 2)
        result = agree(Subject.of_study(study), steps=["preferences"], least_common=1)
        (judged,), (every,) = result["judged"], full["judged"]
        most = sorted(every["pairs"], key=lambda row: -row["n_items"])[:2]
        assert judged["pairs"] == [row for row in every["pairs"] if row in most]
        assert by_measure(judged)["mean_cohen_kappa"] == by_measure(every)["mean_cohen_kappa"]
        (left_out,) = [entry for entry in result["exclusions"] if entry["what"] == "pairs of experts"]
        assert left_out["count"] == len(every["pairs"]) - 2 == 4

    def test_the_figures_say_what_was_measured(self, study):
        result = agree(Subject.of_study(study))
        entry = analyses.get("agreement")
        assert entry.figure_names(result)[-2:] == ["agreement_pairs-labels", "agreement_pairs-preferences"]
        drawn = json.dumps(entry.draw("agreement_pairs-preferences", result).to_dict())
        assert '"row": "Expert 1"' in drawn
        value = by_measure(result["judged"][1])["alpha_nominal"]
        measures = json.dumps(entry.draw("agreement_measures", result).to_dict(), ensure_ascii=False)
        assert f"{value:.2f}".replace("-", "−") in measures
        assert "undefined" in measures


def test_a_dataset_without_annotations_says_what_to_do():
    dataset = answered_study().study.dataset
    with pytest.raises(AnalysisError, match="has judgement distributions but does not say who gave which label"):
        agree(Subject.of_dataset(dataset))


def test_bounds_that_do_not_rise_are_refused(study):
    with pytest.raises(InvalidParameters, match="expected increasing numbers"):
        agree(Subject.of_study(study), bounds=[0.8, 0.6])
