"""docs/reference/validity.md is what the command writes, except for the digits.

Simulations of minutes are not run in every test.
"""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from metaeval.validity.page import HEAD, form, page, read_sections, section_text
from metaeval.validity.sections import (
    Effort,
    NeedsData,
    ValiditySection,
    ValidityTable,
    ordered_sections,
    share,
    validity_section,
    validity_sections,
)

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "validity.md"
SIMULATED = [section for section in ordered_sections() if not section.needs_data]
FEWEST = 2
REAL = [section for section in ordered_sections() if section.needs_data]


@pytest.fixture
def text():
    return PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("section", SIMULATED, ids=lambda section: section.name)
def test_each_section_has_the_form_that_its_code_gives_it(section, text, monkeypatch):
    monkeypatch.setattr("metaeval.validity.learned_leak.LARGE", 1000)  # a number, which the form leaves out
    tables = section.tables(Effort(simulations=FEWEST))
    assert form(section_text(section, tables, FEWEST)) == form(read_sections(text)[section.name])
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}


@pytest.mark.shared_data
@pytest.mark.parametrize("section", REAL, ids=lambda section: section.name)
def test_each_section_on_real_files_has_the_form_that_its_code_gives_it(section, text, shared_data):
    tables = section.tables(Effort(simulations=FEWEST, data=shared_data))
    assert form(section_text(section, tables, FEWEST)) == form(read_sections(text)[section.name])


def test_the_page_has_every_section_in_its_place_and_nothing_else(text):
    sections = ordered_sections()
    assert list(read_sections(text)) == [section.name for section in sections]
    assert page(read_sections(text), sections) == text
    assert text.startswith(HEAD)


def test_a_section_is_written_anew_and_the_others_stay_to_the_last_byte(tmp_path, text, capsys):
    out = tmp_path / "page.md"
    out.write_text(text, encoding="utf-8")
    call_command("validity", SIMULATED[0].name, "--simulations", "3", "--out", str(out))
    before, after = read_sections(text), read_sections(out.read_text(encoding="utf-8"))
    assert before.pop(SIMULATED[0].name) != after.pop(SIMULATED[0].name)
    assert before == after
    assert f"1 of {len(ordered_sections())} sections" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "There is no validity section 'nothing'. Known: "),
        (["--simulations", "1"], "--simulations 1: at least 2."),
        (["--data", "absent"], "absent is not a folder."),
    ],
)
def test_what_cannot_be_computed_is_refused_in_words(arguments, said, tmp_path):
    with pytest.raises(CommandError, match=said):
        call_command("validity", *arguments, "--out", str(tmp_path / "page.md"))


def test_a_section_on_real_files_says_that_it_needs_them():
    with pytest.raises(NeedsData, match="--data DIR"):
        Effort().files()


def test_a_section_says_what_was_done_by_which_command_and_what_to_make_of_it():
    section = ValiditySection("dice", 1, "Dice", "One die.", "It is fair.", False, lambda _: [])
    table = ValidityTable(("side", "share"), [["six", share(2, 12)]], "Thrown.")
    assert section_text(section, [table], 12).split("\n\n") == [
        '\n<a id="dice"></a>\n## Dice',
        "One die.",
        "Computed by `manage.py validity dice`, 12 simulated studies for each figure.",
        "Thrown.",
        "| side | share |\n|---|---:|\n| six | 16.7 ± 10.8 |",
        "It is fair.\n",
    ]


def test_two_sections_of_one_name_are_refused():
    def unit_of_analysis(effort):
        return []

    with pytest.raises(ValueError, match="two validity sections"):
        validity_section(place=1, title="", about="")(unit_of_analysis)
    assert "unit_of_analysis" in validity_sections.names()
