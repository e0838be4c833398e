"""The command that runs an analysis here and prints what the field prints."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.table import column, table
from metaeval.jobs.models import AnalysisRun
from metaeval.management.commands.analyse import table_lines
from tests.metaeval.studies import answered_study

pytestmark = pytest.mark.django_db(transaction=True)

FEW = ["--metrics", "po_jsd", "--coefficients", "pearson"]
QUICKLY = ["--permutations", 200, *FEW]


def analyse(*arguments):
    out = StringIO()
    call_command("analyse", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_it_prints_the_table_and_writes_result_table_and_figures(study, tmp_path):
    files = {kind: tmp_path / f"out.{kind}" for kind in ("json", "csv", "svg", "png", "pdf")}
    printed = analyse(
        "demo",
        "preference_correlation",
        "--permutations",
        500,
        "--seed",
        1,
        "--json",
        files["json"],
        "--table",
        files["csv"],
        "--figure",
        files["svg"],
        "--figure",
        files["pdf"],
        "--figure",
        f"scatter-po_jsd={files['png']}",
    )
    for words in ("Metric", "Pearson r", "Spearman ρ", "Kendall τ-b", "p Holm", "p BH", "p max-T", "PO-JSD", "seed 1"):
        assert words in printed
    result = json.loads(files["json"].read_text())
    assert result["seed"] == 1
    assert result["parameters"]["permutations"] == 500
    with files["csv"].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["metric"] for row in rows] == [metric["title"] for metric in result["metrics"]]
    assert float(rows[3]["pearson"]) == result["correlations"][3]["value"]
    assert b"<svg" in files["svg"].read_bytes()
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    assert files["pdf"].read_bytes().startswith(b"%PDF")


def test_the_same_seed_prints_the_same_and_the_study_s_seed_is_the_default(study, tmp_path):
    first, second, other = (tmp_path / name for name in ("a.json", "b.json", "c.json"))
    for file, seed in ((first, ["--seed", 42]), (second, []), (other, ["--seed", 43])):
        analyse("demo", "preference_correlation", "--permutations", 300, *FEW, "--quiet", "--json", file, *seed)
    assert first.read_text() == second.read_text()
    assert first.read_text() != other.read_text()


def test_every_parameter_of_every_analysis_is_an_option(capsys):
    for entry in analyses:
        with pytest.raises(SystemExit):
            analyse("demo", entry.name, "--help")
        helped = capsys.readouterr().out
        for name in entry.parameters.model_fields:
            assert f"--{name.replace('_', '-')}" in helped


def test_simulated_data_says_so(db):
    answered_study("pretend", is_simulated=True)
    printed = analyse("pretend", "preference_correlation", *QUICKLY)
    assert printed.startswith("Simulated data")


def test_the_answer_comes_first_and_then_the_tables(study):
    printed = analyse("demo", "preference_correlation", *QUICKLY)
    answer = AnalysisRun.objects.get().answer
    assert printed.startswith(f"{answer}\n")
    assert printed.index(answer) < printed.index("Pearson r")


REFUSED = [
    (["nowhere", "preference_correlation"], "There is no study 'nowhere'. Studies: demo."),
    (["--dataset", "nowhere", "preference_correlation"], "There is no dataset 'nowhere'. Datasets: demo-data."),
    (
        ["--dataset", "demo-data", "preference_correlation"],
        "preference_correlation cannot be about several datasets",
    ),
    (["preference_correlation"], "preference_correlation needs something to be about: study"),
    (
        ["demo", "preference_correlation", *QUICKLY, "--table", "x.doc"],
        r"x\.doc does not end in one of \.json, \.csv, \.tex",
    ),
    (
        ["demo", "preference_correlation", *QUICKLY, "--table", "pie=x.csv"],
        "There is no table 'pie'. Known: correlations",
    ),
    (["demo", "preference_correlation", "--permutations", 5], "permutations: .* greater than or equal to 100"),
    (["demo", "preference_correlation", "--metrics", "f1"], r"There is no metric 'f1'\. Known: accuracy"),
    (["demo", "preference_correlation", "--metrics", "accuracy"], "accuracy is not defined for a multilabel task"),
    (["demo", "preference_correlation", "--seed", -1], "--seed is -1; expected a number from 0"),
    (["demo", "preference_correlation", "--by", "x@example.org"], r"Nobody has the address x@example\.org"),
    (["demo", "preference_correlation", *QUICKLY, "--figure", "x.gif"], r"x\.gif does not end in one of \.svg"),
    (
        ["demo", "preference_correlation", *QUICKLY, "--figure", "pie=x.svg"],
        "There is no figure 'pie'. Known: scatter,",
    ),
    (["demo", "preference_correlation", *QUICKLY, "--json", "/nowhere/x.json"], "could not be written"),
]


@pytest.mark.usefixtures("study")
def test_what_cannot_be_done_is_said_in_a_sentence():
    for arguments, message in REFUSED:
        with pytest.raises(CommandError, match=message):
            analyse(*arguments)


def test_a_table_too_wide_for_the_terminal_is_printed_in_blocks():
    columns = [("metric", "Metric", ""), ("r", "Pearson r", "Pearson"), ("t", "Kendall", "Kendall")]
    wide = table(
        "t",
        "T",
        [column(key, title, group=group) for key, title, group in columns],
        [{"metric": "One", "r": 0.5, "t": 0.25}],
    )
    assert len(table_lines(wide)) == 3
    assert table_lines(wide, width=20) == [
        "Metric  Pearson r",
        "─────────────────",
        "One         0.500",
        "",
        "Metric  Kendall",
        "───────────────",
        "One       0.250",
    ]


def test_as_many_groups_as_fit_stand_side_by_side_and_a_mean_is_one_column_with_its_deviation():
    columns = [column("method", "Method")]
    for key in "abc":
        columns += [column(key, "mean", group=key.upper()), column(f"{key}_sd", "SD", group=key.upper())]
    wide = table("t", "T", columns, [{"method": "One", "a": 0.5, "a_sd": 0.125, "b": 0.25, "c": None}])
    assert table_lines(wide, width=40) == [
        "Method         A ± SD  B ± SD  C ± SD",
        "─────────────────────────────────────",
        "One     0.500 ± 0.125   0.250       –",
    ]
    assert [line.split() for line in table_lines(wide, width=29)] == [
        ["Method", "A", "±", "SD", "B", "±", "SD"],
        ["─" * 29],
        ["One", "0.500", "±", "0.125", "0.250"],
        [],
        ["Method", "C", "±", "SD"],
        ["─" * 14],
        ["One", "–"],
    ]


def test_a_wide_table_without_groups_is_printed_in_blocks_that_begin_with_its_names():
    wide = table(
        "t", "T", [column(key, key) for key in ("name", "one", "two", "six")], [{"name": "A", "one": 0.5, "two": 1.0}]
    )
    assert table_lines(wide, width=19) == [
        "name    one    two",
        "──────────────────",
        "A     0.500  1.000",
        "",
        "name  six",
        "─────────",
        "A       –",
    ]


def test_undefined_values_are_dashes_with_a_footnote():
    found = table(
        "t",
        "T",
        [column(key, key, detail=key == "x") for key in ("metric", "r", "x", "notes")],
        [
            {"metric": "One", "r": 0.5, "x": 1, "notes": ""},
            {"metric": "Two", "r": None, "x": 1, "notes": "undefined: all equal"},
        ],
        notes=["Two of three."],
    )
    assert table_lines(found) == [
        "metric       r",
        "──────────────",
        "One      0.500",
        "Two [1]      –",
        "[1] undefined: all equal",
        "Two of three.",
    ]


def test_rows_with_one_remark_share_its_footnote():
    found = table(
        "t",
        "T",
        [column(key, key) for key in ("name", "value", "notes")],
        [
            {"name": "A", "value": 1.0, "notes": "left out: X"},
            {"name": "B", "value": 2.0, "notes": ""},
            {"name": "C", "value": 3.0, "notes": "left out: X"},
            {"name": "D", "value": 4.0, "notes": "left out: Y"},
        ],
    )
    lines = table_lines(found)
    assert [line.split("  ")[0] for line in lines[2:6]] == ["A [1]", "B", "C [1]", "D [2]"]
    assert lines[6:] == ["[1] left out: X", "[2] left out: Y"]
