"""Whatever becomes of the export of a tool: it is read whole or refused in words, and nothing else comes out."""

import json
import tempfile
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.ground.progress import silent
from annotations.importing.formats import dataset_readers
from annotations.importing.memory.limits import MAX_DOCUMENT_BYTES
from annotations.importing.memory.problems import ImportRefused, Problems
from annotations.importing.reading.files import SourceFile
from annotations.importing.reading.tabular.opening import open_parquet
from tests.annotations.importing.test_annotation_tools import TOOLS
from tests.annotations.importing.test_damaged import ODD, hard, places, read, replaced

QUESTIONS = [{"criterion": "urgent"}, {"criterion": "areas"}, {"criterion": "clarity"}, {}]
MORE = [{"identifier": "case"}, {"texts": "text"}, {"task": "ordinal"}, {"task": "multilabel"}, {"unjudged": "refuse"}]
FILES = {
    "label_studio/export.json": ("label-studio", QUESTIONS),
    "label_studio/export-min.json": ("label-studio", QUESTIONS),
    "label_studio/export.csv": ("label-studio", QUESTIONS),
    "doccano/urgent-own/ann.jsonl": ("doccano", [{}]),
    "doccano/areas-shared/all.json": ("doccano", [{}]),
    "doccano/areas-shared/all.csv": ("doccano", [{}]),
    "argilla/records.json": ("argilla", QUESTIONS),
    "argilla/datasets.jsonl": ("argilla", QUESTIONS),
    "prodigy/choice-urgent.jsonl": ("prodigy", [{}, {"criterion": "choice"}]),
    "prodigy/binary.jsonl": ("prodigy", [{}, {"criterion": "URGENT"}]),
    "potato/annotations.jsonl": ("potato", QUESTIONS),
    "potato/annotations.csv": ("potato", QUESTIONS),
    "potato/ann/user_state.json": ("potato", QUESTIONS),
    "potato_1/annotated_instances.jsonl": ("potato", QUESTIONS),
    "potato_1/annotated_instances.csv": ("potato", QUESTIONS),
}
DOCUMENTS = sorted(name for name in FILES if not name.endswith(".csv"))


def loaded(name):
    text = (TOOLS / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else json.loads(text)


def written(folder, name, document):
    path = Path(folder) / Path(name).name
    if name.endswith(".jsonl"):
        document = document if isinstance(document, list) else [document]
        path.write_text("".join(json.dumps(row) + "\n" for row in document))
    else:
        path.write_text(json.dumps(document))
    return SourceFile.at(path)


@hard
@given(st.data(), st.sampled_from(DOCUMENTS))
def test_any_value_at_any_place_of_an_export_is_read_or_refused(data, name):
    tool, questions = FILES[name]
    document = loaded(name)
    for _ in range(data.draw(st.integers(1, 3))):
        document = replaced(document, data.draw(st.sampled_from(list(places(document)))), data.draw(ODD))
    with tempfile.TemporaryDirectory() as folder:
        options = data.draw(st.sampled_from(questions)) | data.draw(st.sampled_from([{}, *MORE]))
        file = written(folder, name, document)
        dataset_readers.get(tool).detect([file])
        read(tool, [file], options)


@hard
@given(st.data(), st.sampled_from(sorted(FILES)), st.binary(max_size=6), st.integers(0, 40))
def test_any_damage_to_an_export_is_read_or_refused(data, name, junk, cut):
    tool, questions = FILES[name]
    content = (TOOLS / name).read_bytes()
    at = data.draw(st.integers(0, len(content)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content[:at] + junk + content[at + cut :])
        dataset_readers.get(tool).detect([SourceFile.at(path)])
        read(tool, [SourceFile.at(path)], data.draw(st.sampled_from(questions)))


@settings(hard, max_examples=50)
@given(st.data(), st.binary(max_size=6), st.integers(0, 200))
def test_any_damage_to_a_parquet_export_is_read_or_refused(data, junk, cut):
    content = (TOOLS / "argilla" / "datasets.parquet").read_bytes()
    at = data.draw(st.integers(0, len(content)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "datasets.parquet"
        path.write_bytes(content[:at] + junk + content[at + cut :])
        dataset_readers.get("argilla").detect([SourceFile.at(path)])
        read("argilla", [SourceFile.at(path)], {"criterion": "urgent"})


@pytest.mark.parametrize(
    ("column", "offsets"),
    [
        (["x", "y", "z"], range(20, 60)),
        ([[0.1, 0.9], [0.5, 0.5], [1.0, 0.0]], (49, 50, 80)),  # counting the values of lists takes a process each
    ],
)
def test_damage_where_a_parquet_file_describes_its_columns_ends_no_process(column, offsets, tmp_path):
    """pyarrow 26 aborts at some of these places when it is asked how many values a column holds."""
    pq.write_table(pa.table({"id": ["a", "b", "c"], "text": ["x", "y", "z"], "gold": column}), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    refused = 0
    for place in (footer + offset for offset in offsets):
        (tmp_path / "a.parquet").write_bytes(content[:place] + b"\0" + content[place + 1 :])
        problems = Problems()
        with suppress(ImportRefused):
            open_parquet(SourceFile.at(tmp_path / "a.parquet"), problems=problems)
        assert all(problem.remedy for problem in problems.kept)
        refused += bool(problems.kept)
    assert refused > len(offsets) / 2


@pytest.mark.parametrize(("tool", "name"), [("label-studio", "export.json"), ("prodigy", "a.jsonl")])
def test_a_file_that_is_too_large_is_refused_before_it_is_read(tool, name, tmp_path):
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(b'[{"data": {}, "annotations": []}]' if name.endswith(".json") else b'{"answer": "accept"}\n')
        file.truncate(MAX_DOCUMENT_BYTES + 1)  # a hole in the file, which takes no room
    reader, problems = dataset_readers.get(tool), Problems()
    with pytest.raises(ImportRefused):
        list(reader.read([SourceFile.at(path)], reader.options(), problems, silent).instances)
    assert problems.kept[0].reason.endswith(f" {MAX_DOCUMENT_BYTES >> 20} MB")
