"""What the tests of the metrics share: loops that are compiled before a test is timed, and ChaosNLI."""

import json
from pathlib import Path

import numpy as np
import pytest

from metaeval import metrics


@pytest.fixture(scope="session", autouse=True)
def compiled_loops() -> None:
    """Compile the loops once, outside the time limits of Hypothesis' examples."""
    for task in ("multiclass", "multilabel"):
        metrics.compute([[0.5, 0.5], [1.0, 0.0]], [[0.3, 0.7], [0.9, 0.1]], task)


PREDICTION_LABELS = ["entailment", "contradiction", "neutral"]
LABELS = ["entailment", "neutral", "contradiction"]
SEEDS = range(3)


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="session")
def chaosnli_votes(shared_data: Path) -> np.ndarray:
    """The 100 votes of every item as counts, items sorted by uid, classes as in LABELS."""
    items = sorted(read_lines(shared_data / "chaosnli" / "chaosNLI_snli.jsonl"), key=lambda item: item["uid"])
    return np.array([item["label_count"] for item in items], dtype=float)


@pytest.fixture(scope="session")
def chaosnli_logits(shared_data: Path) -> list[np.ndarray]:
    """RoBERTa's logits for the seeds, joined on uid: dev and test files together cover all items."""
    folder = shared_data / "chaosnli"
    uids = sorted(item["uid"] for item in read_lines(folder / "chaosNLI_snli.jsonl"))
    order = [PREDICTION_LABELS.index(label) for label in LABELS]
    matrices = []
    for seed in SEEDS:
        logits = {
            row["uid"]: row["logits"]
            for split in ("dev", "test")
            for row in read_lines(folder / f"SNLI_{split}_roberta-base_{seed}.json")
        }
        matrices.append(np.array([logits[uid] for uid in uids])[:, order])
    return matrices
