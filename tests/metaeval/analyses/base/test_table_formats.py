"""Tables as files: what a spreadsheet does not run, what LaTeX compiles, what Markdown shows."""

import csv
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.printing import FORMATS, as_csv, as_json, as_latex, as_markdown
from metaeval.analyses.base.table import column, table

ROWS = [
    {"system": "A_1 & co", "r": 0.69212, "p": 0.00001, "share": 0.25, "notes": "left out: 50%"},
    {"system": "=B", "r": None, "p": None, "share": -0.5, "notes": ""},
]
COLUMNS = [
    column("system", "System"),
    column("r", "r", group="Pearson r"),
    column("p", "p", group="Pearson r", kind="p"),
    column("share", "Share", kind="share"),
    column("notes", "Notes"),
]
TABLE = table("some_table", "Some_table: 100%", COLUMNS, ROWS, notes=["All of it is made up."])


def test_json_and_csv_keep_all_digits_and_an_undefined_cell_is_empty():
    assert json.loads(as_json(TABLE)) == TABLE.plain()
    first, second = csv.DictReader(as_csv(TABLE).splitlines())
    assert float(first["r"]) == 0.69212
    assert second["r"] == ""
    assert second["system"] == "'=B"


def test_latex_has_booktabs_rules_groups_and_escapes_what_latex_would_take_for_commands():
    text = as_latex(TABLE)
    for words in (r"\toprule", r"\midrule", r"\bottomrule", r"\cmidrule(lr){2-3}", r"\multicolumn{2}{c}{Pearson r}"):
        assert words in text
    assert r"\begin{tabular}{@{}lrrrl@{}}" in text
    assert r"A\_1 \& co & 0.692 & $<$0.001 & 25.0\% & left out: 50\% \\" in text
    assert r"=B & -- & -- & $-$50.0\% &  \\" in text
    assert r"\caption{Some\_table: 100\%}" in text
    assert r"\label{tab:some-table}" in text
    assert "All of it is made up." in text


def test_markdown_has_a_cell_for_every_column_and_the_notes_below():
    lines = as_markdown(TABLE).splitlines()
    assert lines[0] == "| System | Pearson r r | Pearson r p | Share | Notes |"
    assert lines[1] == "| --- | ---: | ---: | ---: | --- |"
    assert lines[2] == "| A_1 & co | 0.692 | &lt;0.001 | 25.0% | left out: 50% |"
    assert lines[-1] == "All of it is made up."


@given(st.text(max_size=40))
def test_no_text_breaks_out_of_its_cell(text):
    made = table("t", "T", [column("a", "A"), column("b", "B")], [{"a": text, "b": 1}])
    latex = as_latex(made)
    body = latex.split("\\midrule\n")[1].split("\\bottomrule")[0]
    assert len(re.findall(r"(?<!\\)&", body)) == 1
    assert not re.search(r"(?<!\\)[%#_]", body)
    assert len(re.findall(r"(?<!\\)\{", body)) == len(re.findall(r"(?<!\\)\}", body))
    row = as_markdown(made).split("\n")[2]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3


@pytest.mark.parametrize("kind", FORMATS.values(), ids=lambda kind: kind.name)
def test_a_table_without_rows_is_a_table(kind):
    assert kind.write(table("t", "T", [column("a", "A")], []))
