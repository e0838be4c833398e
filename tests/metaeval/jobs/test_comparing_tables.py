"""Two tables side by side: rows are joined by what they are about, and nothing that differs is called the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.table import column, table
from metaeval.jobs.comparing import compare_tables

COLUMNS = [
    column("metric", "Metric"),
    column("r", "r", group="Pearson"),
    column("low", "from", group="Pearson"),
    column("high", "to", group="Pearson"),
    column("p", "p", kind="p"),
    column("n", "Systems"),
    column("share", "Share", kind="share"),
    column("notes", "Notes"),
]


def made(*rows):
    return table(
        "t",
        "T",
        COLUMNS,
        [dict(zip(["metric", "r", "low", "high", "p", "n", "share"], row, strict=True)) for row in rows],
    )


A = ("A", 0.5, 0.1, 0.9, 0.04, 26, 0.25)
B = ("B", None, None, None, 0.5, 26, 0.5)


def cells(compared, row):
    return [(cell.first, cell.second, cell.difference) for cell in compared.rows[row].cells]


def test_rows_are_joined_by_what_they_are_about_whatever_their_order():
    found = compare_tables(made(A, B), made(B, A))
    assert ([row.name for row in found.rows], found.changed) == ([["B"], ["A"]], 0)
    assert (found.naming, found.columns) == (["Metric"], ["Pearson: r", "Pearson: interval", "p", "Systems", "Share"])


def test_every_change_is_printed_with_its_difference():
    found = compare_tables(made(A), made(("A", 0.4, 0.2, 0.9, 0.0400001, 24, 0.5)))
    assert cells(found, 0) == [
        ("0.500", "0.400", "−0.100"),
        ("[0.100, 0.900]", "[0.200, 0.900]", ""),
        ("0.040", "0.040", "too small to print"),
        ("26", "24", "−2"),
        ("25.0%", "50.0%", "+25.0%"),
    ]
    assert (found.compared, found.changed) == (5, 5)


def test_what_is_undefined_or_missing_in_one_is_a_change_without_a_difference():
    found = compare_tables(made(A), made(("A", None, None, None, 0.04, 26, 0.25), B))
    assert cells(found, 0)[:2] == [("0.500", "–", ""), ("[0.100, 0.900]", "–", "")]
    assert [row.where for row in found.rows] == ["both", "second"]
    assert found.changed == 2 + 5
    assert compare_tables(made(A, B), made(A)).rows[1].where == "first"


def test_without_the_rows_that_are_the_same_only_changes_stand():
    found = compare_tables(made(A, B), made(A, ("B", 0.1, None, None, 0.5, 26, 0.5)), whole=False)
    assert [row.name for row in found.rows] == [["B"]]
    assert compare_tables(made(A), made(A), whole=False).rows == []


def test_a_table_in_only_one_result_is_a_change_throughout():
    assert compare_tables(None, made(A)).changed == compare_tables(made(A), None).changed == 5
    with pytest.raises(ValueError, match="one of the two"):
        compare_tables(None, None)


NUMBERS = st.none() | st.floats(-2, 2)
ROWS = st.lists(st.tuples(st.sampled_from("ABC"), *[NUMBERS] * 4, st.integers(0, 9), NUMBERS), max_size=5)


@given(ROWS, ROWS)
def test_a_comparison_backwards_finds_as_many_changes_and_none_with_itself(first, second):
    one, other = made(*first), made(*second)
    there, back = compare_tables(one, other), compare_tables(other, one)
    assert (there.changed, there.compared) == (back.changed, back.compared)
    assert compare_tables(one, one).changed == 0
    for row in there.rows:
        for cell in row.cells:
            assert not cell.difference or cell.differs
