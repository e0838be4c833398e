"""What `help()` shows of a metric: its author's words in sections, and what the registry knows."""

import math

import pytest

from metaeval.metrics.documented import of_pairs, with_sections

WRITTEN = """Mean Q.

Formula: Q.

Returns
-------
float
    All cells.

References
----------
A paper.

Warnings
--------
Slow."""


def test_the_sections_of_an_author_are_kept_with_those_that_are_known_before_them():
    found = with_sections(WRITTEN, {"Returns": "any number", "References": "Its source."})
    assert found.split("\n\n") == [
        "Mean Q.",
        "Returns\n-------\nfloat\n    All cells.",  # the author's alone: it is about this metric
        "Notes\n-----\nFormula: Q.",
        "References\n----------\nIts source.\nA paper.",
        "Warnings\n--------\nSlow.",
    ]


@pytest.mark.parametrize(
    ("limits", "shown"), [((0.0, 1.0), "[0, 1]"), ((-1.0, 0.25), "[-1, 0.25]"), ((0.0, math.inf), "[0, infinity)")]
)
def test_the_range_of_a_metric_is_shown_and_open_where_it_has_no_end(limits, shown):
    assert f" {shown};" in of_pairs(["multiclass"], limits, "lower", "a paper")["Returns"]
