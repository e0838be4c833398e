"""`docs/importing.md` says what there is, and its examples work on the real files."""

import re
import shlex
from io import StringIO

import pytest
from django.core.management import call_command

from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.options import NamingOptions
from annotations.importing.reading.tabular.columns import KNOWN
from tests.conftest import ROOT

TOOLS = re.compile(r"^\.venv/bin/python manage\.py (import_\w+ .*tests/fixtures/tools/.*)$", re.MULTILINE)
EXAMPLES = re.compile(r"^\.venv/bin/python manage\.py (import_\w+ .*\$HLV_DATA.*)$", re.MULTILINE)
DOCUMENT = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")


def test_every_format_option_and_column_is_documented():
    for reader in [*dataset_readers, *prediction_readers]:
        assert f"## `{reader.name}`" in DOCUMENT
        for option in [*reader.options.model_fields, *NamingOptions.model_fields]:
            assert f"`{option}`" in DOCUMENT
    for column in KNOWN:
        assert f"`{column}`" in DOCUMENT


@pytest.mark.django_db
@pytest.mark.parametrize("tool", ["label-studio", "doccano", "argilla", "prodigy", "potato"])
def test_every_example_on_a_file_of_a_tool_runs_as_it_stands(tool, monkeypatch):
    monkeypatch.chdir(ROOT)
    (example,) = (line for line in TOOLS.findall(DOCUMENT) if f" from-{tool} " in line)
    out = StringIO()
    command, *words = shlex.split(example)
    call_command(command, *words, stdout=out)
    assert f"format {tool}" in out.getvalue()
    assert f"Imported dataset 'from-{tool}'." in out.getvalue()


@pytest.mark.shared_data
def test_every_example_on_real_files_runs_as_it_stands(db, shared_data):
    examples = EXAMPLES.findall(DOCUMENT)
    assert examples
    for example in examples:
        out = StringIO()
        command, *words = shlex.split(example.replace("$HLV_DATA", str(shared_data)))
        call_command(command, *words, stdout=out)
        assert "Imported" in out.getvalue()
