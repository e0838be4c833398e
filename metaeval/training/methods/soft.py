"""Soft labels: the shares of the annotations are the target, alone or beside the majority vote."""

import numpy as np

from metaeval.training.judgements import HumanJudgements, TrainedTask
from metaeval.training.registry import CROSS_ENTROPY, MEAN_CROSS_ENTROPY, Loss, TrainingMethod, method
from metaeval.training.targets import Targets


@method
class SoftLabels(TrainingMethod):
    """SL: CE(P_i, q_i). Every text counts the same, however many people annotated it."""

    name = "SL"
    title = "soft labels"
    learns = "The share of the annotators who gave each label."
    objective = MEAN_CROSS_ENTROPY
    source = "Kurniawan et al. 2026, section 4"

    def targets(self, judgements: HumanJudgements) -> Targets:
        return Targets.one_each(judgements, judgements.shares)


@method
class SoftLabelsAndMajority(TrainingMethod):
    """SLMV: CE(P_i, q1_i) + CE(mv_i, q2_i), of two heads on one encoder; the first head's q is the prediction."""

    name = "SLMV"
    title = "soft labels and majority vote"
    learns = "The share of the annotators who gave each label and, with a second output layer, the majority vote."
    objective = (
        f"The mean over the batch's examples of {CROSS_ENTROPY} of the first output layer, plus the same of the "
        "second, unweighted."
    )
    source = "Kurniawan et al. 2026, section 4"

    def targets(self, judgements: HumanJudgements) -> Targets:
        annotated = judgements.annotated
        size = len(annotated)
        both = np.stack((judgements.shares[annotated], judgements.majority[annotated]), axis=1)
        return Targets(
            instance=annotated,
            example=np.repeat(np.arange(size), 2),
            value=both.reshape(2 * size, -1),
            head=np.tile([0, 1], size),
            weight=np.ones(size),
            times=np.ones(size, dtype=np.int64),
            heads=("soft labels", "majority vote"),
        )

    def loss(self, task: TrainedTask) -> Loss:
        from metaeval.training.losses import CrossEntropy

        cross_entropy = CrossEntropy(task)
        return lambda logits, batch: (
            cross_entropy(logits[:, 0], batch.value[batch.head == 0], batch.weight)
            + cross_entropy(logits[:, 1], batch.value[batch.head == 1], batch.weight)
        )
