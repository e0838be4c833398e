"""The figure of machines' values: it fits, shows what the result contains, and exists only if there is something to
show."""

import json
from dataclasses import replace

import numpy as np
import pytest

from metaeval import figures
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import gather_study
from tests.metaeval.analyses.uncertainty.test_continuous import of, scaled
from tests.metaeval.sizes import EVERY_SIZE

TWO = ("M / a / 1", "M / b / 1")


@pytest.fixture(scope="module")
def result():
    """Of two machines; people agree on some items and not on others."""
    rng = np.random.default_rng(7)
    truth, certain = rng.integers(0, 5, (60, 1)), rng.random((60, 1)) < 0.6
    return of(scaled(np.where(certain, truth, rng.integers(0, 5, (60, 4))), systems=TWO))


@EVERY_SIZE
@pytest.mark.parametrize("labels", [pytest.param(5, marks=pytest.mark.long), 20])
def test_it_fits_with_long_names_and_many_labels(size, labels):
    rng = np.random.default_rng(3)
    inputs = scaled(rng.integers(0, labels, (60, 4)), points=tuple(map(float, range(labels))))
    names = tuple(f"incomprehensibility of degree {place}" for place in range(labels))
    drawn = analyses.get("uncertainty").draw("uncertainty_values", of(replace(inputs, labels=names)), size=size.name)
    svg = figures.image(drawn, "svg")
    assert float(svg.decode().split('width="', 1)[1].split('pt"', 1)[0]) <= size.width


def test_a_panel_is_a_partition_with_items_and_a_variant_is_of_one_machine(result):
    entry = analyses.get("uncertainty")
    drawn = entry.draw("uncertainty_values-2-M-b-1", result).to_dict()
    mine = [row for row in result["continuous"] if row["machine"] == "M / b / 1"]
    assert len(drawn["concat"]) == sum(row["items"] > 0 for row in mine)
    assert "Values of M / b / 1" in json.dumps(drawn)
    values = [one["p50"] for row in mine for one in row["spread"] if one["items"]]
    assert all(json.dumps(value) in json.dumps(drawn) for value in values)


def test_a_result_that_was_stored_before_has_no_such_figure(result):
    entry = analyses.get("uncertainty")
    assert "uncertainty_values" in entry.figure_names(result)
    before = [name for name in entry.figure_names(result) if not name.startswith("uncertainty_values")]
    stored = {key: value for key, value in result.items() if key != "continuous"}
    assert entry.figure_names(stored) == before


@pytest.mark.django_db
def test_the_figure_has_both_and_neither_side_by_side(answered):
    result = of(gather_study(answered.study), metrics=["po_jsd"])
    entry = analyses.get("uncertainty")
    drawn = json.dumps(entry.draw("uncertainty_values", result).to_dict(), ensure_ascii=False)
    assert "by how much “human” is closer than “system”" in drawn
    assert drawn.index("system\\\\n") < drawn.index("both\\\\n") < drawn.index("neither\\\\n")
