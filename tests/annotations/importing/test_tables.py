"""Tables: every shape in every file format, and every way in which one can be wrong."""

import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotations.importing.datasets import import_dataset, import_predictions
from annotations.models import HumanAnnotation, System

LONG = "instance,label,probability\na,tax,0.25\na,family,0.75\nb,tax,1\nb,family,0\n"
VOTES = "instance,annotator,label\na,ann,tax\na,bob,family\na,ann,family\nb,bob,tax\n"


def where(problems):
    return [(problem["line"], problem["field"], problem["reason"]) for problem in problems]


def values(problems):
    return [(problem["line"], problem["field"], problem["value"]) for problem in problems]


def test_a_long_table_of_distributions(bring, write):
    dataset = bring(write("long.csv", LONG))
    assert dataset.task == "multiclass"
    assert list(dataset.labels.values_list("name", flat=True)) == ["tax", "family"]
    np.testing.assert_array_equal(dataset.gold, [[0.25, 0.75], [1, 0]])


def test_a_wide_table_of_distributions_with_texts(bring, write):
    dataset = bring(write("wide.csv", 'instance,tax,text,family\na,0.9,"One,\ntwo.",0.8\nb,0,Three.,0\n'))
    assert dataset.task == "multilabel"
    np.testing.assert_array_equal(dataset.gold, [[0.9, 0.8], [0, 0]])
    assert dataset.instances.get(external_id="a").segments == [{"name": "", "text": "One,\ntwo."}]


def test_a_disaggregated_table(bring, write):
    dataset = bring(write("votes.csv", VOTES))
    assert dataset.task == "multilabel"
    np.testing.assert_array_equal(dataset.gold, [[0.5, 1.0], [1.0, 0.0]])
    rows = HumanAnnotation.objects.order_by("instance__position", "position")
    assert list(rows.values_list("annotator", "labels")) == [("ann", [0, 1]), ("bob", [1]), ("bob", [0])]


def test_counted_votes_and_unknown_people(bring, write):
    dataset = bring(write("votes.csv", "instance,label,count\na,tax,3\na,family,1\nb,tax,2\n"))
    assert dataset.task == "multiclass"
    np.testing.assert_array_equal(dataset.gold, [[0.75, 0.25], [1.0, 0.0]])
    assert list(HumanAnnotation.objects.values_list("count", flat=True)) == [3, 1, 2]


def test_an_empty_label_is_a_person_who_gave_none(bring, write):
    dataset = bring(write("votes.csv", "instance,annotator,label\na,ann,tax\na,bob,\n"))
    np.testing.assert_array_equal(dataset.gold, [[0.5]])
    assert list(HumanAnnotation.objects.values_list("labels", flat=True)) == [[0], []]


def test_texts_in_a_table_beside(bring, write):
    texts = [
        {"instance": "b", "segments": {"premise": "P", "hypothesis": "H"}, "language": "ar", "direction": "rtl"},
        {"instance": "a", "segments": [{"name": "", "text": "2024-01-01"}]},
    ]
    beside = write("texts.jsonl", "\n".join(json.dumps(row) for row in texts))
    dataset = bring(write("long.csv", LONG), beside, language="de")
    first, second = dataset.instances.all()
    assert (first.external_id, first.language, first.direction) == ("b", "ar", "rtl")
    assert first.segments == [{"name": "premise", "text": "P"}, {"name": "hypothesis", "text": "H"}]
    assert (second.segments, second.language) == ([{"name": "", "text": "2024-01-01"}], "de")
    np.testing.assert_array_equal(dataset.gold, [[1, 0], [0.25, 0.75]])


def test_a_column_says_to_which_part_a_text_belongs(bring, write, refused):
    votes = "instance,label,count,split\na,tax,3, train\na,family,1, train\nb,tax,2,test\nc,tax,1,\n"
    dataset = bring(write("votes.csv", votes))
    assert list(dataset.instances.values_list("external_id", "split")) == [("a", "train"), ("b", "test"), ("c", "")]
    wide = write("wide.csv", "instance,split,tax\na,dev,1\n")
    assert values(refused(write("long.csv", VOTES), wide)) == [(1, "tax", "")]
    differing = write("votes.csv", votes.replace("1, train", "1,test"))
    assert values(refused(differing)) == [(3, "split", "a")]
    long = write("votes.csv", votes.replace("test", "t" * 21))
    assert values(refused(long)) == [(4, "split", 21 * "t")]


def test_named_segments_in_columns(bring, write):
    table = "instance,segment:premise,segment:hypothesis,label,probability\na,P,H,x,1\nb,Q,,x,1\n"
    assert [row.segments for row in bring(write("long.csv", table)).instances.all()] == [
        [{"name": "premise", "text": "P"}, {"name": "hypothesis", "text": "H"}],
        [{"name": "premise", "text": "Q"}],
    ]


def test_an_ordinal_scale_is_in_the_order_of_its_numbers(bring, write):
    votes = "instance,annotator,label\n" + "".join(f"a,p{n},{n}\n" for n in (10, 9, -1))
    dataset = bring(write("votes.csv", votes), task="ordinal")
    assert list(dataset.labels.values_list("name", "value")) == [("-1", -1.0), ("9", 9.0), ("10", 10.0)]


def test_labels_may_be_listed_in_a_file_and_one_may_exclude_the_others(bring, write):
    dataset = bring(write("votes.csv", VOTES), write("labels.txt", "none\nfamily\ntax\n"), exclusive="none")
    assert list(dataset.labels.values_list("name", "exclusive")) == [("none", True), ("family", False), ("tax", False)]
    np.testing.assert_array_equal(dataset.gold, [[0, 1.0, 0.5], [0, 0, 1.0]])


def test_all_formats_and_line_endings_give_the_same_dataset(db, write):
    rows = [
        {"instance": i, "label": k, "probability": p}
        for i, k, p in (("a", "tax", 0.25), ("a", "family", 0.75), ("b", "tax", 1.0), ("b", "family", 0.0))
    ]
    pq.write_table(pa.Table.from_pylist(rows), path := write("long.parquet", b"PAR1").path)
    assert path.exists()
    files = [
        write("long.csv", LONG),
        write("bom.csv", "\ufeff" + LONG),
        write("crlf.csv", LONG.replace("\n", "\r\n")),
        write("blank.csv", LONG.replace("\n", "\n\n")),
        write("long.tsv", LONG.replace(",", "\t")),
        write("semicolons.csv", LONG.replace(",", ";")),
        write("long.jsonl", "\n".join(json.dumps(row) for row in rows)),
        write("mixed.jsonl", "\ufeff" + "\n\n".join(json.dumps(row | {"label": row["label"]}) for row in rows)),
        type(write("x.csv", "x"))(path, "long.parquet"),
    ]
    reports = [import_dataset(files=[file], slug="same") for file in files]
    assert [report.changed for report in reports] == [True] + [False] * 8
    assert len({report.fingerprint for report in reports}) == 1


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (LONG + "b,tax,0.5\n", (6, "instance, label", "the dataset contains this instance and label twice")),
        (LONG.replace("0.25", "1.25"), (2, "probability", "the value is not in [0, 1]")),
        (LONG.replace("0.25", "-0.25"), (2, "probability", "the value is not in [0, 1]")),
        (LONG.replace("0.25", "inf"), (2, "probability", "the value is not in [0, 1]")),
        (LONG.replace("0.25", "nan"), (2, "probability", "the value is missing or NaN")),
        (LONG.replace("0.25", ""), (2, "probability", "the value is missing or NaN")),
        (LONG.replace("0.25", "NA"), (2, "probability", "this is not a number")),
        (LONG.replace("b,tax,1\n", ""), (4, "label", "the instance has only 1 of 2 labels")),
        (LONG.replace("a,tax", ",tax"), (2, "instance", "the instance's id is missing")),
        (LONG + "c,tax,0.5,extra\n", (6, "", "the row has 4 fields, but the header has 3")),
        (LONG + '"c,tax,0.5\n', (6, "", "the row has 1 fields, but the header has 3")),
        (
            LONG.replace("instance,", "id,"),
            (
                None,
                "",
                "this is not one of the known formats; the closest is 'table', which would need 'instance' "
                "(perhaps 'id' "
                "is 'instance')",
            ),
        ),
        (LONG.replace("probability", "instance"), (1, "instance", "two columns have this name")),
        (LONG.replace("a,tax", "x" * 201 + ",tax"), (2, "instance", "the instance's id is longer than 200 characters")),
        (LONG.replace("a,tax", "\x00,tax"), (2, "instance", "the instance's id contains the character U+0000")),
        ("instance,label,probability\n", (None, "", "the table has no rows")),
        ("instance,label,odd\na,tax,1\n", (1, "odd", "the column is unknown")),
        ("instance,label,system\na,tax,1\n", (1, "system", "this column has no meaning in this kind of table")),
        (
            "instance,tax,note\na,1,x\nb,1,y\nc,1,z\nd,1,w\n",
            (2, "note", "the column contains texts where numbers are expected"),
        ),
        ("instance,text\na,Hello.\n", (None, "", "none of the tables contains judgements")),
        (
            "instance,label,probability,text\na,x,1,One.\na,y,0,Two.\n",
            (3, "text", "the rows of the instance differ in this column"),
        ),
        ("instance,tax\na,1\na,0\n", (3, "instance", "the dataset contains this instance twice")),
    ],
)
def test_a_bad_table_is_refused_with_its_line(refused, write, table, expected):
    assert expected in where(refused(write("bad.csv", table)))


@pytest.mark.parametrize(
    ("votes", "options", "expected"),
    [
        (VOTES + "b,bob,tax\n", {}, (6, "the annotator chose this label twice for the instance")),
        (
            VOTES,
            {"task": "multiclass"},
            (2, "the annotator chose several labels for the instance, but the task allows only one"),
        ),
        (VOTES, {"labels": "tax"}, (3, "the label is unknown")),
        (VOTES, {"exclusive": "tax"}, (2, "the exclusive label is combined with others")),
        (VOTES + "b,ann,\nb,ann,tax\n", {}, (6, "one annotator has both no label and a label for the same instance")),
        ("instance,label,count\na,x,1.5\n", {}, (2, "the count must be a whole number of people, at least 1")),
        ("instance,label,count,annotator\na,x,2,ann\n", {}, (2, "a named annotator counts only once")),
        (VOTES, {"task": "ordinal"}, (None, "the order of the points on the scale is unknown")),
        (VOTES, {"exclusive": "none"}, (None, "the exclusive label is not one of the labels")),
    ],
)
def test_bad_votes_are_refused_with_their_line(refused, write, votes, options, expected):
    assert expected in [(place, why) for place, _, why in where(refused(write("votes.csv", votes), **options))]


def test_rows_that_do_not_sum_to_one_are_refused_where_they_must(refused, write, bring):
    table = LONG.replace("0.25", "0.2")
    problems = refused(write("long.csv", table), task="multiclass")
    assert [place[:2] for place in where(problems)] == [(2, "probability")]
    assert "0.95" in problems[0]["value"]
    assert bring(write("long.csv", table)).task == "multilabel"
    assert bring(write("long.csv", table), task="multilabel").task == "multilabel"


def test_one_bad_row_among_many_is_a_mistake_and_no_multilabel_task(refused, write):
    rows = [f"i{n},x,{0.5 if n else 0.4}\ni{n},y,0.5" for n in range(20)]
    problems = refused(write("long.csv", "instance,label,probability\n" + "\n".join(rows)))
    assert [place[:2] for place in where(problems)] == [(2, "probability")]


def test_a_row_whose_sum_is_within_the_tolerance_is_divided_by_it(bring, write):
    dataset = bring(write("long.csv", LONG.replace("0.75", "0.7509")), task="multiclass")
    assert dataset.gold[0].tolist() == pytest.approx([0.25 / 1.0009, 0.7509 / 1.0009], abs=1e-15)


def test_the_exclusive_share_and_another_cannot_be_more_than_everybody(refused, write):
    table = "instance,none,tax,family\na,0.6,0.5,0.2\n"
    problems = refused(write("wide.csv", table), exclusive="none", task="multilabel")
    assert values(problems) == [(2, "label", "instance 'a': none")]


def test_lines_are_right_behind_quoted_line_breaks_blank_lines_and_a_mark(refused, write):
    table = '\ufeffinstance,text,x\n"a","One\n\ntwo ""three""\n",1\n\nb,Four.,2\nc,"5\n",3\n'
    assert values(refused(write("wide.csv", table))) == [
        (7, "x", "2.0"),
        (8, "x", "3.0"),
    ]


def test_json_lines_problems_have_their_lines(refused, write):
    good = '{"instance": "a", "label": "x", "probability": 1}\n'
    cases = {
        good + "\n{broken\n": (3, "this line is not JSON (column 2)"),
        good + '{"instance": "b", "lab': (2, "the last line is not complete JSON: the file is cut off"),
        good + "[1]\n": (2, "this line is a JSON array, not an object"),
        good + '{"instance": "b", "instance": "c"}\n': (2, "the object contains this key twice"),
        good + '{"instance": "b", "label": "x", "probability": "0.5"}\n': (2, "this is not a number"),
        good + '{"instance": "b", "label": "x", "probability": null}\n': (2, "the value is missing or NaN"),
        good + '{"instance": "b", "label": "x", "probability": NaN}\n': (2, "the value is missing or NaN"),
        good + '{"instance": "b\\ud800", "label": "x", "probability": 1}\n': (
            2,
            "the text contains half a character (a lone surrogate)",
        ),
        "[\n" + good + "]": (
            None,
            "this is not one of the known formats; the closest is 'table', which would need one object per line (JSON "
            "lines)",
        ),
        good + "[" * 100_000: (2, "the last line is not complete JSON: the file is cut off"),
    }
    for content, expected in cases.items():
        found = [(problem["line"], problem["reason"]) for problem in refused(write("bad.jsonl", content))]
        assert expected in found, content[:200]


def archive_of(name):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(name, "x")
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.csv", b"", "the file is empty"),
        ("latin.csv", LONG.replace("tax", "impôt").encode("latin-1"), "the byte 0xf4 at position 32 is not UTF-8"),
        ("utf16.csv", LONG.encode("utf-16"), "the text is UTF-16, not UTF-8"),
        (
            "latin.jsonl",
            '{"instance": "é", "label": "x", "probability": 1}'.encode("latin-1"),
            "the byte 0xe9 at position 14 is not UTF-8",
        ),
        ("long.csv.gz", b"\x1f\x8b\x08\x00", "this is a gzip archive"),
        ("book.xlsx", b"PK\x03\x04....", "this is an Excel sheet"),
        ("table.csv", archive_of("xl/workbook.xml"), "this is an Excel sheet"),
        ("table.csv", archive_of("word/document.xml"), "this is a Word document, not a table"),
        ("table.csv", archive_of("content.xml"), "this is an OpenDocument file"),
        ("table.csv", archive_of("votes.csv"), "this is a zip archive"),
        ("table.csv", b"\x89PNG\r\n\x1a\n....", "this is an image (PNG), not a table"),
        ("table.csv", b"%PDF-1.7 ....", "this is a PDF document"),
        ("table.csv", b"{\\rtf1 ....", "this is a formatted text (RTF), not a table"),
        (
            "long.csv",
            b"\x80\x04\x95\x0b\x00",
            "this is a Python pickle, and pickles are never read because they can run arbitrary code",
        ),
        ("cut.parquet", b"PAR1....", "the Parquet file has no footer, so it is incomplete"),
        ("bad.parquet", b"PAR1........PAR1", "this could not be read as Parquet: it is damaged or incomplete"),
        ("what.bin", b"\x00\x01\x02", "this is not one of the known formats, and not similar to any of them"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_plain_words(refused, write, name, content, reason):
    problems = refused(write(name, content))
    assert [problem["reason"] for problem in problems] == [reason]
    assert problems[0]["file"] == name


def test_all_problems_are_counted_and_the_first_thousand_shown(db, write):
    rows = "".join(f"i{n},x,2\n" for n in range(1500))
    report = import_dataset(files=[write("long.csv", "instance,label,probability\n" + rows)], slug="bad", dry_run=True)
    assert (report.problem_count, len(report.problems), report.problems[-1]["line"]) == (1500, 1000, 1001)


def test_instances_that_lack_labels_are_all_counted(db, write):
    rows = "i,x,0\ni,y,0\n" + "".join(f"i{n},x,0.5\n" for n in range(1500))
    report = import_dataset(files=[write("long.csv", "instance,label,probability\n" + rows)], slug="bad", dry_run=True)
    assert (report.problem_count, len(report.problems)) == (1500, 1000)


def test_a_dry_run_tells_what_would_come_and_changes_nothing(db, write):
    report = import_dataset(files=[write("votes.csv", VOTES)], slug="small", dry_run=True)
    assert (report.task, report.labels, report.instances, report.annotations, report.annotators) == (
        "multilabel",
        ["tax", "family"],
        2,
        3,
        2,
    )
    assert (report.changed, report.problems) == (True, [])
    assert any("interpreted as multilabel" in note for note in report.notes)
    assert not HumanAnnotation.objects.exists()
    import_dataset(files=[write("votes.csv", VOTES)], slug="small")
    assert not import_dataset(files=[write("votes.csv", VOTES)], slug="small", dry_run=True).changed
    other = import_dataset(files=[write("long.csv", LONG)], slug="small", dry_run=True)
    assert "different content" in other.problems[0]["reason"]
    assert (other.problems[0]["file"], "files" in other.problems[0]["remedy"]) == ("the short name", False)


class TestPredictions:
    @pytest.fixture
    def dataset(self, bring, write):
        return bring(write("long.csv", LONG))

    def test_one_long_file_holds_many_systems(self, dataset, write):
        rows = [
            f"{s},{i},{k},{p}" for s, p in (("M / T / 1", 0.5), ("N", 0.5)) for i in "ba" for k in ("family", "tax")
        ]
        report = import_predictions(
            files=[write("p.csv", "system,instance,label,probability\n" + "\n".join(rows))], dataset=dataset
        )
        assert report.systems == ["M / T / 1", "N"]
        assert list(System.objects.values_list("model", "method", "run")) == [("M", "T", "1"), ("N", "", "")]

    def test_model_method_and_run_in_columns_and_options(self, dataset, write):
        rows = "".join(f"{r},{i},0.125,0.875\n" for r in (0, 1) for i in "ab")
        file = write("p.csv", "run,instance,family,tax\n" + rows)
        import_predictions(files=[file], dataset=dataset, options={"model": "M", "method": "T"})
        assert list(System.objects.values_list("model", "method", "run")) == [("M", "T", "0"), ("M", "T", "1")]
        np.testing.assert_array_equal(System.objects.get(run="1").predictions, [[0.875, 0.125]] * 2)

    def test_a_file_without_names_is_a_system_named_after_it(self, dataset, write):
        files = [write(f"{name}.csv", "instance,tax,family\na,1,0\nb,0,1\n") for name in ("one", "two")]
        assert import_predictions(files=files, dataset=dataset).systems == ["one", "two"]

    def test_one_system_in_two_files(self, dataset, write):
        files = [write(f"{i}.csv", f"instance,tax,family\n{i},1,0\n") for i in "ab"]
        assert import_predictions(files=files, dataset=dataset, options={"model": "M"}).systems == ["M"]

    def test_again_changes_nothing_and_other_values_are_refused(self, dataset, write):
        file = write("m.csv", "instance,tax,family\na,1,0\nb,0,1\n")
        import_predictions(files=[file], dataset=dataset)
        again = import_predictions(files=[file], dataset=dataset)
        assert (again.changed, again.unchanged) == (False, ["m"])
        other = import_predictions(
            files=[write("m.csv", "instance,tax,family\na,0,1\nb,0,1\n")], dataset=dataset, dry_run=True
        )
        assert other.problems[0]["reason"] == "the system already exists with different predictions"

    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            (
                "instance,label,probability\na,tax,1\na,family,0\n",
                (None, "the system p has no value for 1 of 2 instances"),
            ),
            ("instance,label,probability\na,tax,1\nb,tax,1\n", (2, "the instance has only 1 of 2 labels")),
            ("instance,label,probability\na,tax,1\na,family,0\nb,tax,1\nb,health,0\n", (5, "the label is unknown")),
            (
                "instance,label,probability\na,tax,1\na,family,0\nc,tax,1\n",
                (4, "the instance is not in dataset 'small'"),
            ),
            ("instance,tax\na,1\nb,1\n", (1, "the table has only 1 of 2 labels")),
            ("instance,tax,family,health\na,1,0,0\nb,1,0,0\n", (1, "the column is neither a label nor a known column")),
            ("instance,tax,family\na,1,0\nb,0.5,0.4\n", (3, "the values of the instance do not sum to 1 (multiclass)")),
            ("instance,label\na,tax\n", (1, "there is no column 'probability'")),
            ("instance,annotator,label,probability\na,x,tax,1\n", (1, "this column has no meaning in predictions")),
            ("system,model,instance,tax,family\nm,m,a,1,0\n", (1, "systems are named in two different ways")),
            ("model,instance,tax,family\n,a,1,0\n", (2, "the model is missing")),
            (
                "system,instance,tax,family\n / x,a,1,0\n",
                (2, "the system name cannot be split into model, method and run"),
            ),
        ],
    )
    def test_bad_predictions_are_refused_with_their_line(self, dataset, refused_predictions, write, table, expected):
        problems = refused_predictions(dataset, write("p.csv", table))
        assert expected in [(problem["line"], problem["reason"]) for problem in problems]

    def test_absent_labels_may_be_said_to_be_zero(self, dataset, write):
        file = write("p.csv", "instance,label,probability\na,tax,1\nb,family,1\n")
        import_predictions(files=[file], dataset=dataset, options={"absent": "zero"})
        np.testing.assert_array_equal(System.objects.get().predictions, [[1, 0], [0, 1]])

    def test_an_option_against_a_column_is_refused(self, dataset, refused_predictions, write):
        file = write("p.csv", "system,instance,tax,family\nm,a,1,0\nm,b,1,0\n")
        assert values(refused_predictions(dataset, file, model="x")) == [(1, "model", "x")]
