"""The small encoder on HS-Brexit: it learns something, and methods that differ are told apart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotations.ground.arrays import Matrix
from metaeval.metrics import po_jsd, soft_accuracy
from metaeval.training.judgements import HumanJudgements
from metaeval.training.lessons import Lesson, Text, trainers
from metaeval.training.registry import methods
from tests.metaeval.training.needing import needs_training

pytestmark = [needs_training, pytest.mark.shared_data, pytest.mark.long]


def part(folder: Path, name: str) -> tuple[list[Text], HumanJudgements]:
    """The texts of a split, and who called them hateful."""
    items = json.loads((folder / "lewidi2023" / f"HS-Brexit_{name}.json").read_text(encoding="utf-8")).values()
    given = [
        (number, int(person.removeprefix("Ann")) - 1, int(label))
        for number, item in enumerate(items)
        for person, label in zip(item["annotators"].split(","), item["annotations"].split(","), strict=True)
    ]
    return [(item["text"],) for item in items], HumanJudgements(
        task="multiclass",
        labels=("0", "1"),
        size=len(items),
        instance=np.array([number for number, _, _ in given]),
        person=np.array([person for _, person, _ in given]),
        chosen=np.eye(2)[[label for _, _, label in given]],
        count=np.ones(len(given), dtype=np.int64),
        people=tuple(f"Ann{number}" for number in range(1, 7)),
    )


def test_soft_labels_beat_the_majority_class_and_are_not_a_majority_vote(shared_data: Path) -> None:
    texts, judgements = part(shared_data, "train")
    dev_texts, dev = part(shared_data, "dev")
    taught = Lesson("SL", texts, judgements, unseen=dev_texts)

    def predicted(method: str) -> Matrix:
        fitted = trainers.get("torch").fit(replace(taught, method=method))
        return methods.get(method).predict(fitted.logits, "multiclass")

    soft, vote = predicted("SL"), predicted("MV")
    majority = np.tile([1.0, 0.0], (dev.size, 1))
    assert judgements.shares.mean(axis=0)[0] > 0.5
    for metric in (soft_accuracy, po_jsd):
        best, voted, simple = (metric(dev.shares, Q, task="multiclass") for Q in (soft, vote, majority))
        assert best > simple + 0.01
        assert best > voted + 0.01
    assert np.abs(soft - vote).mean() > 0.03
