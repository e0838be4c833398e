"""Properties: what is written in any format is read back equal, and a corrupted file never half-imports."""

import csv
import io
import itertools
import json
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations.ground.progress import silent
from annotations.importing.datasets import import_dataset
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.problems import ImportRefused, Problems
from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    Segment,
    Target,
)
from annotations.importing.reading.files import SourceFile
from annotations.importing.writing.datasets import dataset_fingerprint
from annotations.models import Dataset, Event, Instance, Task

# Anything that can be stored: no NUL, no surrogate; a name is not empty and has no space around it.
TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=40)
NAMES = st.text(
    st.characters(exclude_characters="\x00\r\n", exclude_categories=["Cs"]), min_size=1, max_size=20
).filter(lambda name: name == name.strip())
SHARES = st.floats(0, 1)
quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def datasets(draw):
    """A multilabel dataset with texts; distributions, or annotations of known people."""
    labels = LabelSet(tuple(draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))), Task.MULTILABEL)
    ids = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    # An empty text is no text in any of the formats.
    texts = draw(st.lists(TEXTS.filter(bool), min_size=len(ids), max_size=len(ids)))
    instances = [InstanceRow(id_, (Segment("", text),)) for id_, text in zip(ids, texts, strict=True)]
    if draw(st.booleans()):
        rows = st.lists(SHARES, min_size=len(labels), max_size=len(labels))
        gold = np.array(draw(st.lists(rows, min_size=len(ids), max_size=len(ids))))
        return DatasetTable(labels=labels, instances=instances, gold=gold)
    people = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    chosen = st.sets(st.integers(0, len(labels) - 1)).map(lambda positions: tuple(sorted(positions)))
    votes = [AnnotationRow(i, draw(chosen), person) for i in range(len(ids)) for person in people]
    return DatasetTable(labels=labels, instances=instances, annotations=AnnotationTable.from_rows(votes))


def rows_of(table):
    """The table as long or disaggregated rows."""
    names, ids = table.labels.names, [row.external_id for row in table.instances]
    if table.gold is not None:
        for (i, id_), (k, label) in itertools.product(enumerate(ids), enumerate(names)):
            yield {"instance": id_, "label": label, "probability": float(table.gold[i, k])}
        return
    votes = table.annotations
    for a in range(len(votes)):
        chosen = votes.labels[votes.offsets[a] : votes.offsets[a + 1]].tolist()
        for label in [names[k] for k in chosen] or [None]:
            yield {
                "instance": ids[votes.instance[a]],
                "annotator": votes.annotators[votes.annotator[a]],
                "label": label,
            }


def texts_of(table):
    for row in table.instances:
        yield {"instance": row.external_id, "text": row.segments[0].text}


def as_csv(rows):
    rows = list(rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_json_lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def as_parquet(rows):
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), out)
    return out.getvalue()


FORMATS = {"csv": as_csv, "jsonl": as_json_lines, "parquet": as_parquet}


def files_of(folder, **contents):
    for name, content in contents.items():
        (Path(folder) / name.replace("__", ".")).write_bytes(content)
    return [SourceFile.at(path) for path in sorted(Path(folder).iterdir())]


def read(files, **options):
    reader = dataset_readers.get("table")
    return reader.read(files, reader.options(**options), Problems(), silent)


@pytest.mark.parametrize("kind", FORMATS)
@quick
@given(table=datasets())
def test_a_dataset_is_read_back_as_it_was_written(kind, table):
    with tempfile.TemporaryDirectory() as folder:
        files = files_of(
            folder,
            **{f"a__{kind}": FORMATS[kind](rows_of(table)), f"b__{kind}": FORMATS[kind](texts_of(table))},
        )
        again = read(files, task="multilabel", labels=table.labels.names)
    assert dataset_fingerprint(again) == dataset_fingerprint(table)
    np.testing.assert_array_equal(again.distributions(), table.distributions())


@pytest.mark.parametrize("kind", FORMATS)
@quick
@given(table=datasets(), data=st.data())
def test_predictions_are_read_back_as_they_were_written_whatever_the_order_of_rows(kind, table, data):
    ids, names = tuple(row.external_id for row in table.instances), table.labels.names
    keys = data.draw(
        st.lists(st.tuples(NAMES, st.just("") | NAMES, st.just("") | NAMES), min_size=1, max_size=3, unique=True)
    )
    Q = np.random.default_rng(len(ids)).random((len(keys), len(ids), len(names)))
    rows = [
        {
            "model": model,
            "method": method,
            "run": run,
            "instance": id_,
            "label": label,
            "probability": float(Q[s, i, k]),
        }
        for s, (model, method, run) in enumerate(keys)
        for i, id_ in enumerate(ids)
        for k, label in enumerate(names)
    ]
    rows = data.draw(st.permutations(rows))
    reader = prediction_readers.get("table")
    with tempfile.TemporaryDirectory() as folder:
        files = files_of(folder, **{f"p__{kind}": FORMATS[kind](rows)})
        again = reader.read(files, reader.options(), Target("x", table.labels, ids), Problems(), silent)
    assert {system.key for system in again.systems} == set(keys)
    for system in again.systems:
        np.testing.assert_array_equal(system.Q, Q[keys.index(system.key)])


@quick
@given(table=datasets(), data=st.data())
def test_a_matrix_is_read_back_as_it_was_written(table, data):
    P = table.distributions()
    out = io.BytesIO()
    np.save(out, np.asfortranarray(P) if data.draw(st.booleans()) else P)
    reader = dataset_readers.get("matrix")
    with tempfile.TemporaryDirectory() as folder:
        files = files_of(folder, m__npy=out.getvalue(), t__jsonl=as_json_lines(texts_of(table)))
        options = reader.options(task="multilabel", labels=table.labels.names)
        again = reader.read(files, options, Problems(), silent)
    np.testing.assert_array_equal(again.gold, P)
    assert list(again.instances) == list(table.instances)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", [*FORMATS, "npy"])
@settings(quick, max_examples=30)
@given(table=datasets(), data=st.data())
def test_a_corrupted_file_is_imported_whole_or_not_at_all(kind, table, data):
    """Cut it anywhere, or change any byte: it is refused with problems, or what is stored is a whole dataset."""
    if kind == "npy":
        out = io.BytesIO()
        np.save(out, table.distributions())
        content, extra = out.getvalue(), {"t__jsonl": as_json_lines(texts_of(table))}
    else:
        content, extra = FORMATS[kind](rows_of(table)), {}
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content = content[:at]
    else:
        content = content[:at] + bytes([data.draw(st.integers(0, 255))]) + content[at + 1 :]
    with tempfile.TemporaryDirectory() as folder, transaction.atomic():
        files = files_of(folder, **{f"a__{kind}": content}, **extra)
        refused = None
        try:
            import_dataset(files=files, slug="torn", options={"labels": table.labels.names, "task": "multilabel"})
        except ImportRefused as refusal:
            refused = refusal
        if refused:
            assert refused.data["problems"]
            assert not Dataset.objects.exists()
            assert not Instance.objects.exists()
            assert not Event.objects.exists()
        else:
            stored = Dataset.objects.get()
            assert stored.gold.shape == (stored.instances.count(), stored.labels.count())
            assert stored.events.count() == 1
        transaction.set_rollback(True)
