"""docs/reference/validity.md is what the command writes, except for the digits.

Simulations of minutes are not run in every test.
"""

import pytest

from tests.lab.validity.__main__ import PAGE, SECTIONS, main
from tests.lab.validity.sections import HEAD, Effort, Section, Table, form, page, read_sections, share

SIMULATED = [section for section in SECTIONS if not section.needs_data]
FEWEST = 2
REAL = [section for section in SECTIONS if section.needs_data]


@pytest.fixture
def text():
    return PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("section", SIMULATED, ids=lambda section: section.name)
def test_each_section_has_the_form_that_its_code_gives_it(section, text, monkeypatch):
    monkeypatch.setattr("tests.lab.validity.blinding.LARGE", 1000)  # a number, which the form leaves out
    tables = section.tables(Effort(simulations=FEWEST))
    assert form(section.text(tables, FEWEST)) == form(read_sections(text)[section.name])
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}


@pytest.mark.shared_data
@pytest.mark.parametrize("section", REAL, ids=lambda section: section.name)
def test_each_section_on_real_files_has_the_form_that_its_code_gives_it(section, text, shared_data):
    tables = section.tables(Effort(simulations=FEWEST, data=shared_data))
    assert form(section.text(tables, FEWEST)) == form(read_sections(text)[section.name])


def test_the_page_has_every_section_in_its_place_and_nothing_else(text):
    assert list(read_sections(text)) == [section.name for section in SECTIONS]
    assert page(read_sections(text), SECTIONS) == text
    assert text.startswith(HEAD)


def test_a_section_is_written_anew_and_the_others_stay_to_the_last_byte(tmp_path, text, capsys):
    out = tmp_path / "page.md"
    out.write_text(text, encoding="utf-8")
    main([SIMULATED[0].name, "--simulations", "3", "--out", str(out)])
    before, after = read_sections(text), read_sections(out.read_text(encoding="utf-8"))
    assert before.pop(SIMULATED[0].name) != after.pop(SIMULATED[0].name)
    assert before == after
    assert f"1 of {len(SECTIONS)} sections" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "nothing: the sections are unit_of_analysis, "),
        (["--simulations", "1"], "--simulations 1: at least 2"),
        (["--data", "absent"], "absent is not a folder"),
        (["ways_to_draw"], "--data DIR"),
    ],
)
def test_what_cannot_be_computed_is_refused_in_words(arguments, message, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([*arguments, "--out", str(tmp_path / "page.md")])
    assert message in capsys.readouterr().err.rpartition("error: ")[2]


def test_a_section_says_what_was_done_by_which_command_and_what_to_make_of_it():
    section = Section("dice", "Dice", "One die.", "It is fair.", lambda _: [])
    table = Table(("side", "share"), [["six", share(2, 12)]], "Thrown.")
    assert section.text([table], 12).split("\n\n") == [
        '\n<a id="dice"></a>\n## Dice',
        "One die.",
        "Computed by `python -m tests.lab.validity dice`, 12 simulated studies for each figure.",
        "Thrown.",
        "| side | share |\n|---|---:|\n| six | 16.7 ± 10.8 |",
        "It is fair.\n",
    ]
