"""Small lessons that a small encoder learns in a second: texts in which one word decides what most people say."""

from __future__ import annotations

from typing import Any

import numpy as np

from metaeval.training.judgements import HumanJudgements
from metaeval.training.lessons import FitSettings, Lesson, Text

PEOPLE = 4
FILLING = ("the", "train", "left", "late", "and", "nobody", "knew", "why", "it", "rained")


def texts_of(size: int, *, seed: int = 0, segments: int = 1) -> list[Text]:
    rng = np.random.default_rng((seed, 1))
    return [
        tuple(
            " ".join([*rng.choice(FILLING, rng.integers(3, 9)), ("good", "bad")[number % 2]]) for _ in range(segments)
        )
        for number in range(size)
    ]


def judgements_of(size: int, *, seed: int = 0) -> HumanJudgements:
    """Four people each, of whom the last one often disagrees."""
    rng = np.random.default_rng((seed, 2))
    label = np.repeat(np.arange(size) % 2, PEOPLE)
    person = np.tile(np.arange(PEOPLE), size)
    label = np.where((person == PEOPLE - 1) & (rng.random(len(label)) < 0.7), 1 - label, label)
    return HumanJudgements(
        task="multiclass",
        labels=("good", "bad"),
        size=size,
        instance=np.repeat(np.arange(size), PEOPLE),
        person=person,
        chosen=np.eye(2)[label],
        count=np.ones(len(label), dtype=np.int64),
        people=tuple(f"p{number}" for number in range(PEOPLE)),
    )


def lesson(method: str = "SL", *, size: int = 24, **changes: Any) -> Lesson:
    said = {
        "method": method,
        "texts": texts_of(size),
        "judgements": judgements_of(size),
        "unseen": texts_of(7, seed=1),
        "dev_texts": texts_of(6, seed=2),
        "dev_judgements": judgements_of(6, seed=2),
        "settings": FitSettings(batch_size=8, epochs=4),
    }
    return Lesson(**said | changes)


class Kept:
    """Checkpoints in memory, all of them."""

    def __init__(self) -> None:
        self.states: list[bytes] = []

    def latest(self) -> bytes | None:
        return self.states[-1] if self.states else None

    def keep(self, state: bytes) -> None:
        self.states.append(state)
