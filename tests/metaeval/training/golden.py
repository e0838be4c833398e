"""The three cases of ../shared/golden/training.json."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np

from metaeval.training.judgements import HumanJudgements
from tests.conftest import SHARED, missing

CASES = ("multiclass", "multiclass_ties", "multilabel")


@cache
def golden() -> dict[str, Any]:
    path = SHARED / "golden" / "training.json"
    if not path.exists():
        missing("../shared/golden/training.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return found


def judgements_of(case: dict[str, Any]) -> HumanJudgements:
    """A case's annotations: for each instance a label, or a list of labels, by annotator."""
    rows = [
        (instance, int(person), labels if isinstance(labels, list) else [labels])
        for instance, given in enumerate(case["annotations"])
        for person, labels in given.items()
    ]
    chosen = np.zeros((len(rows), case["labels"]))
    for row, (_, _, labels) in enumerate(rows):
        chosen[row, labels] = 1.0
    return HumanJudgements(
        task="multilabel" if case["multilabel"] else "multiclass",
        labels=tuple(f"y{label}" for label in range(case["labels"])),
        size=len(case["annotations"]),
        instance=np.array([instance for instance, _, _ in rows]),
        person=np.array([person for _, person, _ in rows]),
        chosen=chosen,
        count=np.ones(len(rows), dtype=np.int64),
        people=tuple(map(str, range(case["annotators"]))),
    )
