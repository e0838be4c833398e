"""JUDGE-BENCH: one criterion a dataset, on the scale that the file declares, by people whom nobody knows."""

import json
import re
from collections import Counter

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from annotations.importing.datasets import RefusedWithReport, import_dataset
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, HumanAnnotation
from tests.annotations.importing.test_properties import NAMES, quick

pytestmark = pytest.mark.django_db

SAFE = {"metric": "safety", "category": "categorical", "labels_list": ["No", "Yes", "Unsure"]}
FLUENT = {"metric": "fluency", "category": "graded", "worst": 5, "best": 1}
QUALITY = {"metric": "quality", "category": "continuous", "worst": 0, "best": 100}


def instance(id_="a", text="A text.", **scores):
    return {
        "id": id_,
        "instance": text,
        "annotations": {metric: {"individual_human_scores": given} for metric, given in scores.items()},
    }


@pytest.fixture
def write_file(write):
    def write_file(*instances, criteria=(SAFE,)):
        document = {"dataset": "D", "annotations": list(criteria), "instances": list(instances)}
        return write("judged.json", json.dumps(document))

    return write_file


def votes():
    """Who said what of which instance, and how many of them, in order."""
    rows = HumanAnnotation.objects.order_by("instance__position", "position")
    return list(rows.values_list("instance__external_id", "annotator", "labels", "count"))


def test_unknown_people_are_counted_by_label(bring, write_file):
    dataset = bring(write_file(instance(173, safety=["Yes", "No", "Yes"]), instance("b", safety=["Unsure"])))
    assert (dataset.task, list(dataset.labels.values_list("name", flat=True))) == (
        "multiclass",
        ["No", "Yes", "Unsure"],
    )
    assert votes() == [("173", "", [0], 1), ("173", "", [1], 2), ("b", "", [2], 1)]


def test_people_can_be_known_by_their_position(bring, write_file):
    bring(write_file(instance(safety=["Yes", None, "No"])), raters="position")
    assert votes() == [("a", "1", [1], 1), ("a", "3", [0], 1)]


def test_graded_criteria_are_scales_whichever_end_is_best(bring, write_file):
    dataset = bring(write_file(instance(fluency=[1, 5, 5.0, "2"]), criteria=[FLUENT]))
    assert (dataset.task, list(dataset.labels.values_list("name", "value"))) == (
        "ordinal",
        [("1", 1.0), ("2", 2.0), ("3", 3.0), ("4", 4.0), ("5", 5.0)],
    )
    assert dataset.gold.tolist() == [[0.25, 0.25, 0, 0, 0.5]]


def test_named_grades_keep_their_order(bring, write_file):
    grades = {"metric": "fluency", "category": "graded", "labels_list": ["bad", "fair", "good"]}
    dataset = bring(write_file(instance(fluency=["good"]), criteria=[grades]))
    assert list(dataset.labels.values_list("name", "value")) == [("bad", 0.0), ("fair", 1.0), ("good", 2.0)]


def test_a_continuous_criterion_is_refused_or_cut_into_bins(refused, bring, write_file):
    file = write_file(instance(quality=[0, 24.9, 25, 100]), criteria=[QUALITY])
    assert refused(file)[0]["remedy"].startswith("Set the option 'bins'")
    dataset = bring(file, bins=4)
    assert dataset.task == "ordinal"
    assert list(dataset.labels.values_list("name", "value")) == [
        ("[0, 25)", 12.5),
        ("[25, 50)", 37.5),
        ("[50, 75)", 62.5),
        ("[75, 100]", 87.5),
    ]
    assert dataset.gold.tolist() == [[0.5, 0.25, 0, 0.25]]


def test_of_several_criteria_one_is_chosen_and_a_check_lists_them(refused, db, write_file):
    file = write_file(instance(safety=["Yes"], fluency=[3]), criteria=[SAFE, FLUENT])
    assert (refused(file)[0]["field"], refused(file)[0]["value"]) == ("criterion", "'safety', 'fluency'")
    assert "no criterion 'odd'" in refused(file, criterion="odd")[0]["reason"]
    report = import_dataset(files=[file], slug="x", options={"criterion": "fluency"})
    assert report.task == "ordinal"
    assert [re.findall(r"'\w+'", note) for note in report.notes] == [["'fluency'", "'safety'"]]


@pytest.mark.parametrize("scores", [{"safety": []}, {}])
def test_an_instance_without_scores_is_refused_or_left_out(write_file, scores):
    file = write_file(instance(safety=["Yes"]), instance("b", **scores))
    with pytest.raises(RefusedWithReport, match="item 'b', annotations: "):
        import_dataset(files=[file], slug="x")
    report = import_dataset(files=[file], slug="x", options={"unjudged": "leave_out"})
    assert (report.instances, [note.split()[:2] for note in report.notes]) == (1, [["1", "item"]])


@pytest.mark.parametrize(
    ("criteria", "score"), [(SAFE, "yes"), (FLUENT, 6), (FLUENT, 2.5), (FLUENT, True), (FLUENT, [])]
)
def test_a_score_outside_the_scale_is_refused_or_left_out(write_file, criteria, score):
    metric, good = criteria["metric"], "Yes" if criteria is SAFE else 1
    file = write_file(instance(**{metric: [good, score]}), criteria=[criteria])
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(files=[file], slug="x")
    problem = refused.value.report.problems[0]
    assert (problem["file"], problem["field"]) == ("judged.json", f"item 'a', {metric}, score 2")
    report = import_dataset(files=[file], slug="x", options={"outside": "leave_out"})
    assert (report.annotations, [note.split()[:2] for note in report.notes]) == (1, [["1", "score"]])


def test_the_texts_of_an_object_are_segments(bring, write_file):
    text = {"user_prompt": "Hello.", "response": "Hi.", "turn": 3, "nothing": None}
    dataset = bring(write_file(instance(text=text, safety=["Yes"])))
    assert dataset.instances.get().segments == [
        {"name": "user_prompt", "text": "Hello."},
        {"name": "response", "text": "Hi."},
        {"name": "turn", "text": "3"},
    ]


@pytest.mark.parametrize(
    ("criteria", "reason"),
    [
        ([{"metric": "safety"}], "the scoring of the criterion is not specified"),
        (
            [{"metric": "safety", "category": "graded", "worst": 1, "best": 1}],
            "the scoring of the criterion is not specified",
        ),
        ([{"metric": "safety", "category": "graded", "worst": 0.5, "best": 1}], "the scale has no points"),
        ([{"metric": "safety", "category": "graded", "worst": 0, "best": 10**9}], "the scale has no points"),
        ([{"metric": "safety", "category": "categorical", "labels_list": ["a", "a"]}], "these are not labels"),
        ([{"metric": "safety", "category": "categorical", "labels_list": [["a"]]}], "these are not labels"),
        ([{"metric": ""}], "a criterion has no name, or the name of another criterion"),
        ([SAFE, SAFE], "a criterion has no name, or the name of another criterion"),
        (["safety"], "a criterion has no name, or the name of another criterion"),
        ([], "criteria or instances are missing"),
    ],
)
def test_a_criterion_that_is_not_declared_whole_is_refused(write_file, criteria, reason):
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(
            files=[write_file(instance(safety=["Yes"]), criteria=criteria)], slug="x", format_name="judge-bench"
        )
    assert refused.value.report.problems[0]["reason"].startswith(reason)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": "b", "instance": 7, "annotations": {}}, "the instance is neither a text nor an object"),
        (instance("a", safety=["Yes"]), "the item appears twice"),
        (instance("b", safety="Yes"), "the scores are not a list"),
        (instance("b", text="\ud800", safety=["Yes"]), "the text contains half a character (a lone surrogate)"),
        ("b", "an instance is not an object"),
    ],
)
def test_a_bad_instance_is_refused(write_file, row, reason):
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(files=[write_file(instance(safety=["Yes"]), row)], slug="x", options={"unjudged": "leave_out"})
    assert reason in [problem["reason"] for problem in refused.value.report.problems]
    assert not Dataset.objects.exists()


SCORES = st.lists(st.one_of(st.sampled_from(["No", "Yes", "Unsure"]), st.none()), max_size=12)


@quick
@given(st.dictionaries(NAMES, SCORES, min_size=1, max_size=5).filter(lambda d: any(any(s) for s in d.values())))
def test_whatever_the_lists_hold_every_score_is_counted_once(tmp_path, scores):
    document = {"annotations": [SAFE], "instances": [instance(id_, safety=given) for id_, given in scores.items()]}
    file = tmp_path / "judged.json"
    file.write_text(json.dumps(document))
    expected = {id_: Counter(s for s in given if s) for id_, given in scores.items() if any(given)}
    for raters in ("unknown", "position"):
        with transaction.atomic():
            options = {"unjudged": "leave_out", "raters": raters}
            import_dataset(files=[SourceFile.at(file)], slug="x", options=options, format_name="judge-bench")
            found: dict[str, Counter[str]] = {}
            for id_, _, (label,), count in votes():
                found.setdefault(id_, Counter())[SAFE["labels_list"][label]] += count
            assert found == expected
            transaction.set_rollback(True)


@pytest.mark.shared_data
@pytest.mark.parametrize("raters", ["unknown", "position"])
def test_dices_holds_what_the_golden_file_counts(shared_data, golden, raters):
    file = SourceFile.at(shared_data / "dices350" / "dices_350_crowdsourced.json")
    report = import_dataset(files=[file], slug="dices", options={"raters": raters})
    expected = json.loads((golden / "agreement.json").read_text())["datasets"]["DICES-350_crowdsourced"]
    assert (report.format, report.task, report.instances) == ("judge-bench", "multiclass", expected["n_items"])
    assert (report.annotations, report.annotators) == (expected["n_annotations"], 123 if raters == "position" else 0)
    gold = Dataset.objects.get().gold
    assert (
        dict(zip(report.labels, (gold.sum(axis=0) * 123).round().astype(int).tolist(), strict=True))
        == expected["label_counts"]
    )
    assert gold.max(axis=1).mean() == pytest.approx(expected["mean_modal_share"], abs=1e-12)
