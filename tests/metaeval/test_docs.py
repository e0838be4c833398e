"""What the documentation says about analyses is true."""

import re
from pathlib import Path

import pytest

from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference" / "analyses.md").read_text(encoding="utf-8")
PAGE = (DOCS / "results.md").read_text(encoding="utf-8")


def section_of(name: str) -> str:
    return REFERENCE.partition(f'<a id="{name}"></a>')[2].partition('<a id="')[0]


def test_every_parameter_is_documented_with_its_default_first():
    entry = analyses.get("preference_correlation")
    parameters = section_of(entry.name).partition("### Figures")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", parameters, re.MULTILINE))
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
    documented = set(re.findall(r"`(\w+)`", REFERENCE))
    assert set(result) <= documented
    assert {"value", "n", "p_value", "p_error", "p_family", "p_holm", "p_bh", "excluded"} <= documented


def test_the_page_of_results_names_every_analysis():
    assert {entry.name for entry in analyses} <= set(re.findall(r"`(\w+)`", PAGE))


def test_the_page_of_results_says_what_is_exchanged_by_its_names():
    table = PAGE.partition("| choice |")[2].partition("\n\n")[0]
    choices = analyses.get("preference_correlation").schema()["properties"]["exchangeable"]["enum"]
    assert set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)) == set(choices) - {"default"}
