"""Majority vote: what most people said is the only truth."""

from metaeval.training.judgements import HumanJudgements
from metaeval.training.registry import MEAN_CROSS_ENTROPY, TrainingMethod, method
from metaeval.training.targets import Targets


@method
class MajorityVote(TrainingMethod):
    """MV: CE(mv_i, q_i). It hides the variation, and is what the other methods are compared with."""

    name = "MV"
    title = "majority vote"
    learns = "The label that most annotators gave (several labels per text: those that more than half gave)."
    objective = MEAN_CROSS_ENTROPY
    source = "Kurniawan et al. 2026, section 4"

    def targets(self, judgements: HumanJudgements) -> Targets:
        return Targets.one_each(judgements, judgements.majority)
