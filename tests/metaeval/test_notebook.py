"""docs/chaosnli.ipynb runs, and prints what it shows."""

import json
from pathlib import Path

import pytest

from tests import notebooks

NOTEBOOK = Path(__file__).parents[2] / "docs" / "chaosnli.ipynb"


@pytest.fixture
def notebook():
    return json.loads(NOTEBOOK.read_text())


@pytest.mark.shared_data
def test_the_notebook_prints_what_it_shows(notebook, shared_data, monkeypatch):
    monkeypatch.setenv("HLV_DATA", str(shared_data))
    for cell, text in zip(notebooks.code_cells(notebook), notebooks.run(notebook), strict=True):
        assert text == notebooks.printed(cell)


def test_the_notebook_is_small_and_shows_no_texts_of_the_data(notebook):
    assert NOTEBOOK.stat().st_size < 20_000
    assert all(len(notebooks.printed(cell)) < 1500 for cell in notebooks.code_cells(notebook))
