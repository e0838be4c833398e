"""Submissions to LeWiDi 2025: lists are data, a line is its id's or its position's, and each task has its own place."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.importing.datasets import RefusedWithReport, import_dataset, import_predictions
from annotations.importing.readers.lewidi2025_submissions import list_in
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, HumanAnnotation, PredictedAnnotations, System
from tests.annotations.importing.test_lewidi2025 import item
from tests.annotations.importing.test_properties import quick

pytestmark = pytest.mark.django_db


@pytest.fixture
def scale(db, write):
    """Two items on a scale from 1 to 6, with two annotators and with three."""
    items = {
        "a": item({"x": "1", "y": "2"}, **{"annotation task": "sarcasm detection"}),
        "b": item({"x": "6", "y": "6", "z": "5"}, **{"annotation task": "sarcasm detection"}),
    }
    import_dataset(files=[write("scale_dev.json", json.dumps(items))], slug="scale")
    return Dataset.objects.get(slug="scale")


@pytest.fixture
def many(db, write):
    """Two items of three labels of which an annotator may give several."""
    items = {"a": item({"x": "c", "y": "e,n"}), "b": item({"x": "e", "y": "n", "z": "n"})}
    import_dataset(files=[write("many_dev.json", json.dumps(items))], slug="many")
    return Dataset.objects.get(slug="many")


@pytest.fixture
def submit(write):
    """Import the lines of a submission."""

    def submit(dataset, *lines, name="team.tsv", dry_run=False, **options):
        file = write(name, "".join(line + "\n" for line in lines))
        return import_predictions(files=[file], dataset=dataset, options=options, dry_run=dry_run)

    return submit


SOFT = ("a\t[0.5, 0.5, 0, 0, 0, 0]", "b\t[0, 0, 0, 0, 0.25, .75]")
SINGLE = ("a\t[1, 3]", "b\t[6, 6, 4.0]")


def test_the_soft_task_predicts_distributions(scale, submit):
    report = submit(scale, *reversed(SOFT), model="Team")
    assert (report.format, report.systems, report.notes) == ("lewidi2025", ["Team"], [])
    system = System.objects.get()
    assert system.predictions.tolist() == [[0.5, 0.5, 0, 0, 0, 0], [0, 0, 0, 0, 0.25, 0.75]]
    assert system.options == {"align": "id"}


def test_the_soft_task_predicts_a_pair_for_every_label_of_a_multilabel_dataset(many, submit):
    assert list(many.labels.values_list("name", flat=True)) == ["c", "e", "n"]
    submit(many, "a\t[[0.25, 0.75], [1, 0], [0, 1]]", "b\t[[1, 0], [1, 0], [0.5, 0.5]]", name="x_soft.tsv")
    assert System.objects.get().predictions.tolist() == [[0.75, 0, 1], [0, 0, 0.5]]
    assert System.objects.get().model == "x"


def test_the_perspectivist_task_predicts_every_annotation_in_order(scale, submit):
    report = submit(scale, *SINGLE, model="Team")
    assert report.systems == ["Team (single annotations)"]
    stored = PredictedAnnotations.objects.get()
    assert (stored.name, stored.answers.shape) == ("Team", (HumanAnnotation.objects.count(), 6))
    assert (stored.answers.argmax(axis=1) + 1).tolist() == [1, 3, 6, 6, 4]
    assert not System.objects.exists()


def test_the_perspectivist_task_predicts_a_list_for_every_label_of_a_multilabel_dataset(many, submit):
    submit(many, "a\t[[1, 0], [0, 1], [0, 1]]", "b\t[[0, 0, 0], [1, 0, 1], [0, 1, 1]]")
    assert PredictedAnnotations.objects.get().answers.tolist() == [
        [1, 0, 0],
        [0, 1, 1],
        [0, 1, 0],
        [0, 0, 1],
        [0, 1, 1],
    ]


def test_one_system_may_predict_both(scale, write):
    files = [write("t_soft.tsv", "\n".join(SOFT)), write("t_pe.tsv", "\n".join(SINGLE))]
    report = import_predictions(files=files, dataset=scale)
    assert report.systems == ["t", "t (single annotations)"]
    again = import_predictions(files=files, dataset=scale)
    assert (again.changed, again.unchanged) == (False, ["t", "t (single annotations)"])
    other = write("t_pe.tsv", "\n".join(SINGLE).replace("3", "2"))
    assert (
        import_predictions(files=[other], dataset=scale, dry_run=True).problems[0]["value"] == "t (single annotations)"
    )
    assert PredictedAnnotations.objects.count() == 1


def test_wrong_ids_are_refused_unless_the_position_counts(scale, submit):
    lines = [line.replace("b\t", "7\t") for line in SOFT]
    with pytest.raises(RefusedWithReport) as refused:
        submit(scale, *lines)
    problem = refused.value.report.problems[0]
    assert (problem["line"], problem["field"], problem["value"]) == (2, "id", "7")
    assert "'align' to 'position'" in problem["remedy"]
    report = submit(scale, *lines, align="position")
    assert [note[:19] for note in report.notes] == ["team.tsv: 1 of 2 id"]
    assert System.objects.get().options == {"align": "position"}


def test_lines_by_position_are_as_many_as_instances(scale, submit):
    with pytest.raises(RefusedWithReport, match="there are 1 lines for 2 instances"):
        submit(scale, SOFT[0], align="position")


def test_rounded_distributions_are_refused_or_divided_by_their_sum(scale, submit):
    rounded = ("a\t[0.33, 0.33, 0.33, 0, 0, 0]", SOFT[1])
    with pytest.raises(RefusedWithReport, match=r"^team\.tsv, line 1, distribution: .*0\.99.*'rescale'"):
        submit(scale, *rounded)
    report = submit(scale, *rounded, rescale=True)
    assert [note[:24] for note in report.notes] == ["team.tsv: 1 distribution"]
    np.testing.assert_allclose(System.objects.get().predictions.sum(axis=1), 1, rtol=1e-15)


def test_what_could_be_either_is_asked_for(db, write, submit):
    items = {"a": item({"x": "0", "y": "1"})}
    import_dataset(files=[write("d_dev.json", json.dumps(items))], slug="d")
    dataset = Dataset.objects.get(slug="d")
    with pytest.raises(RefusedWithReport, match=r"^team\.tsv, predicts: "):
        submit(dataset, "a\t[0, 1]")
    submit(dataset, "a\t[0, 1]", predicts="annotations")
    submit(dataset, "a\t[0, 1]", predicts="distributions")
    assert (PredictedAnnotations.objects.count(), System.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ("b [1, 2]", "", "this is not an id and a list"),
        ("b\t__import__('os').getcwd()", "", "this is not an id and a list"),
        ("b\t[0.5 0.5]", "", "this is not an id and a list"),
        ("b\t[nan, 1, 0, 0, 0, 0]", "", "this is not an id and a list"),
        ("b\t" + "[" * 90_000, "", "this is not an id and a list"),
        ("b\t[" + "1, " * 40_000 + "1]", "", "this is not an id and a list"),
        ("b\t[" + "9" * 5000 + "]", "", "this is not an id and a list"),
        ("a\t[0, 0, 0, 0, 0, 1]", "id", "the item appears twice"),
        ("c\t[0, 0, 0, 0, 0, 1]", "id", "the item is not in the dataset"),
        ("b\t[0, 0, 0, 0, 1]", "distribution", "these are not 6 numbers"),
        ("b\t[[0, 0, 0, 0, 0, 1]]", "distribution", "these are not 6 numbers"),
        ("b\t[0, 0, 0, 0, -1, 2]", "distribution", "a value is not in [0, 1]"),
        ("b\t[0, 0, 0, 0, 0.5, 0.25]", "distribution", "the numbers do not sum to 1"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(scale, submit, line, field, reason):
    for dry_run in (False, True):
        try:
            report = submit(scale, SOFT[0], line, name="t_soft.tsv", dry_run=dry_run)
        except RefusedWithReport as refusal:
            report = refusal.report
            assert not dry_run
        problem = report.problems[0]
        assert (problem["file"], problem["line"], problem["field"], problem["reason"]) == (
            "t_soft.tsv",
            2,
            field,
            reason,
        )
        assert problem["remedy"]
    assert not System.objects.exists()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("b\t[6, 6]", "these are not 3 answers"),
        ("b\t[6, 6, 7]", "the answer is none of the labels"),
        ("b\t[6, 6, 2.5]", "the answer is none of the labels"),
        ("b\t[6, 6, [6]]", "these are not 3 answers"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_its_line(scale, submit, line, reason):
    with pytest.raises(RefusedWithReport) as refused:
        submit(scale, SINGLE[0], line, name="t_pe.tsv")
    problem = refused.value.report.problems[0]
    assert (problem["line"], problem["field"], problem["reason"]) == (2, "annotations", reason)
    assert not PredictedAnnotations.objects.exists()


def test_instances_that_are_absent_are_listed(scale, submit):
    with pytest.raises(RefusedWithReport, match=r"^team\.tsv, id: .*1 of 2 .*'b'"):
        submit(scale, SOFT[0])


def test_single_annotations_need_known_annotators(db, write, submit):
    counted = write("c.csv", "instance,label,count\na,1,3\na,2,4\n")
    import_dataset(files=[counted], slug="c")
    with pytest.raises(RefusedWithReport, match=r"^team\.tsv, predicts: .*: c\)"):
        submit(Dataset.objects.get(slug="c"), "a\t[1, 2]", predicts="annotations")


NUMBERS = st.one_of(st.integers(-9, 9), st.floats(-1e6, 1e6, allow_nan=False).map(float))
LISTS = st.lists(st.one_of(NUMBERS, st.lists(NUMBERS, max_size=4)), max_size=6)


@quick
@given(LISTS, st.sampled_from(["list", "tuple", "json"]))
def test_every_list_that_python_writes_is_read_back(value, form):
    text = json.dumps(value) if form == "json" else str(value)
    if form == "tuple":
        text = str([tuple(part) if isinstance(part, list) else part for part in value])
    assert list_in(text) == value


@quick
@given(st.text(st.sampled_from("[](),.+-0123456789eE \"'_xn"), max_size=60))
def test_no_text_is_taken_for_something_else_than_lists_of_numbers(text):
    value = list_in(text)
    flat = [value] if value is not None else []
    while flat:
        part = flat.pop()
        assert isinstance(part, list | int | float)
        flat += part if isinstance(part, list) else []


@pytest.mark.shared_data
@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_published_baseline_scores_come_out_of_imported_submissions(shared_data, golden, write, split):
    import_dataset(files=[SourceFile.at(shared_data / "lewidi2025" / f"Paraphrase_{split}.json")], slug="par")
    dataset = Dataset.objects.get()
    known = json.loads((golden / "lewidi2025_par.json").read_text())
    people = [f"Ann{k}" for k in (1, 2, 3, 4)]
    modes = [known["baseline"]["mode_per_annotator"][person] for person in people]
    ids = dataset.instances.order_by("position").values_list("external_id", flat=True)
    files = [
        write("b_soft.tsv", "".join(f"{id_}\t{known['baseline']['soft']}\n" for id_ in ids)),
        write("b_pe.tsv", "".join(f"{id_}\t{modes}\n" for id_ in ids)),
    ]
    import_predictions(files=files, dataset=dataset)
    expected = {entry["name"]: entry["value"] for entry in known["entries"]}
    Q, P = System.objects.get().predictions, dataset.gold
    wasserstein = np.abs(Q.cumsum(axis=1) - P.cumsum(axis=1)).sum(axis=1).mean()
    assert wasserstein == pytest.approx(
        expected[f"Par.taskA.mostfreq.{split}.soft_recomputed_from_annotations"], rel=1e-12
    )
    said = HumanAnnotation.objects.order_by("instance__position", "position").values_list("labels", flat=True)
    away = np.abs(PredictedAnnotations.objects.get().answers.argmax(axis=1) - np.array([labels[0] for labels in said]))
    assert away.mean() / 11 == pytest.approx(expected[f"Par.taskB.mostfreq_per_annotator.{split}.divisor11"], rel=1e-12)
