"""Results that were stored before a change of their schema can be read after it."""

import importlib
from typing import Any

import pytest
from django.apps import apps

from metaeval.analyses.base.result import AnyResult
from metaeval.jobs.models import AnalysisRun
from tests.metaeval.studies import answered_study

number_runs = importlib.import_module("metaeval.migrations.0012_addresses_of_results").number_runs
upgrade = importlib.import_module("metaeval.migrations.0003_results_of_schema_2").upgrade

OLD: dict[str, Any] = {
    "schema": 1,
    "analysis": "preference_correlation",
    "title": "Which metric agrees with the experts?",
    "study": {"slug": "demo", "title": "Demo", "dataset": "demo-data", "task": "multilabel"},
    "is_simulated": False,
    "parameters": {"permutations": 100},
    "seed": 1,
    "fingerprint": "0" * 64,
    "versions": {"numpy": "2"},
    "counts": {"systems": 9},
    "exclusions": [],
    "correlations": [],
    "table": {
        "columns": [
            {"key": "metric", "title": "Metric", "group": "", "detail": False},
            {"key": "pearson_p_holm", "title": "p Holm", "group": "Pearson r", "detail": False},
        ],
        "rows": [{"metric": "PO-JSD", "pearson_p_holm": 0.01}],
    },
}


def test_a_result_of_the_first_schema_becomes_one_of_the_second():
    new = upgrade({**OLD})
    AnyResult.model_validate(new)
    assert new["subject"] == {"kind": "study", **OLD["study"]}
    assert new["tables"][0]["rows"] == OLD["table"]["rows"]
    assert [column["kind"] for column in new["tables"][0]["columns"]] == ["", "p"]
    assert not {"table", "study"} & set(new)


def test_what_has_the_second_schema_stays_as_it_is():
    new = upgrade({**OLD})
    assert upgrade(new) is new
    assert upgrade(None) is None


@pytest.mark.django_db
def test_runs_from_before_are_numbered_in_their_order_and_say_whether_they_were_planned():
    study = answered_study().study
    for number, analysis, plan in ((5, "power", None), (7, "power", "planned"), (4, "overview", "exploratory")):
        result = {"plan": plan and {"status": plan}}
        AnalysisRun.objects.create(study=study, analysis=analysis, number=number, seed=1, result=result)
    number_runs(apps, None)
    found = AnalysisRun.objects.order_by("created_at").values_list("analysis", "number", "is_planned")
    assert list(found) == [("power", 1, None), ("power", 2, True), ("overview", 1, False)]
