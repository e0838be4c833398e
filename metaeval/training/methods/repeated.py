"""Repeated labelling: every annotation is an example."""

from metaeval.training.judgements import HumanJudgements
from metaeval.training.registry import MEAN_CROSS_ENTROPY, TrainingMethod, method
from metaeval.training.targets import Targets


@method
class RepeatedLabelling(TrainingMethod):
    """ReL: sum over i, j of CE(y_ij, q_i). Unlike with soft labels, texts with more annotations count more.

    People whose names are unknown and who gave the same share one example, which occurs in an epoch once for each.
    """

    name = "ReL"
    title = "repeated labelling"
    learns = "Every annotation is an example of its own, so that a text is read once for each of its annotations."
    objective = MEAN_CROSS_ENTROPY
    source = "Kurniawan et al. 2026, section 4"

    def targets(self, judgements: HumanJudgements) -> Targets:
        return Targets.of_rows(judgements.instance, judgements.chosen, times=judgements.count)
