"""Every metric gives the values that someone else computed: `golden/NAME.json` beside this file.

A metric of this project needs such a file and nothing else. "from" says who computed the values, which must not be this
program; an undefined value is `null`.
"""

import json
from pathlib import Path

import pytest

from metaeval import metrics

GOLDEN = Path(__file__).parent / "golden"
OURS = {entry.name: entry for entry in metrics.available() if entry.is_ours}


@pytest.mark.parametrize("name", OURS)
def test_a_metric_gives_its_golden_values(name):
    file = GOLDEN / f"{name}.json"
    assert file.exists(), f"{name} has no golden values: write {file.name} in {GOLDEN}, as its neighbours show"
    golden = json.loads(file.read_text(encoding="utf-8"))
    assert golden["from"]
    held = set()
    for case in golden["cases"]:
        for task in case["tasks"]:
            value = OURS[name].function(case["P"], case["Q"], task)
            if case["value"] is None:
                assert not value.is_defined, f"{task}: {value}"
            else:
                assert value == pytest.approx(case["value"], abs=1e-12), task
                held.add(task)
    assert held == OURS[name].tasks, "a golden value for each kind of task"


def test_every_file_of_golden_values_belongs_to_a_metric():
    assert {path.stem for path in GOLDEN.iterdir()} <= set(OURS)
