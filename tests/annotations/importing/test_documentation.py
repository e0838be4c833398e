"""docs/data.md imports published files and exports of every annotation tool; tests/test_docs_run.py types all of it."""

import re
import shlex
from io import StringIO

import pytest
from django.core.management import call_command

from annotations.importing.reading.tabular.sheets import KNOWN
from tests.clean_shell import blocks
from tests.conftest import ROOT

REFERENCE = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$manage (import_\w+ .*)$", "\n".join(blocks(ROOT / "docs" / "data.md")), re.MULTILINE)
TOOLS = {shlex.split(line)[1]: line for line in COMMANDS if "$tools/" in line}
EXAMPLES = [line for line in COMMANDS if "$HLV_DATA/" in line]


def test_every_column_of_a_table_is_documented():
    for column in KNOWN:
        assert f"`{column}`" in REFERENCE


@pytest.mark.django_db
@pytest.mark.parametrize("tool", ["label-studio", "doccano", "argilla", "prodigy", "potato"])
def test_every_example_on_a_file_of_a_tool_runs_as_it_stands(tool, monkeypatch):
    monkeypatch.chdir(ROOT)
    out = StringIO()
    command, *words = shlex.split(TOOLS[f"from-{tool}"].replace("$tools", "tests/fixtures/tools"))
    call_command(command, *words, stdout=out)
    assert f"format {tool}" in out.getvalue()
    assert f"Imported dataset 'from-{tool}'." in out.getvalue()


def test_there_is_an_example_of_every_published_format():
    named = " ".join(EXAMPLES)
    for folder in ("chaosnli", "lewidi2023", "lewidi2025", "dices350", "topicalchat", "mtbench"):
        assert f"$HLV_DATA/{folder}/" in named
