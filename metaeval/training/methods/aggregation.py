"""Loss aggregation: of an instance's annotations, the one that is easiest or hardest to predict counts."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from metaeval.training.judgements import HumanJudgements, TrainedTask
from metaeval.training.registry import CROSS_ENTROPY, Loss, TrainingMethod, method
from metaeval.training.targets import Targets


class AggregationMethod(TrainingMethod):
    """What both share. Since equal annotations have equal losses, one row for each different one is enough. The mean
    of all of an instance's losses is the loss of soft labels, and therefore no method of its own.
    """

    source = "Kurniawan et al. 2026, section 4"
    how: ClassVar[Literal["min", "max"]]

    def targets(self, judgements: HumanJudgements) -> Targets:
        answers = np.column_stack((judgements.instance, np.packbits(judgements.chosen > 0, axis=1)))
        first = np.unique(answers, axis=0, return_index=True)[1]
        instance, example = np.unique(judgements.instance[first], return_inverse=True)
        return Targets(
            instance=instance,
            example=example,
            value=judgements.chosen[first],
            head=np.zeros(len(first), dtype=np.int64),
            weight=np.ones(len(instance)),
            times=np.ones(len(instance), dtype=np.int64),
        )

    def loss(self, task: TrainedTask) -> Loss:
        from metaeval.training.losses import LossAggregation

        aggregation = LossAggregation(task, self.how)
        return lambda logits, batch: aggregation(logits[:, 0], batch.value, batch.example)


@method
class SmallestLoss(AggregationMethod):
    """LA-min: the mean of min_j CE(y_ij, q_i)."""

    name = "LA-min"
    title = "loss aggregation, smallest loss"
    learns = "Of each text's annotations the one that the model predicts best."
    objective = (
        f"The mean over the batch's examples of the smallest loss among the rows of each, which is {CROSS_ENTROPY}."
    )
    how = "min"


@method
class LargestLoss(AggregationMethod):
    """LA-max: the mean of max_j CE(y_ij, q_i)."""

    name = "LA-max"
    title = "loss aggregation, largest loss"
    learns = "Of each text's annotations the one that the model predicts worst."
    objective = (
        f"The mean over the batch's examples of the largest loss among the rows of each, which is {CROSS_ENTROPY}."
    )
    how = "max"
