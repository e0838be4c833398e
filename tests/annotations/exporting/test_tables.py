"""The tidy table: one row per response, the same in CSV, JSON lines and Parquet, as its dictionary and schema say."""

import csv
import io
import json
from datetime import datetime

import jsonschema
import pandas as pd
import pyarrow.parquet as pq
import pytest

from annotations.exporting.columns import COLUMNS
from annotations.exporting.rows import ResponseSource
from annotations.exporting.spreadsheets import restore
from annotations.models import PreferenceResponse, Study
from tests.worlds.exported import lines, written
from tests.worlds.full import make_full_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_full_study()


@pytest.mark.parametrize("compares", ["human_vs_system", "system_vs_system"])
def test_every_row_is_what_the_json_schema_says(compares):
    files = written(make_full_study(compares=compares), "jsonl")
    schema = json.loads(files["responses.schema.json"])
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    validator.check_schema(schema)
    rows = lines(files["responses.jsonl"])
    assert rows
    for row in rows:
        validator.validate(row)


def test_the_json_schema_refuses_a_row_with_a_wrong_kind_of_value(study):
    files = written(study, "jsonl")
    row = lines(files["responses.jsonl"])[0]
    schema = json.loads(files["responses.schema.json"])
    for wrong in ({"choice": "c"}, {"certainty": 1.2}, {"surprise": 1}, {"labels_at": "yesterday"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(row | wrong, schema)


def test_the_dictionary_explains_every_column(study):
    for format_name, file in [("csv", "responses.csv"), ("jsonl", "responses.jsonl"), ("parquet", "responses.parquet")]:
        files = written(study, format_name)
        assert file in files
        dictionary = files["dictionary.md"].decode()
        assert all(f"| `{column.name}` |" in dictionary for column in COLUMNS)


def test_the_table_has_a_row_a_completed_assignment_pilot_and_all(study):
    rows = lines(written(study, "jsonl")["responses.jsonl"])
    assert len(rows) == study.assignments.completed().count()
    assert {row["pilot"] for row in rows} == {False, True}
    assert {row["simulated"] for row in rows} == {False, True}


def test_what_was_chosen_is_told_by_side_and_by_source(study):
    for row in lines(written(study, "jsonl")["responses.jsonl"]):
        assert row["against"] == "human"
        assert row["system"] == {"A": row["option_a"], "B": row["option_b"]}[row["system_side"]]
        assert row["system_chosen"] == row[f"{row['system_side'].lower()}_chosen"]
        other = "b" if row["system_side"] == "A" else "a"
        assert row["against_chosen"] == row[f"{other}_chosen"]
        chosen = {"a": (1, 0), "b": (0, 1), "both": (1, 1), "neither": (0, 0)}[row["choice"]]
        assert (row["a_chosen"], row["b_chosen"]) == chosen


def test_experts_are_known_by_number_only(study):
    for format_name in ("csv", "jsonl", "study_responses"):
        for content in written(study, format_name).values():
            assert b"example.org" not in content


def test_csv_holds_the_same_as_json_lines(study):
    expected = lines(written(study, "jsonl")["responses.jsonl"])
    text = written(study, "csv")["responses.csv"].decode()
    found = list(csv.DictReader(io.StringIO(text)))
    assert len(found) == len(expected)
    for row, told in zip(found, expected, strict=True):
        for column in COLUMNS:
            assert _from_csv(row[column.name], column) == told[column.name], column.name


def _from_csv(cell, column):
    kind = column.kind
    if cell == "" and column.nullable:
        return None
    if kind in {"text", "time"}:
        return restore(cell)
    if kind == "boolean":
        return {"true": True, "false": False}[cell]
    if kind == "texts":
        return json.loads(cell)
    return int(cell) if kind == "integer" else float(cell)


def test_parquet_holds_the_same_as_json_lines_typed(study):
    expected = lines(written(study, "jsonl")["responses.jsonl"])
    table = pq.read_table(io.BytesIO(written(study, "parquet")["responses.parquet"]))
    assert table.column_names == [column.name for column in COLUMNS]
    assert str(table.schema.field("completed_at").type) == "timestamp[us, tz=UTC]"
    assert str(table.schema.field("labels").type) == "list<element: string>"
    for row, told in zip(table.to_pylist(), expected, strict=True):
        for column in COLUMNS:
            value = told[column.name]
            if column.kind == "time" and value:
                value = datetime.fromisoformat(value)
            assert row[column.name] == value, column.name


def test_pandas_reads_all_three(study):
    count = study.assignments.completed().count()
    assert len(pd.read_csv(io.BytesIO(written(study, "csv")["responses.csv"]))) == count
    assert len(pd.read_json(io.BytesIO(written(study, "jsonl")["responses.jsonl"]), lines=True)) == count
    assert len(pd.read_parquet(io.BytesIO(written(study, "parquet")["responses.parquet"]))) == count


def test_no_csv_cell_begins_like_a_formula(study):
    text = written(study, "csv")["responses.csv"].decode()
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert any(cell.startswith("'@model") for cell in cells)
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r\n" and cell]


def test_json_lines_and_parquet_leave_texts_untouched(study):
    assert {"@model", "=1+1"} <= {
        value for row in lines(written(study, "jsonl")["responses.jsonl"]) for value in [row["model"], *row["labels"]]
    }
    table = pq.read_table(io.BytesIO(written(study, "parquet")["responses.parquet"]))
    assert "@model" in table.column("model").to_pylist()


def test_a_study_without_answers_gives_tables_without_rows(study):
    empty = make_full_study(study.dataset, slug="empty", experts=0)
    assert written(empty, "csv")["responses.csv"].decode().splitlines() == [",".join(c.name for c in COLUMNS)]
    assert written(empty, "jsonl")["responses.jsonl"] == b""
    assert pq.read_table(io.BytesIO(written(empty, "parquet")["responses.parquet"])).num_rows == 0
    assert written(empty)["metadata.csv"] == b"id,method,trueHLV\r\n"


def test_simulated_studies_say_so_in_every_table(study):
    Study.objects.filter(pk=study.pk).update(is_simulated=True)
    study.refresh_from_db()
    for format_name in ("csv", "jsonl", "parquet"):
        assert "SIMULATED" in written(study, format_name)["dictionary.md"].decode()
    table = pq.read_table(io.BytesIO(written(study, "parquet")["responses.parquet"]))
    assert table.schema.metadata[b"simulated"] == b"true"


def test_answers_that_come_in_during_an_export_are_in_none_of_its_files(study):
    source = ResponseSource(study)
    before = source.count()
    newest = PreferenceResponse.objects.filter(assignment__study=study).order_by("-revision").first()
    assert newest is not None
    assert newest.assignment.expert
    PreferenceResponse.objects.create(
        assignment=newest.assignment,
        revision=newest.revision + 1,
        key="00000000-0000-4000-8000-000000000000",
        a_chosen=not newest.a_chosen,
        b_chosen=newest.b_chosen,
        created_at=newest.created_at,
    )
    rows = list(source.rows())
    assert len(rows) == before
    mine = [r for r in rows if (r.expert, r.position) == (newest.assignment.expert.number, newest.assignment.position)]
    assert [r.a_chosen for r in mine] == [newest.a_chosen]


def test_row_groups_have_their_size_however_many_answers_are_read_at_once(study, monkeypatch):
    whole = pq.read_table(io.BytesIO(written(study, "parquet")["responses.parquet"]))
    monkeypatch.setattr("annotations.exporting.tables.GROUP", 4)
    files = []
    for chunk in (3, 2_000):
        monkeypatch.setattr("annotations.exporting.rows.CHUNK", chunk)
        files.append(written(study, "parquet")["responses.parquet"])
    assert files[0] == files[1]
    file = pq.ParquetFile(io.BytesIO(files[0]))
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    assert sizes == [4] * (whole.num_rows // 4) + [whole.num_rows % 4] * bool(whole.num_rows % 4)
    assert file.read().equals(whole)


@pytest.mark.parametrize("format_name", ["csv", "jsonl", "parquet", "study_responses"])
def test_the_bytes_do_not_depend_on_how_many_answers_are_read_at_once(study, format_name, monkeypatch):
    at_once = written(study, format_name)
    monkeypatch.setattr("annotations.exporting.rows.CHUNK", 3)
    assert written(study, format_name) == at_once


def test_the_newest_version_counts_and_all_are_counted(study):
    rows = {(row["expert"], row["position"]): row for row in lines(written(study, "jsonl")["responses.jsonl"])}
    answers = PreferenceResponse.objects.filter(assignment__study=study, assignment__released_at=None)
    for place in study.assignments.completed().select_related("expert"):
        row = rows[place.expert.number, place.position]
        steps = (place.labelresponses.order_by("revision"), answers.filter(assignment=place).order_by("revision"))
        labels, preferences = map(list, steps)
        assert (row["labels_revisions"], row["preference_revisions"]) == (len(labels), len(preferences))
        assert row["choice"] == preferences[-1].choice
        assert row["labels_at"] == labels[-1].created_at.isoformat(timespec="microseconds")
        assert row["completed_at"] == preferences[-1].created_at.isoformat(timespec="microseconds")
    assert max(row["preference_revisions"] for row in rows.values()) > 1
