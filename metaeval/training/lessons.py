"""One training: what is learnt, by which method, with which encoder and settings, and what came of it. Needs no torch.

A lesson holds no judgements of the texts to be predicted, so that none can leak into the training.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Literal, Protocol

import numpy as np

from annotations.ground.arrays import Matrix
from annotations.ground.progress import Progress, silent
from annotations.ground.registry import Registry
from metaeval.training.judgements import HumanJudgements

Text = tuple[str, ...]
"""The segments of one text: one, or several such as premise and hypothesis."""

Precision = Literal["auto", "fp32", "bf16"]


@dataclass(frozen=True)
class EncoderChoice:
    """Which encoder reads the texts."""

    name: str = "small"
    """In the registry: "small", "pretrained", or "tfidf"."""
    path: str = ""
    """The folder, or the name on a hub, of a pretrained one."""
    lora: bool = False
    """Whether adapters are trained in place of all weights."""
    max_tokens: int = 512
    """Longer texts are cut."""
    precision: Precision = "auto"
    """Of the computation; "auto" is bf16 on a device that computes in it fast."""
    hub: bool = False
    """Whether a pretrained one may be fetched from a hub by its name. Only an administrator allows this."""


@dataclass(frozen=True)
class FitSettings:
    """How a model is fitted: AdamW, a linear schedule with warm-up, clipped gradients, the last epoch kept."""

    learning_rate: float | None = None
    """The highest of the schedule; None: the encoder's own default."""
    batch_size: int = 32
    """Examples per step."""
    epochs: int = 10
    """How often the examples are read."""
    warmup: float = 0.1
    """The share of the steps in which the learning rate rises."""
    clip: float = 5.0
    """The largest norm of the gradient."""
    per_epoch: int | None = None
    """At most this many examples per epoch, drawn anew for each; None: all."""


@dataclass(frozen=True)
class Lesson:
    """All that one fit needs. The same lesson gives the same digits on the same machine's CPU.

    Attributes:
        method: its name in the registry.
        texts, judgements: what is learnt from, one text for each instance of the judgements.
        dev_texts, dev_judgements: the development set, for the loss curve and the choice of settings; may be empty.
        unseen: the texts to be predicted.
        seed: of the weights, the order of the examples, and dropout.
    """

    method: str
    texts: Sequence[Text]
    judgements: HumanJudgements
    unseen: Sequence[Text]
    dev_texts: Sequence[Text] = ()
    dev_judgements: HumanJudgements | None = None
    encoder: EncoderChoice = EncoderChoice()
    settings: FitSettings = FitSettings()
    seed: int = 0


@dataclass(frozen=True)
class Epoch:
    """One epoch of a fit: the mean loss of its examples, and the method's loss on the development set (or None)."""

    loss: float
    dev_loss: float | None
    seconds: float


@dataclass(frozen=True)
class Fitted:
    """What came of a lesson."""

    logits: Matrix
    """(unseen texts, H heads, K labels) float64."""
    dev_logits: Matrix
    """The same for the development set."""
    heads: tuple[str, ...]
    """What the heads are called."""
    epochs: tuple[Epoch, ...]
    """The loss curve; after a resumed fit that of all its parts."""
    learning_rate: float
    """That was used."""
    parameters: int
    trained: int
    """How many the model has, and how many of them were trained."""
    cut: int
    """How many of the texts that were read are longer than `max_tokens`."""
    peak_bytes: int
    """The most memory that the process, or the device, had in use."""
    versions: dict[str, str] = field(default_factory=dict)
    """Of torch and what else computed this."""
    device: str = "cpu"
    """Such as "cpu" or "cuda"."""
    max_tokens: int = 0
    """How many tokens of a text were read: as chosen, or fewer if the encoder has no more places."""
    threads: int = 1
    """Of the processor that computed. Other numbers of threads round differently, in the last digits."""
    encoder_sha256: str = ""
    """Of a pretrained encoder's files; empty if there are none."""


@dataclass(frozen=True)
class FitForecast:
    """What a fit will take, from a few steps that were measured on this machine.

    Attributes:
        seconds: for training and predicting.
        peak_bytes: the most memory that the process, or the device, will have in use, with the longest texts.
        free_bytes: what it can have; a fit that needs more is refused (`NotEnoughMemory`).
        parameters, trained, cut, max_tokens, device: as in `Fitted`.
    """

    seconds: float
    peak_bytes: int
    free_bytes: int
    parameters: int
    trained: int
    cut: int
    device: str = "cpu"
    max_tokens: int = 0


class Checkpoints(Protocol):
    """Where a fit keeps its state after each epoch. Only the newest is kept."""

    def latest(self) -> bytes | None:
        """What was kept last."""

    def keep(self, state: bytes) -> None:
        """Keep this in place of what was kept before: all of it or nothing, whatever happens meanwhile."""


class NoCheckpoints:
    """For fits that start anew if they are interrupted."""

    def latest(self) -> bytes | None:
        return None

    def keep(self, state: bytes) -> None:
        pass


NOT_KEPT = NoCheckpoints()


class Trainer(Protocol):
    """What fits models. There is one, on torch (metaeval/training/fitting); it is found by name, so that nobody imports
    torch who does not train.
    """

    def fit(self, lesson: Lesson, *, checkpoints: Checkpoints = NOT_KEPT, progress: Progress = silent) -> Fitted:
        """Train and predict. `progress` counts steps; what it raises ends the fit, which resumes from its last epoch
        if it is asked again with the same lesson and checkpoints.
        """

    def forecast(self, lesson: Lesson) -> FitForecast:
        """Measure a few steps."""

    def follow(self) -> bool:
        """Where a launcher started several processes and this is not the first: take part in its fits until it ends,
        and return True; else False, at once.
        """

    def leading(self) -> AbstractContextManager[bool]:
        """In the first of several processes: the others take part in every fit while this context lasts. It says
        whether there are others.
        """


trainers: Registry[Trainer] = Registry("metaeval.training.fitting.trainer", kind="trainer")


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
