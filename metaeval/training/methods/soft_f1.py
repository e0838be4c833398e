"""Soft F1 scores as losses: what the soft metrics measure is what is learnt, batch by batch."""

from metaeval.training.judgements import HumanJudgements, TrainedTask
from metaeval.training.registry import Loss, TrainingMethod, method
from metaeval.training.targets import Targets


class SoftF1Method(TrainingMethod):
    """What both share: the target is P."""

    source = "Kurniawan et al. 2026, section 4"
    reads_whole_batch = True

    def targets(self, judgements: HumanJudgements) -> Targets:
        return Targets.one_each(judgements, judgements.shares)


@method
class SoftMicroF1Learning(SoftF1Method):
    """SmF1: 1 - soft micro F1 of the batch. It can collapse to predictions of no label where labels are rare."""

    name = "SmF1"
    title = "soft micro F1"
    learns = "The share of the annotators who gave each label, by the soft micro F1 of each batch."
    objective = (
        "1 - 2 sum(min(target, probability)) / sum(target + probability), with both sums over all examples and "
        "labels of a batch, so that the batch size changes what is learnt."
    )

    def loss(self, task: TrainedTask) -> Loss:
        from metaeval.training.losses import SoftMicroF1

        soft_f1 = SoftMicroF1(task)
        return lambda logits, batch: soft_f1(logits[:, 0], batch.value)


@method
class SoftMacroF1Learning(SoftF1Method):
    """SMF1: 1 - soft macro F1 of the batch, in which rare labels count as much as others."""

    name = "SMF1"
    title = "soft macro F1"
    learns = "The share of the annotators who gave each label, by the mean of the labels' soft F1 in each batch."
    objective = (
        "1 - the mean over labels of 2 sum(min(target, probability)) / sum(target + probability), with both "
        "sums over the examples of a batch, so that the batch size changes what is learnt."
    )

    def loss(self, task: TrainedTask) -> Loss:
        from metaeval.training.losses import SoftMacroF1

        soft_f1 = SoftMacroF1(task)
        return lambda logits, batch: soft_f1(logits[:, 0], batch.value)
