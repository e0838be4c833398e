"""Every public function says where it is from, and shows itself at work."""

import inspect

import pytest

from metaeval import metrics, stats
from metaeval.stats import agreement, uncertainty

TOOLS = {"available", "defaults", "get", "select", "metric", "annotation_metrics", "checked_task", "undefined", "plain"}
"""Of the registry and of plain data: nothing that a paper defines."""

ALIKE = {"compute": "registry", "per_item": "registry", "classwise_errors": "classwise_ece"}
"""They compute what others define."""

SIMULATED = {"simulated_curve", "subset_curve"}
"""Their examples would take pages; tests/metaeval/stats/uncertainty shows them."""

FUNCTIONS = {
    name: getattr(library, name)
    for library in (metrics, stats, agreement, uncertainty)
    for name in library.__all__
    if inspect.isfunction(getattr(library, name)) and name not in TOOLS
} | {entry.name: entry.function for entry in metrics.available() if entry.is_ours}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_cites_its_source_and_has_an_example(name):
    said = inspect.getdoc(FUNCTIONS[name]) or ""
    assert "Source: " in said or name in ALIKE, name
    assert ">>> " in said or name in SIMULATED | set(ALIKE), name
