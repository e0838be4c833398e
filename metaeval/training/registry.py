"""The registries of training: one decorator in the file that defines a method or an encoder, nowhere else to edit.

An external package adds methods with the same decorator and names the module that holds them in the entry-point group
``hlvstudy.methods``, and encoders in ``hlvstudy.encoders``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

import numpy as np

from annotations.ground.arrays import Matrix
from annotations.ground.registry import Registry
from metaeval.training.judgements import HumanJudgements, TrainedTask, majority_of
from metaeval.training.targets import Targets

if TYPE_CHECKING:
    import torch

    from metaeval.training.losses.module import Batch

Loss: TypeAlias = "Callable[[torch.Tensor, Batch], torch.Tensor]"
"""In quotes, so that the files of the methods can name it without torch."""

CROSS_ENTROPY = (
    "the cross-entropy of target and probabilities in natural logarithms (if a text may have several labels, the sum "
    "of the labels' binary cross-entropies)"
)
MEAN_CROSS_ENTROPY = f"The mean over the batch's examples of {CROSS_ENTROPY}."
"""For objectives of methods."""

EVERY_TASK: frozenset[TrainedTask] = frozenset({"multiclass", "multilabel"})


class TrainingMethod(ABC):
    """A way to learn from what several people said: targets, a loss, and how the output is read as a distribution.

    Its file needs NumPy only; `loss` imports torch when a model is trained.
    """

    name: ClassVar[str]
    """As the paper abbreviates it; systems trained with it have this as their `method`."""
    title: ClassVar[str]
    """In words, such as "soft labels"."""
    learns: ClassVar[str]
    """What it learns from, in one sentence for a researcher who chooses a method."""
    objective: ClassVar[str] = "The package that this method comes from does not say."
    """The loss of a batch and what it is divided by, in sentences for somebody who trains with code of their own."""
    prediction: ClassVar[str] = (
        "The probabilities of the first output layer: the softmax over the labels or, if a text may have several "
        "labels, the logistic function of each logit."
    )
    """How `predict` makes a distribution of the output, likewise."""
    source: ClassVar[str]
    """The paper, and its section."""
    tasks: ClassVar[frozenset[TrainedTask]] = EVERY_TASK
    needs_people: ClassVar[bool] = False
    """Whether every annotation must say who gave it."""
    reads_whole_batch: ClassVar[bool] = False
    """Whether the loss is a ratio over a batch, so that the batch size changes what is learnt."""
    predicts_from_all: ClassVar[bool] = False
    """Whether `predict` reads all output layers, rather than the first alone."""

    @abstractmethod
    def targets(self, judgements: HumanJudgements) -> Targets:
        """What the model is to predict for the instances that it learns from. Nothing else may be looked at: scores
        of annotators, and who the annotators are, come from these instances alone.
        """

    def loss(self, task: TrainedTask) -> Loss:
        """The loss of a batch: from the logits (B examples x H heads x K labels) and the batch to one number. Unless a
        method has its own, the weighted mean cross-entropy of the first head.
        """
        from metaeval.training.losses import CrossEntropy

        cross_entropy = CrossEntropy(task)
        return lambda logits, batch: cross_entropy(logits[:, 0], batch.value, batch.weight)

    def predict(self, logits: Matrix, task: TrainedTask) -> Matrix:
        """Q (N, K), from the logits of all heads (N, H, K)."""
        return activated(logits[:, 0], task)


def activated(logits: Matrix, task: TrainedTask) -> Matrix:
    """Probabilities: the softmax over the last axis; multilabel: the logistic function of each logit."""
    from scipy.special import expit, softmax

    q: Matrix = expit(logits) if task == "multilabel" else softmax(logits, axis=-1)
    return q


def votes(logits: Matrix, task: TrainedTask) -> Matrix:
    """0 or 1, in the shape of the logits: the first label with the largest one; multilabel: each with a probability
    above 1/2, perhaps none. Of the logits, since large ones have the same probability in floating point.
    """
    if task == "multilabel":
        return (logits > 0).astype(np.float64)
    return majority_of(logits.reshape(-1, logits.shape[-1]), task).reshape(logits.shape)


methods: Registry[TrainingMethod] = Registry(
    "metaeval.training.methods.*", kind="training method", group="hlvstudy.methods", by_name=False
)

Found = TypeVar("Found", bound=type[TrainingMethod])


def method(found: Found) -> Found:
    """Register a class of methods by its name."""
    methods.register(found.name)(found())
    return found
