"""docs/metrics.md is what the registry says."""

import re

import pytest
from django.core.management import CommandError, call_command

from metaeval import metrics
from metaeval.management.documenting import PICTURE, page, picture


def test_the_page_and_its_picture_are_up_to_date():
    call_command("document_metrics", "--check")


def test_the_page_has_every_metric_with_its_formula_range_and_source():
    text = page()
    sections = dict(re.findall(r'<a id="(\w+)"></a>\n(.*?)(?=\n<a id=|\n## )', text, re.DOTALL))
    titles = {entry.name: entry.title for entry in metrics.available()}
    titles |= {entry.name: entry.title for entry in metrics.annotation_metrics()}
    for name, title in titles.items():
        assert "Formula" in sections[name]
        assert "Source: " in sections[name]
        assert title in sections[name]


def test_an_outdated_page_is_found_and_renewed(tmp_path):
    call_command("document_metrics", "--folder", str(tmp_path))
    call_command("document_metrics", "--folder", str(tmp_path), "--check")
    (tmp_path / "metrics.md").write_text("old")
    with pytest.raises(CommandError, match=r"Out of date: metrics\.md"):
        call_command("document_metrics", "--folder", str(tmp_path), "--check")
    assert (tmp_path / "metrics.md").read_text() == "old"


def test_the_picture_shows_that_soft_accuracy_is_never_above_po_jsd():
    drawn = picture()
    assert PICTURE.suffix == ".svg"
    points = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    assert len(points) == 400
    for x, y in points:  # the axes are 320 long, from (62, 334)
        assert (334 - float(y)) >= (float(x) - 62) - 0.2
