"""Submissions in the form of LeWiDi 2025's own task are taken as they are: what is odd about them is noted."""

import json
import re

import numpy as np
import pytest

from annotations.importing.datasets import RefusedWithReport, import_dataset, import_predictions
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, HumanAnnotation, PredictedAnnotations, System
from tests.annotations.importing.test_lewidi2025 import item

pytestmark = pytest.mark.django_db


@pytest.fixture
def real(shared_data):
    """Import published files as one dataset."""

    def real(*names, slug="real"):
        files = [SourceFile.at(shared_data / "lewidi2025" / f"{name}.json") for name in names]
        report = import_dataset(files=files, slug=slug)
        return Dataset.objects.get(slug=slug), report

    return real


def ids_of(dataset):
    return list(dataset.instances.order_by("position").values_list("external_id", flat=True))


def lines(ids, rows):
    return "".join(f"{id_}\t{row}\n" for id_, row in zip(ids, rows, strict=True))


@pytest.mark.shared_data
def test_csc_in_seven_bins_is_taken_without_its_empty_bin(real, write):
    dataset, _ = real("CSC_dev")
    rows = [[0.0, *row] for row in dataset.gold.tolist()]
    report = import_predictions(files=[write("csc_soft.tsv", lines(ids_of(dataset), rows))], dataset=dataset)
    assert len(rows) == 704
    assert [re.findall(r"\d", note) for note in report.notes] == [["7", "0", "6", "1", "0"]]
    np.testing.assert_array_equal(System.objects.get().predictions, dataset.gold)
    assert System.objects.get().options == {"align": "id"}


@pytest.mark.shared_data
def test_what_csc_submissions_give_to_bin_0_is_kept_beside_point_1(real, write):
    dataset, _ = real("CSC_dev")
    rows = [[0.25, *(0.75 * row)] if i % 2 else [0.0, *row] for i, row in enumerate(dataset.gold)]
    file = write("csc_soft.tsv", lines(ids_of(dataset), [list(map(float, row)) for row in rows]))
    report = import_predictions(files=[file], dataset=dataset)
    assert "352 of 704" in report.notes[0]
    system = System.objects.get()
    np.testing.assert_allclose(system.predictions[1], 0.75 * dataset.gold[1] + [0.25, 0, 0, 0, 0, 0])
    assert system.options["below_scale"] == [0.0, 0.25] * 352
    again = import_predictions(files=[file], dataset=dataset)
    assert (again.changed, again.unchanged) == (False, ["csc"])


@pytest.mark.parametrize("points", [("1", "2", "7"), ("-1", "0", "1")])
def test_one_number_too_many_is_still_refused_on_another_scale(db, write, points):
    items = {"a": item(dict(zip("xyz", points, strict=True)))}
    import_dataset(files=[write("d_dev.json", json.dumps(items))], slug="d")
    dataset = Dataset.objects.get()
    assert dataset.labels.count() == 3
    with pytest.raises(RefusedWithReport, match=r"^d_soft\.tsv, line 1, distribution: .*\[0, 0, 0\.5, 0\.5\]"):
        import_predictions(files=[write("d_soft.tsv", "a\t[0, 0, 0.5, 0.5]\n")], dataset=dataset)


@pytest.mark.shared_data
def test_varierrnli_lists_that_are_longer_than_the_annotators_are_cut_as_the_organisers_do(real, write, shared_data):
    dataset, _ = real("VariErrNLI_dev")
    published = json.loads((shared_data / "lewidi2025" / "VariErrNLI_dev.json").read_text())
    rng = np.random.default_rng(3)
    # As `annotators` lists them: a person once for every label given, so that five of the items have too many.
    rows = {
        id_: [rng.integers(0, 2, len(row["annotators"].split(","))).tolist() for _ in range(3)]
        for id_, row in published.items()
    }
    people = [len(row["annotations"]) for row in published.values()]
    longer = sum(len(row[0]) > count for row, count in zip(rows.values(), people, strict=True))
    assert longer == 5
    report = import_predictions(files=[write("v_pe.tsv", lines(rows, rows.values()))], dataset=dataset)
    assert [note[:22] for note in report.notes] == ["v_pe.tsv: 5 of 50 item"]
    stored = PredictedAnnotations.objects.get().answers
    expected = np.concatenate([np.array(row).T[:count] for row, count in zip(rows.values(), people, strict=True)])
    np.testing.assert_array_equal(stored, expected)
    assert len(stored) == HumanAnnotation.objects.count()


@pytest.mark.shared_data
def test_longer_lists_are_known_for_annotations_whatever_the_file_is_called(real, write):
    dataset, _ = real("VariErrNLI_dev")
    rows = [[[0] * 6, [1] * 6, [0] * 6]] * 50
    report = import_predictions(files=[write("team.tsv", lines(ids_of(dataset), rows))], dataset=dataset)
    assert report.systems == ["team (single annotations)"]


def test_a_list_that_is_too_short_is_refused(db, write):
    import_dataset(files=[write("d_dev.json", json.dumps({"a": item({"x": "1", "y": "2"})}))], slug="d")
    with pytest.raises(RefusedWithReport, match=r"^d_pe\.tsv, line 1, annotations: .*\[1\]"):
        import_predictions(files=[write("d_pe.tsv", "a\t[1]\n")], dataset=Dataset.objects.get())


@pytest.fixture
def two_files(db, write):
    """A file that is right and one that is not, for one dataset."""
    import_dataset(files=[write("d_dev.json", json.dumps({"a": item({"x": "1", "y": "2"})}))], slug="d")
    return [write("t_soft.tsv", "a\t[0.5, 0.5]\n"), write("t_pe.tsv", "a\t[1]\n")]


def test_a_file_that_came_with_a_refused_one_is_said_to_be_right(two_files):
    with pytest.raises(RefusedWithReport) as refused:
        import_predictions(files=two_files, dataset=Dataset.objects.get())
    problems = refused.value.report.problems
    assert [problem["file"] for problem in problems] == ["t_pe.tsv", "t_soft.tsv"]
    assert problems[1]["reason"].startswith("this file is valid")
    assert "'refused' to 'leave_out'" in problems[1]["remedy"]
    assert not System.objects.exists()


def test_a_refused_file_can_be_left_out_and_is_said(two_files):
    report = import_predictions(files=two_files, dataset=Dataset.objects.get(), options={"refused": "leave_out"})
    assert report.systems == ["t"]
    assert report.notes[0].startswith("Left out: t_pe.tsv, line 1, annotations: these are not 2 answers")
    assert (System.objects.count(), PredictedAnnotations.objects.count()) == (1, 0)


def test_where_no_file_is_left_the_import_is_refused(two_files):
    with pytest.raises(RefusedWithReport):
        import_predictions(files=two_files[1:], dataset=Dataset.objects.get(), options={"refused": "leave_out"})


@pytest.mark.shared_data
def test_the_splits_of_varierrnli_make_one_dataset_although_they_share_ids(real, shared_data):
    """Train and dev, the two splits that are here, share four of the eight ids."""
    dataset, report = real("VariErrNLI_train", "VariErrNLI_dev")
    assert report.instances == 388 + 50
    assert any(note.startswith("4 ids ") and "'train/111338'" in note for note in report.notes)
    assert {id_ for id_ in ids_of(dataset) if "/" in id_} == {
        f"{split}/{id_}" for split in ("train", "dev") for id_ in ("111338", "129081", "32754", "84781")
    }
    alone, _ = real("VariErrNLI_dev", slug="alone")
    assert not any("/" in id_ for id_ in ids_of(alone))


def test_eight_ids_in_three_splits_are_told_apart_by_their_split(db, write):
    files = [
        write(f"V_{split}.json", json.dumps({str(i): item({"x": "1", "y": "2"}, split=split) for i in numbers}))
        for split, numbers in {"train": range(20), "dev": range(16, 30), "test": range(26, 40)}.items()
    ]
    report = import_dataset(files=files, slug="v")
    assert report.instances == 20 + 14 + 14
    assert any(note.startswith("8 ids ") and "'train/16'" in note for note in report.notes)


def test_one_id_twice_in_one_split_is_still_refused(db, write):
    files = [write(f"V_{name}.json", json.dumps({"7": item({"x": "1"})})) for name in "ab"]
    with pytest.raises(RefusedWithReport, match=r"^V_b\.json, item '7': .*dev/7"):
        import_dataset(files=files, slug="v")
