"""What the body of a report shows of a table, and where it says the rest is."""

from metaeval.analyses.base.table import column, table
from metaeval.documents.report.material import APPENDIX_ROWS, Numbering
from metaeval.documents.report.tables import BESIDE, COLUMNS, FIRST, ROWS, shortened

NAMES = [column("system", "System"), column("r", "r", group="R"), column("r_low", "from", group="R")]
ENDS = [column("r_high", "to", group="R"), column("r_p", "p", group="R", kind="p")]


def rows(count):
    return [
        {"system": f"S{n}", "r": 0.5, "r_low": 0.1, "r_high": 0.9, "r_p": 0.01, "notes": "Odd."} for n in range(count)
    ]


def test_a_short_table_stays_as_it_is():
    few = table("t", "T", [*NAMES, *ENDS], rows(ROWS))
    found = shortened(few)
    assert found.is_whole
    assert found.table == few
    assert found.not_shown("Table A1") == []


def test_a_long_table_shows_its_first_rows_and_says_where_all_are():
    found = shortened(table("t", "T", [*NAMES, *ENDS], rows(ROWS + 1)))
    assert [row["system"] for row in found.table.rows] == [f"S{n}" for n in range(FIRST)]
    assert found.not_shown("Table A1") == [f"The first {FIRST} of {ROWS + 1} rows; Table A1 has all of it."]


def test_both_ends_of_an_interval_stay_or_go_together():
    groups = [
        one.model_copy(
            update={"key": f"{one.key}{n}" if not one.key.endswith(("low", "high")) else f"g{n}_{one.key}"}
        ).model_copy(update={"group": f"G{n}"})
        for n in range(4)
        for one in (*NAMES[1:], *ENDS)
    ]
    row = {one.key: 0.5 for one in groups} | {"system": "A"}
    kept = [one.key for one in shortened(table("t", "T", [NAMES[0], *groups], [row])).table.columns]
    assert len(kept) < len(groups)
    assert {key.replace("low", "high") for key in kept if key.endswith("low")} <= set(kept)
    assert {key.replace("high", "low") for key in kept if key.endswith("high")} <= set(kept)


def test_remarks_stand_in_a_table_as_wide_as_the_page_and_not_beside_a_figure():
    remarked = table("t", "T", [*NAMES, *ENDS, column("notes", "Notes")], rows(2))
    assert "notes" in [one.key for one in shortened(remarked, columns=COLUMNS).table.columns]
    beside = shortened(remarked, columns=BESIDE)
    assert "notes" not in [one.key for one in beside.table.columns]
    assert beside.not_shown("Table A1") == ["Table A1 has all columns."]


def test_a_very_long_table_is_a_file_with_every_row_and_both_ends():
    long = table("pairs", "Pairs", [*NAMES, *ENDS], rows(APPENDIX_ROWS + 1))
    block, file = Numbering().long_table("agreement", long)
    assert (block.label, len(block.table.rows)) == ("Table A1", FIRST)
    assert file.name == "agreement-pairs.csv"
    assert any(file.name in note for note in block.notes)
    lines = file.content.decode().splitlines()
    assert len(lines) == APPENDIX_ROWS + 2
    assert "r_low" in lines[0]
    assert "r_high" in lines[0]
    (whole,) = Numbering().long_table("agreement", table("pairs", "Pairs", [*NAMES, *ENDS], rows(APPENDIX_ROWS)))
    assert len(whole.table.rows) == APPENDIX_ROWS


def test_figures_and_tables_are_counted_in_the_body_and_in_the_appendix():
    numbering, few = Numbering(), table("t", "T", NAMES, rows(1))
    labels = [numbering.table(few, appendix=appendix).label for appendix in (False, True, False, True)]
    assert labels == ["Table 1", "Table A1", "Table 2", "Table A2"]
