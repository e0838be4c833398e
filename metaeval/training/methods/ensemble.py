"""Annotator ensembles: one output layer for each annotator, on one encoder."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Matrix
from metaeval.training.applying import require
from metaeval.training.judgements import HumanJudgements, TrainedTask
from metaeval.training.registry import CROSS_ENTROPY, Loss, TrainingMethod, activated, method, votes
from metaeval.training.targets import Targets


class EnsembleMethod(TrainingMethod):
    """What both kinds of prediction share: CE over the observed pairs of a text and an annotator, divided by their
    number. Heads are the people who occur in the judgements, in the order of `HumanJudgements.people`.
    """

    source = "Kurniawan et al. 2026, section 4"
    needs_people = True
    predicts_from_all = True
    objective = (
        f"The sum over the batch's rows of {CROSS_ENTROPY} of the row's output layer, divided by the number of "
        "rows. A person who did not annotate a text has no row, and so neither loss nor gradient there."
    )

    def targets(self, judgements: HumanJudgements) -> Targets:
        require(self, judgements)
        instance, example = np.unique(judgements.instance, return_inverse=True)
        people, head = np.unique(judgements.person, return_inverse=True)
        return Targets(
            instance=instance,
            example=example,
            value=judgements.chosen,
            head=head,
            weight=np.ones(len(instance)),
            times=np.ones(len(instance), dtype=np.int64),
            heads=tuple(judgements.people[person] for person in people),
        )

    def loss(self, task: TrainedTask) -> Loss:
        from metaeval.training.losses import EnsembleCrossEntropy

        cross_entropy = EnsembleCrossEntropy(task)
        return lambda logits, batch: cross_entropy(logits, batch.value, batch.example, batch.head)


@method
class AnnotatorEnsemble(EnsembleMethod):
    """AE: the prediction is the mean of all heads' q, not only of those whose person annotated the text."""

    name = "AE"
    title = "annotator ensemble"
    learns = "What each annotator said, with an output layer for each; the prediction is the mean of what they predict."
    prediction = (
        "The mean of the probabilities of all output layers, one for each annotator of the training texts, whether or "
        "not that person annotated the text."
    )

    def predict(self, logits: Matrix, task: TrainedTask) -> Matrix:
        mean: Matrix = activated(logits, task).mean(axis=1)
        return mean


@method
class HardAnnotatorEnsemble(EnsembleMethod):
    """AEh: the prediction is the share of all heads that would give each label: the first of those with the largest
    q; multilabel: each with q > 1/2, perhaps none.
    """

    name = "AEh"
    title = "annotator ensemble, hard votes"
    learns = "What each annotator said, with an output layer for each; the prediction is the share of their votes."
    prediction = (
        "For each label, the share of all output layers, one for each annotator of the training texts, whose most "
        "probable label it is; if a text may have several labels, that give it a probability above 1/2."
    )

    def predict(self, logits: Matrix, task: TrainedTask) -> Matrix:
        share: Matrix = votes(logits, task).mean(axis=1)
        return share
