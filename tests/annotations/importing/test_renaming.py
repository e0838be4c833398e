"""Labels get other names, and fewer, when a dataset is imported: nobody is counted twice, and nothing is guessed."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from annotations.importing.datasets import RefusedWithReport, import_dataset, import_predictions
from annotations.importing.memory.options import BadOption, NamingOptions, options_from
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.renaming import Renaming, renamed_dataset
from annotations.importing.memory.tables import AnnotationRow, AnnotationTable, DatasetTable, InstanceRow, LabelSet
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, Event, HumanAnnotation, Label, PredictedAnnotations, System, Task
from tests.annotations.importing.test_lewidi2025 import item

VOTES = "instance,label,count\na,0,3\na,1,1\nb,1,2\n"
ABUSE = {"-3": "abusive", "-2": "abusive", "-1": "abusive", "0": "not abusive", "1": "not abusive"}


def conv_abuse(write):
    """Two conversations as LeWiDi publishes ConvAbuse; the file's own soft labels are of two classes."""
    items = {
        str(number): {
            "text": f"Text {number}.",
            "annotation task": "abusiveness detection",
            "number of annotations": len(marks),
            "annotations": ",".join(map(str, marks)),
            "annotators": ",".join(f"Ann{who}" for who in range(len(marks))),
            "lang": "en",
            "soft_label": {"0": 0.5, "1": 0.5},
            "split": "dev",
        }
        for number, marks in enumerate([(-3, -1, 0, 1), (1, 1, 0), (-2, -2, -3)])
    }
    return write("ConvAbuse_dev.json", json.dumps(items))


def labels_of(dataset):
    return list(dataset.labels.order_by("position").values_list("name", "value"))


class TestWhatComesOfIt:
    def test_a_scale_becomes_two_classes_by_counting_people(self, bring, write):
        dataset = bring(conv_abuse(write), label_names=ABUSE)
        assert (dataset.task, labels_of(dataset)) == ("multiclass", [("abusive", None), ("not abusive", None)])
        assert dataset.gold.tolist() == [[1 / 2, 1 / 2], [0, 1], [1, 0]]
        assert HumanAnnotation.objects.filter(instance__dataset=dataset).count() == 10

    def test_numbers_become_words_and_counts_stay(self, bring, write):
        dataset = bring(write("votes.csv", VOTES), label_names="0=no; 1=yes")
        assert labels_of(dataset) == [("no", None), ("yes", None)]
        assert dataset.gold.tolist() == [[3 / 4, 1 / 4], [0, 1]]
        assert [row.count for row in HumanAnnotation.objects.order_by("instance_id", "position")] == [3, 1, 2]
        assert Event.objects.get(subject="small").data["renamed_labels"] == [["0", "no"], ["1", "yes"]]

    def test_who_named_two_labels_that_become_one_named_it_once(self, bring, write):
        rows = "a,ann,tort\na,ann,contract\na,bob,contract\na,bob,tax\na,eve,\n"
        dataset = bring(
            write("votes.csv", "instance,annotator,label\n" + rows), label_names="tort=civil; contract=civil"
        )
        assert dataset.task == "multilabel"
        assert labels_of(dataset) == [("civil", None), ("tax", None)]
        assert [row.labels for row in HumanAnnotation.objects.order_by("position")] == [[0], [0, 1], []]
        assert dataset.gold.tolist() == [[2 / 3, 1 / 3]]

    def test_the_new_labels_stand_in_the_order_of_their_names(self, bring, write):
        dataset = bring(write("votes.csv", VOTES), label_names="1=yes, 0=no")
        assert labels_of(dataset) == [("yes", None), ("no", None)]
        assert dataset.gold.tolist() == [[1 / 4, 3 / 4], [1, 0]]

    def test_a_scale_stays_one_and_keeps_its_points(self, bring, write):
        rows = "".join(f"a,{point},{point}\n" for point in (1, 2, 3, 7))
        file = write("votes.csv", "instance,label,count\n" + rows)
        dataset = bring(file, task="ordinal", label_names="7=always; 1=never")
        assert labels_of(dataset) == [("never", 1), ("2", 2), ("3", 3), ("always", 7)]

    def test_neighbours_on_a_scale_meet_in_their_middle(self, bring, write):
        rows = "".join(f"a,{point},1\n" for point in (1, 2, 3, 4, 6))
        file = write("votes.csv", "instance,label,count\n" + rows)
        dataset = bring(file, task="ordinal", label_names="1=low; 2=low; 3=middle; 4=high; 6=high")
        assert (dataset.task, labels_of(dataset)) == ("ordinal", [("low", 1.5), ("middle", 3), ("high", 5)])
        assert dataset.gold.tolist() == [[2 / 5, 1 / 5, 2 / 5]]

    def test_points_that_are_no_neighbours_are_no_scale(self, db, write):
        rows = "".join(f"a,{point},1\n" for point in (1, 2, 3, 4))
        file = write("votes.csv", "instance,label,count\n" + rows)
        options = {"task": "ordinal", "label_names": "1=extreme; 4=extreme"}
        report = import_dataset(files=[file], slug="small", options=options, dry_run=True)
        assert report.task == "multiclass"
        assert "Points that are not neighbours were merged, so the task is multiclass." in report.notes

    def test_shares_of_a_multiclass_task_add_up(self, bring, write):
        rows = "a,x,0.1\na,y,0.2\na,z,0.7\n"
        dataset = bring(write("long.csv", "instance,label,probability\n" + rows), label_names="x=all,y=all,z=all")
        assert dataset.gold.tolist() == [[1.0]]

    def test_the_report_says_what_became_of_what(self, db, write):
        report = import_dataset(files=[conv_abuse(write)], slug="a", options={"label_names": ABUSE}, dry_run=True)
        assert report.labels == ["abusive", "not abusive"]
        assert report.notes[-3:] == [
            "The labels were renamed: 'abusive' is '-3', '-2', '-1'; 'not abusive' is '0', '1'.",
            "5 labels were merged into 2.",
            "With fewer than three labels there is no longer a scale, so the task is multiclass.",
        ]
        partly = {"label_names": {"1": "civil"}}
        report = import_dataset(files=[conv_abuse(write)], slug="a", options=partly, dry_run=True)
        assert "'-3', '-2', '-1', '0' keep their names." in report.notes

    def test_the_same_again_changes_nothing_and_other_names_are_other_content(self, bring, write):
        file = write("votes.csv", VOTES)
        bring(file, label_names="0=no,1=yes")
        again = import_dataset(files=[file], slug="small", options={"label_names": [["0", "no"], ["1", "yes"]]})
        assert not again.changed
        other = import_dataset(files=[file], slug="small", options={"label_names": "0=yes,1=no"}, dry_run=True)
        assert [problem["file"] for problem in other.problems] == ["the short name"]


class TestWhatIsRefused:
    def test_labels_that_are_not_there(self, refused, write):
        (problem,) = refused(write("votes.csv", VOTES), label_names="0=no, 2=maybe")
        assert (problem["file"], problem["field"], problem["value"]) == ("label names", "2", "2")
        assert "'0', '1'" in problem["remedy"]

    def test_a_name_that_another_label_had(self, refused, write):
        problems = refused(write("votes.csv", VOTES), label_names="0=1, 1=0")
        assert [(problem["field"], problem["value"]) for problem in problems] == [("0", "1"), ("1", "0")]

    def test_an_exclusive_label_that_becomes_one_with_others(self, refused, write):
        file = write("votes.csv", "instance,annotator,label\na,ann,x\na,ann,y\nb,ann,none\n")
        (problem,) = refused(file, exclusive="none", label_names="none=other; x=other")
        assert (problem["field"], problem["value"]) == ("none", "'x'")

    def test_shares_of_several_labels_are_not_guessed(self, refused, write):
        file = write("long.csv", "instance,label,probability\na,x,0.5\na,y,0.75\n")
        (problem,) = refused(file, task="multilabel", label_names="x=z,y=z")
        assert problem["reason"] == "the shares do not say how many people chose one of several labels"

    def test_votes_that_have_no_labels(self, refused, write):
        file = write("votes.csv", "instance,first,second,judge,outcome\na,x,y,ann,first\n")
        (problem,) = refused(file, label_names="x=z")
        assert problem["reason"] == "the dataset contains only pairwise votes and has no labels"

    def test_a_name_that_is_too_long(self, refused, write):
        (problem,) = refused(write("votes.csv", VOTES), label_names={"0": "n" * 201})
        assert (problem["field"], problem["value"][0], "200" in problem["reason"]) == ("0", "n", True)

    @pytest.mark.parametrize(
        "said", ["0", "0=", "=no", "0=no, 0=yes", '{"0": ["no"]}', '{"0": "no", "0": "yes"}', "[1]"]
    )
    def test_what_is_no_pair(self, said):
        with pytest.raises(BadOption, match="'label_names'"):
            options_from(NamingOptions, {"label_names": said})


class TestPredictionsThatComeLater:
    @pytest.fixture
    def dataset(self, bring, write):
        return bring(conv_abuse(write), label_names=ABUSE)

    def test_of_the_files_labels_they_are_added_up(self, dataset, write):
        rows = ["dev/0,.1,.2,.3,.4,0", "dev/1,0,0,0,0,1", "dev/2,.25,.25,.25,0,.25"]
        file = write("Old.csv", "\n".join(["instance,-3,-2,-1,0,1", *rows]) + "\n")
        report = import_predictions(files=[file], dataset=dataset)
        assert System.objects.get().predictions == pytest.approx(np.array([[0.6, 0.4], [0, 1], [0.75, 0.25]]))
        assert report.notes == [
            "The predictions are of the labels in the dataset's files, and became predictions of 'abusive', 'not "
            "abusive'."
        ]

    def test_an_instance_that_they_leave_out_stays_left_out(self, dataset, write):
        file = write("Old.csv", "instance,-3,-2,-1,0,1\ndev/0,.1,.2,.3,.4,0\ndev/2,.25,.25,.25,0,.25\n")
        import_predictions(files=[file], dataset=dataset, options={"missing": "leave-out"})
        found = System.objects.get().predictions
        assert np.isnan(found[1]).all()
        assert found[[0, 2]] == pytest.approx(np.array([[0.6, 0.4], [0.75, 0.25]]))

    def test_of_the_new_labels_they_are_taken_as_they_are(self, dataset, write):
        rows = ["dev/0,.6,.4", "dev/1,0,1", "dev/2,.75,.25"]
        file = write("New.csv", "\n".join(["instance,abusive,not abusive", *rows]) + "\n")
        report = import_predictions(files=[file], dataset=dataset)
        assert System.objects.get().predictions.tolist() == [[0.6, 0.4], [0, 1], [0.75, 0.25]]
        assert report.notes == []

    def test_of_neither_they_are_refused_with_both(self, dataset, write):
        file = write("Odd.csv", "instance,good,bad\ndev/0,.6,.4\n")
        with pytest.raises(RefusedWithReport) as caught:
            import_predictions(files=[file], dataset=dataset)
        last = caught.value.report.problems[-1]
        assert last["reason"] == "these are predictions neither of the dataset's labels nor of those in its files"
        assert "predict 'abusive', 'not abusive', or all of '-3', '-2', '-1', '0', '1'." in last["remedy"]
        assert caught.value.report.problems[0]["reason"] == "the column is neither a label nor a known column"

    def test_an_array_is_told_by_its_width(self, dataset, write, tmp_path):
        np.save(tmp_path / "Array.npy", np.array([[0.1, 0.2, 0.3, 0.4, 0], [0, 0, 0, 0, 1], [1, 0, 0, 0, 0]]))
        import_predictions(files=[SourceFile.at(tmp_path / "Array.npy")], dataset=dataset)
        assert System.objects.get().predictions == pytest.approx(np.array([[0.6, 0.4], [0, 1], [1, 0]]))

    def test_shares_of_labels_that_are_chosen_together_do_not_add_up(self, bring, write):
        rows = "a,ann,tort\na,ann,contract\na,bob,tax\n"
        dataset = bring(
            write("votes.csv", "instance,annotator,label\n" + rows), label_names="tort=civil; contract=civil"
        )
        file = write("Old.csv", "instance,tort,contract,tax\na,.5,.5,.5\n")
        (problem,) = import_predictions(files=[file], dataset=dataset, dry_run=True).problems
        assert problem["reason"] == "the shares of merged labels cannot be added in a multilabel task"
        assert "predict 'civil', 'tax'." in problem["remedy"]


class TestTheCommand:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("names.txt", "0=no\n1=yes\n"),
            ("names.txt", "1=yes"),
            ("names.csv", 'label,name\n0,no\n1,"yes"\n'),
            ("names.tsv", "0\tno\n1\tyes\n"),
            ("names.json", '{"0": "no", "1": "yes"}'),
        ],
    )
    def test_names_come_from_a_file(self, db, write, name, content):
        file, names = write("votes.csv", VOTES), write(name, content)
        call_command("import_dataset", "small", str(file.path), label_names=str(names.path), stdout=StringIO())
        assert set(Label.objects.values_list("name", flat=True)) <= {"no", "yes", "0"}
        assert Label.objects.filter(name="yes").exists()

    def test_names_are_typed(self, db, write):
        out = StringIO()
        names = "--label-names=0=no, never; 1=yes"
        call_command("import_dataset", "small", str(write("votes.csv", VOTES).path), names, stdout=out)
        assert "2 labels (no, never, yes)" in out.getvalue()
        assert "The labels were renamed: 'no, never' is '0'; 'yes' is '1'." in out.getvalue()

    def test_what_is_neither_is_said(self, db, write):
        with pytest.raises(CommandError, match="neither pairs such as"):
            call_command("import_dataset", "small", str(write("votes.csv", VOTES).path), label_names="nowhere.txt")


LABELS = ("a", "b", "c", "d")


@given(
    chosen=st.lists(st.sets(st.integers(0, 3)), min_size=1, max_size=8),
    names=st.lists(st.sampled_from(["x", "y", "z"]), min_size=4, max_size=4),
)
def test_a_merged_label_is_that_of_whoever_gave_one_of_its_members(chosen, names):
    rows = [AnnotationRow(0, tuple(sorted(one)), f"p{who}") for who, one in enumerate(chosen)]
    table = DatasetTable(
        labels=LabelSet(LABELS, Task.MULTILABEL),
        instances=[InstanceRow("i")],
        annotations=AnnotationTable.from_rows(rows),
    )
    merged = renamed_dataset(table, list(zip(LABELS, names, strict=True)), Problems())
    shares = dict(zip(merged.labels.names, merged.distributions()[0], strict=True))
    for name in set(names):
        members = {place for place, new in enumerate(names) if new == name}
        assert shares[name] == pytest.approx(sum(bool(members & one) for one in chosen) / len(chosen))
    assert merged.annotations is not None
    assert merged.annotations.count.tolist() == [1] * len(chosen)
    assert Renaming.from_data(json.loads(json.dumps(merged.renaming)), merged.labels).names == tuple(names)


def test_older_datasets_have_no_other_names(bring, write):
    assert bring(write("votes.csv", VOTES)).renamed_labels == {}
    assert Dataset._meta.get_field("renamed_labels").default is dict


class TestSubmissions:
    """LeWiDi's own predictions, of shares and of single annotations, for a scale that became two classes."""

    @pytest.fixture
    def halves(self, bring, write):
        sarcasm = {"annotation task": "sarcasm detection"}
        items = {"a": item({"x": "1", "y": "2"}, **sarcasm), "b": item({"x": "6", "y": "6", "z": "5"}, **sarcasm)}
        names = {str(point): "low" if point <= 3 else "high" for point in range(1, 7)}
        return bring(write("scale_dev.json", json.dumps(items)), label_names=names)

    def test_shares_of_points_are_added_up(self, halves, write):
        lines = ["a\t[0.5, 0.25, 0, 0.25, 0, 0]", "b\t[0, 0, 0, 0, 0.5, 0.5]"]
        import_predictions(files=[write("Team_soft.tsv", "\n".join(lines))], dataset=halves)
        assert System.objects.get().predictions.tolist() == [[0.75, 0.25], [0, 1]]

    def test_a_point_that_somebody_is_said_to_give_is_its_class(self, halves, write):
        file = write("Team_pe.tsv", "a\t[3, 4]\nb\t[6, 5, 1]")
        import_predictions(files=[file], dataset=halves)
        assert PredictedAnnotations.objects.get().answers.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1], [1, 0]]

    def test_a_share_below_the_scale_belongs_to_the_lowest_class(self, halves, write):
        lines = ["a\t[0.25, 0.25, 0.25, 0, 0.25, 0, 0]", "b\t[0, 0, 0, 0, 0, 0.5, 0.5]"]
        import_predictions(files=[write("Team_soft.tsv", "\n".join(lines))], dataset=halves)
        system = System.objects.get()
        assert system.predictions.tolist() == [[0.75, 0.25], [0, 1]]
        assert "below_scale" not in system.options, "two classes have no distances, from below or otherwise"
