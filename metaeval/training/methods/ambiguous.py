"""Ambiguous labelling: each label that anybody gave is right."""

import numpy as np

from metaeval.training.applying import require
from metaeval.training.judgements import HumanJudgements
from metaeval.training.registry import TrainingMethod, method
from metaeval.training.targets import Targets


@method
class AmbiguousLabelling(TrainingMethod):
    """AL: CE of each label that anybody gave an instance, once for each, however many gave it."""

    name = "AL"
    title = "ambiguous labelling"
    learns = "Each label that anybody gave is an example of its own, however many people gave it."
    objective = (
        "The mean over the batch's examples of the cross-entropy of target and probabilities in natural logarithms."
    )
    source = "Kurniawan et al. 2026, section 4"
    tasks = frozenset({"multiclass"})

    def targets(self, judgements: HumanJudgements) -> Targets:
        require(self, judgements)
        is_given = np.zeros((judgements.size, len(judgements.labels)), dtype=bool)
        is_given[judgements.instance, judgements.chosen.argmax(axis=1)] = True
        instance, label = np.nonzero(is_given)
        return Targets.of_rows(instance, np.eye(len(judgements.labels))[label])
