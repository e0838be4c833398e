"""What a spreadsheet would run as a formula, it gets as text; and nothing is lost on the way back."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.exporting.spreadsheets import csv_lines, neutralise, quoted, restore

texts = st.text(alphabet=st.sampled_from("'=+-@\t\r\nab1 ,\"é"), max_size=8)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=cmd|' /C calc'!A0"])
def test_a_formula_gets_an_apostrophe(text):
    assert neutralise(text) == "'" + text


@pytest.mark.parametrize("text", ["", "Consumer law", "a=b", "1-2", "'quoted'", " =1"])
def test_other_texts_stay_as_they_are(text):
    assert neutralise(text) == text


@given(texts)
def test_the_way_back_gives_the_same_text(text):
    assert restore(neutralise(text)) == text


@given(texts)
def test_what_is_written_never_begins_like_a_formula(text):
    assert neutralise(text)[:1] not in set("=+-@\t\r\n")


@given(st.lists(st.tuples(texts, st.integers(-5, 5)), max_size=5))
def test_a_csv_reader_gets_back_every_cell(rows):
    written = "".join(csv_lines(["text", "number"], rows))
    found = list(csv.reader(io.StringIO(written, newline="")))
    assert [(restore(text), int(number)) for text, number in found[1:]] == rows


def test_numbers_are_left_alone():
    assert list(csv_lines(["n"], [[-1.5]])) == ["n\r\n", "-1.5\r\n"]


@given(st.lists(texts, min_size=2))
def test_quoted_cells_between_commas_are_the_line_that_the_writer_of_csv_makes(cells):
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    assert ",".join(map(quoted, cells)) + "\r\n" == buffer.getvalue()
