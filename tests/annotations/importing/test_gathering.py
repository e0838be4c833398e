"""A table that comes in batches is the same table, however it was cut, and keeps the codes of few texts short."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.importing.reading.tabular import csv_files
from annotations.importing.reading.tabular.csv_files import SHORTEST, gathered

SCHEMA = pa.schema([("text", pa.dictionary(pa.int32(), pa.string())), ("number", pa.float64())])


def batch(texts, numbers):
    columns = [pa.array(texts, pa.string()).dictionary_encode(), pa.array(numbers, pa.float64())]
    return pa.record_batch(columns, schema=SCHEMA)


@given(
    st.lists(st.tuples(st.integers(0, 3 * SHORTEST).map(str), st.floats(allow_nan=False)), max_size=400),
    st.lists(st.integers(0, 400), max_size=5),
    st.integers(1, 50),
)
def test_batches_give_the_rows_they_hold_in_order(rows, cuts, piece):
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = [rows[start:end] for start, end in pairwise(edges)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_files, "PIECE", piece)
        table = gathered((batch([t for t, _ in part], [n for _, n in part]) for part in parts), SCHEMA)
    assert table.column("text").to_pylist() == [text for text, _ in rows]
    assert table.column("number").to_pylist() == [number for _, number in rows]
    if rows:
        assert table.column("text").chunk(0).dictionary.to_pylist() == list(dict.fromkeys(text for text, _ in rows))


def test_a_missing_number_is_nan():
    assert np.isnan(gathered([batch(["a"], [None])], SCHEMA).column("number").to_numpy()).all()


@pytest.mark.parametrize(("texts", "code"), [(SHORTEST, pa.int8()), (SHORTEST + 1, pa.int32())])
def test_few_texts_take_one_byte_a_row(texts, code):
    table = gathered([batch(list(map(str, range(texts))), [0.0] * texts)], SCHEMA)
    assert table.column("text").type.index_type == code
