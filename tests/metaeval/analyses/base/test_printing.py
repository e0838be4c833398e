"""A table as it is printed: an interval is one cell in every format that people read, and two numbers in every file."""

import csv
import json

import pytest

from metaeval.analyses.base.printing import (
    as_csv,
    as_json,
    as_latex,
    as_markdown,
    printed_cell,
    printed_columns,
    row_keys,
)
from metaeval.analyses.base.table import Table, column, table
from tests.metaeval.finished import whole_study, with_results

TABLE = table(
    "t",
    "T",
    [
        column("metric", "Metric"),
        column("r", "r", group="Pearson"),
        column("p", "p", group="Pearson", kind="p"),
        column("r_low", "from", group="Pearson"),
        column("r_high", "to", group="Pearson"),
        column("systems", "Systems", group="Pearson"),
        column("share", "Share", kind="share"),
        column("share_low", "95% low", kind="share", detail=True),
        column("share_high", "95% high", kind="share", detail=True),
        column("widest", "Widest", detail=True),
        column("notes", "Notes"),
    ],
    [
        {"metric": "A", "r": 0.5, "p": 0.01, "r_low": -0.25, "r_high": 0.75, "systems": 26, "share": 0.5},
        {"metric": "A", "r": None, "p": None, "share": 0.5, "share_low": 0.25, "share_high": 0.75},
    ],
)


def test_an_interval_is_one_column_beside_its_estimate_and_before_its_p():
    shown = [(one.group, one.title, one.keys) for one in printed_columns(TABLE)]
    assert shown == [
        ("", "Metric", ("metric",)),
        ("Pearson", "r", ("r",)),
        ("Pearson", "interval", ("r_low", "r_high")),
        ("Pearson", "p", ("p",)),
        ("Pearson", "Systems", ("systems",)),
        ("", "Share", ("share",)),
        ("", "95% interval", ("share_low", "share_high")),
        ("", "Widest", ("widest",)),
    ]
    interval, share = printed_columns(TABLE)[2], printed_columns(TABLE)[6]
    assert [printed_cell(row, interval) for row in TABLE.rows] == ["[−0.250, 0.750]", "–"]
    assert [printed_cell(row, share) for row in TABLE.rows] == ["–", "[25.0%, 75.0%]"]


def test_a_wide_table_shows_values_intervals_and_p_first():
    assert [one.key for one in printed_columns(TABLE) if not one.is_main] == ["systems", "widest"]


def test_groups_that_do_not_fit_a_page_wait():
    of = {
        "Pearson": ["r", "r_p", "r_holm", "r_bh"],
        "Spearman": ["s", "s_p", "s_holm", "s_bh"],
        "Kendall": ["t", "t_p"],
    }
    columns = [column(key, key, group=group, kind="p" if "_" in key else "") for group in of for key in of[group]]
    wide = table("wide", "Wide", [column("metric", "Metric"), *columns], [])
    assert [one.group for one in printed_columns(wide) if one.is_main] == ["", *["Pearson"] * 4, *["Spearman"] * 4]


def test_remarks_wait_where_there_are_many_columns():
    columns = [column(f"c{number}", "C") for number in range(11)]
    wide = table("wide", "Wide", [*columns, column("notes", "Notes")], [{"c1": 1.0, "c2": 1, "notes": "left out"}])
    shown = printed_columns(wide)
    assert [one.key for one in shown if not one.is_main] == ["notes"]
    assert [one.is_whole for one in shown[:3]] == [True, False, True]


def test_papers_get_the_interval_whole_and_files_its_two_numbers():
    assert "| A | 0.500 | [−0.250, 0.750] | 0.010 |" in as_markdown(TABLE)
    assert "A & 0.500 & [$-$0.250, 0.750] & 0.010 &" in as_latex(TABLE)
    assert r"\multicolumn{4}{c}{Pearson}" in as_latex(TABLE)
    first, _ = csv.DictReader(as_csv(TABLE).splitlines())
    assert (first["r_low"], first["r_high"]) == ("-0.25", "0.75")
    assert json.loads(as_json(TABLE)) == TABLE.plain()


def test_what_only_looks_like_an_interval_stays_as_it_is():
    bins = table("bins", "Bins", [column("low", "Above"), column("high", "up to")], [{"low": 0.0, "high": 0.1}])
    alone = table("alone", "Alone", [column("low", "95% low")], [{"low": 0.0}])
    apart = table("apart", "Apart", [column("low", "from", group="A"), column("high", "to", group="B")], [])
    for one in (bins, alone, apart):
        assert [(column.key, column.high) for column in printed_columns(one)] == [(c.key, None) for c in one.columns]


def test_a_mean_and_its_deviation_are_one_column_for_readers_and_two_numbers_in_files():
    found = table(
        "means",
        "Means",
        [
            column("method", "Method"),
            column("a", "mean", group="A"),
            column("a_sd", "SD", group="A"),
            column("b", "B"),
            column("b_sd", "SD"),
        ],
        [
            {"method": "X", "a": -0.5, "a_sd": 0.0125, "b": 1.0, "b_sd": 2.0},
            {"method": "Y", "a": 0.25},
            {"method": "Z"},
        ],
    )
    first, second, *others = printed_columns(found)
    assert (second.keys, second.title, second.is_numeric) == (("a", "a_sd"), "mean ± SD", True)
    assert [printed_cell(row, second) for row in found.rows] == ["−0.500 ± 0.013", "0.250", "–"]
    assert [one.keys for one in (first, *others)] == [("method",), ("b",), ("b_sd",)]  # not called a mean
    assert "| X | −0.500 ± 0.013 | 1.000 | 2.000 |" in as_markdown(found)
    assert r"X & $-$0.500 $\pm$ 0.013 &" in as_latex(found)
    assert next(csv.DictReader(as_csv(found).splitlines()))["a_sd"] == "0.0125"


def test_rows_about_the_same_are_told_apart_by_their_order():
    assert row_keys(TABLE) == [("A",), ("A", "2")]


@pytest.mark.django_db
def test_no_analysis_shows_the_ends_of_an_interval_in_two_columns():
    study = with_results(whole_study())
    runs = list(study.analysis_runs.defer(None))
    assert len(runs) > 3
    left = [
        (run.analysis, one["name"], shown.key)
        for run in runs
        for one in run.result["tables"]
        for shown in printed_columns(Table.model_validate(one))
        if shown.high is None and shown.key.endswith("low") and shown.title != "Above"  # the edge of a bar
    ]
    assert left == []
