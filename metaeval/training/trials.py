"""The trials of a search: their scores, and how they are kept. Needs no torch."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotations.ground.arrays import Matrix
from metaeval.metrics import compute
from metaeval.training.fingerprints import lesson_fingerprint
from metaeval.training.judgements import HumanJudgements
from metaeval.training.lessons import Checkpoints, FitSettings, Lesson

SCORES = {
    "multiclass": ("accuracy", "po_jsd", "entropy_correlation", "soft_accuracy"),
    "multilabel": ("micro_f1", "po_jsd", "entropy_correlation", "soft_micro_f1"),
}
"""The four metrics by which settings are chosen; the macro F1s are left out, as published."""
HEADER_BYTES = 8


@dataclass(frozen=True)
class Trial:
    """One draw of settings, and how well what they led to predicts the development set.

    Attributes:
        scores: the four metrics by name, the entropy correlation None where it is undefined; None altogether if the
            loss stopped being a number.
        mean: the geometric mean of the four, the correlation r as (1 + r) / 2.
        collapsed: whether the predictions are what leaves the correlation undefined: all are equally uncertain.
    """

    learning_rate: float
    batch_size: int
    scores: dict[str, float | None] | None
    mean: float = 0.0
    collapsed: bool = False


def scored(settings: FitSettings, judgements: HumanJudgements, Q: Matrix) -> Trial:
    """A trial's scores on the instances that somebody judged.

    An undefined entropy correlation counts as 0, neither for nor against. If people's own entropies are all the same,
    it is so for every trial, and the choice rests with the other three scores; if the predictions' are, the trial is
    marked as collapsed.
    """
    judged = judgements.counts > 0
    metrics = SCORES[judgements.task]
    found = compute(judgements.shares[judged], Q[judged], judgements.task, metrics)["Q"]
    values = {name: float(found[name]) if found[name].is_defined else None for name in metrics}
    factors = [
        (1 + (value or 0.0)) / 2 if name == "entropy_correlation" else (value or 0.0) for name, value in values.items()
    ]
    return Trial(
        learning_rate=settings.learning_rate or 0.0,
        batch_size=settings.batch_size,
        scores=values,
        mean=math.prod(factors) ** (1 / len(factors)),
        collapsed="entropy of Q" in found["entropy_correlation"].reason,
    )


class Trials:
    """The finished trials of one search, kept with the running one's state: a length, JSON, then that state.

    The running trial's fit takes this as its own `Checkpoints`.
    """

    def __init__(self, lesson: Lesson, settings: Sequence[FitSettings], checkpoints: Checkpoints) -> None:
        # A search with more draws goes on with the trials of a shorter one, so these are not part of its name.
        self._name = hashlib.sha256(lesson_fingerprint(lesson).encode()).hexdigest()
        self._checkpoints = checkpoints
        self.finished: list[Trial] = []
        self._running = b""
        header, state = _parted(checkpoints.latest() or b"")
        if header.get("search") != self._name:
            return
        trials = [Trial(**trial) for trial in header["trials"]]
        drawn = [(one.learning_rate, one.batch_size) for one in settings]
        if all((one.learning_rate, one.batch_size) == other for one, other in zip(trials, drawn, strict=False)):
            self.finished, self._running = trials[: len(drawn)], state

    def finish(self, trial: Trial) -> None:
        """Keep a finished trial, so that it is never run again."""
        self.finished.append(trial)
        self.keep(b"")

    def latest(self) -> bytes | None:
        return self._running or None

    def keep(self, state: bytes) -> None:
        self._running = state
        told = json.dumps({"search": self._name, "trials": [asdict(trial) for trial in self.finished]}).encode()
        self._checkpoints.keep(len(told).to_bytes(HEADER_BYTES, "little") + told + state)


def _parted(kept: bytes) -> tuple[dict[str, Any], bytes]:
    end = HEADER_BYTES + int.from_bytes(kept[:HEADER_BYTES], "little")
    try:
        header = json.loads(kept[HEADER_BYTES:end])
    except ValueError:
        return {}, b""
    return header, kept[end:]
