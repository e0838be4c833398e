"""Results that were stored before a change of their shape are read after it."""

import importlib
from typing import Any

from metaeval.analyses.base.result import AnyResult

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
