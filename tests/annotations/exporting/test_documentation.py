"""`docs/exports.md` says what there is."""

from pathlib import Path

import pytest

from annotations.exporting.formats import formats
from annotations.exporting.rows import ResponseSource
from tests.worlds.full import make_full_study

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "exports.md").read_text(encoding="utf-8")


@pytest.mark.django_db
def test_every_format_and_every_file_is_documented():
    source = ResponseSource(make_full_study(experts=0))
    for known in formats:
        assert f"`{known.name}`" in DOCUMENT
        for file in known.files(source):
            assert f"`{file.name}`" in DOCUMENT
