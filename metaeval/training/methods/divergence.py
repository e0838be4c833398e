"""Jensen-Shannon divergence: shares are the target, and the distance is one that treats both sides alike."""

from metaeval.training.judgements import HumanJudgements, TrainedTask
from metaeval.training.registry import Loss, TrainingMethod, method
from metaeval.training.targets import Targets


@method
class JensenShannonDivergence(TrainingMethod):
    """JSD: the mean divergence (base 2) of P_i and q_i; multilabel: over labels as well."""

    name = "JSD"
    title = "Jensen-Shannon divergence"
    learns = "The share of the annotators who gave each label, by a loss that is bounded, unlike the cross-entropy."
    objective = (
        "The mean over the batch's examples of the Jensen-Shannon divergence (not its square root) of target "
        "and probabilities in base 2; if a text may have several labels, of each label's share and probability "
        "against their complements, and the mean over labels as well."
    )
    source = "Kurniawan et al. 2026, section 4"

    def targets(self, judgements: HumanJudgements) -> Targets:
        return Targets.one_each(judgements, judgements.shares)

    def loss(self, task: TrainedTask) -> Loss:
        from metaeval.training.losses import JensenShannon

        divergence = JensenShannon(task)
        return lambda logits, batch: divergence(logits[:, 0], batch.value)
