"""docs/analyses.md is true."""

import re
from pathlib import Path

import pytest

from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute

PAGE = (Path(__file__).parents[2] / "docs" / "analyses.md").read_text()


def test_every_parameter_is_documented_with_its_default_first():
    entry = analyses.get("preference_correlation")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", PAGE, re.MULTILINE))
    for name, parameter in entry.schema()["properties"].items():
        assert name in rows
        if "enum" in parameter:
            assert re.findall(r"`([^`]+)`", rows[name]) == parameter["enum"]
            assert parameter["enum"][0] == parameter["default"]


@pytest.mark.django_db
def test_every_key_of_a_result_is_documented(study):
    result = compute(
        subject=Subject.of_study(study),
        analysis="preference_correlation",
        parameters={},
        seed=1,
        progress=lambda *_: None,
    )
    documented = set(re.findall(r"`(\w+)`", PAGE))
    assert set(result) <= documented
    assert {"value", "n", "p_value", "p_error", "p_family", "p_holm", "p_bh", "excluded"} <= documented
