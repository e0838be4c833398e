"""What makes two lessons the same one. Needs no torch."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

import numpy as np

from metaeval.training.judgements import HumanJudgements
from metaeval.training.lessons import Lesson


def lesson_fingerprint(lesson: Lesson, **beside: object) -> str:
    """SHA-256 over everything that a lesson says, and whatever else its result depends on."""
    plain = {
        "method": lesson.method,
        "texts": list(lesson.texts),
        "unseen": list(lesson.unseen),
        "dev_texts": list(lesson.dev_texts),
        "encoder": asdict(lesson.encoder),
        "settings": asdict(lesson.settings),
        "seed": lesson.seed,
        "judgements": judgements_fingerprint(lesson.judgements),
        "dev_judgements": lesson.dev_judgements and judgements_fingerprint(lesson.dev_judgements),
        "beside": beside,
    }
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def judgements_fingerprint(judgements: HumanJudgements) -> str:
    """SHA-256 over who said what about which instance."""
    digest = hashlib.sha256(
        json.dumps([judgements.task, judgements.labels, judgements.people, judgements.size]).encode()
    )
    for numbers in (judgements.instance, judgements.person, judgements.count):
        digest.update(np.ascontiguousarray(numbers, dtype="<i8").data)
    digest.update(np.ascontiguousarray(judgements.chosen, dtype="<f8").data)
    return digest.hexdigest()
