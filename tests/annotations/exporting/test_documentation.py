"""docs/reference/formats.md describes every file of an export."""

import pytest

from annotations.exporting.formats import formats
from annotations.exporting.rows import ResponseSource
from tests.conftest import ROOT
from tests.worlds.full import make_full_study

PAGE = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")


@pytest.mark.django_db
def test_every_format_and_every_file_is_documented():
    source = ResponseSource(make_full_study(experts=0))
    for known in formats:
        assert f"| `{known.name}` |" in PAGE
        for file in known.files(source):
            assert f"| `{file.name}` |" in PAGE
