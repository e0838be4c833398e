"""What looks odd in labels is said, in the dry run and in the result, and spaces around labels make no other label."""

import pytest

from annotations.importing.datasets import import_dataset, import_predictions
from annotations.models import Dataset, System

pytestmark = pytest.mark.django_db


def table(*labels):
    """One instance a label, each judged by two people who agree."""
    rows = [f"i{n},p{person},{label}" for n, label in enumerate(labels) for person in (1, 2)]
    return "\n".join(["instance,annotator,label", *rows])


def notes(write, *labels, **options):
    """The notes of the dry run, which are those of the import."""
    file = write("t.csv", table(*labels))
    rehearsed = import_dataset(files=[file], slug="d", options=options, dry_run=True)
    done = import_dataset(files=[file], slug="d", options=options)
    assert rehearsed.notes == done.notes
    assert rehearsed.problems == []
    return " ".join(done.notes)


def test_labels_1_to_7_are_classes_with_a_hint_at_the_scale(write):
    told = notes(write, *"1234567")
    assert Dataset.objects.get().task == "multiclass"
    assert "(1 to 7)" in told
    assert "'task' = 'ordinal'" in told
    assert "'labels'" not in told


def test_points_that_nobody_gave_are_named_in_the_hint(write):
    told = notes(write, "1", "2", "3", "7", "10")
    assert "'labels' = '1;2;3;4;5;6;7;8;9;10'" in told


def test_what_the_hint_says_makes_the_whole_scale(write):
    told = notes(write, "1", "2", "3", "7", "10", task="ordinal", labels="1;2;3;4;5;6;7;8;9;10")
    assert "lacks" not in told
    assert "are numbers" not in told
    values = list(Dataset.objects.get().labels.order_by("position").values_list("value", flat=True))
    assert values == list(map(float, range(1, 11)))


def test_an_ordinal_scale_with_gaps_says_which_points_it_lacks(write):
    told = notes(write, "1", "2", "3", "7", "10", task="ordinal")
    assert "scale lacks '4', '5', '6', '8', '9'" in told


@pytest.mark.parametrize("labels", [("0", "1"), ("a", "b", "c"), ("1", "2", "many")])
def test_other_labels_get_no_hint(write, labels):
    told = notes(write, *labels)
    assert "number" not in told
    assert "differ only" not in told


def test_spaces_around_labels_are_taken_off_and_near_equal_labels_are_named(write):
    told = notes(write, "yes", "yes ", "Yes", "no")
    names = list(Dataset.objects.get().labels.order_by("position").values_list("name", flat=True))
    assert names == ["yes", "Yes", "no"]
    assert "Spaces around labels were removed: 'yes '." in told
    assert "'yes', 'Yes' differ only in upper and lower case or in spaces, and were treated as 2 labels" in told
    assert "'label_names' = 'Yes=yes'" in told


def test_the_remedy_of_the_note_makes_them_one(write):
    told = notes(write, "yes", "yes ", "Yes", "no", label_names="Yes=yes")
    assert list(Dataset.objects.get().labels.values_list("name", flat=True)) == ["yes", "no"]
    assert "differ only" not in told


def test_labels_of_long_tables_are_stripped_in_distributions_and_predictions_alike(write):
    rows = "instance,label,probability\na,yes ,0.25\na,no,0.75\n"
    import_dataset(files=[write("d.csv", rows)], slug="d")
    dataset = Dataset.objects.get()
    assert list(dataset.labels.values_list("name", flat=True)) == ["yes", "no"]
    import_predictions(files=[write("p.csv", rows.replace("no", " no"))], dataset=dataset)
    assert System.objects.get().predictions.tolist() == [[0.25, 0.75]]


def test_a_dataset_of_an_earlier_version_keeps_the_spaces_of_its_labels(write):
    rows = "instance,label,probability\na,yes,0.25\na,no,0.75\n"
    import_dataset(files=[write("d.csv", rows)], slug="d")
    dataset = Dataset.objects.get()
    dataset.labels.filter(name="yes").update(name="yes ")
    import_predictions(files=[write("p.csv", rows.replace("yes", "yes "))], dataset=dataset)
    assert System.objects.get().predictions.tolist() == [[0.25, 0.75]]
