"""Whether a method can learn from given judgements, said in a sentence before anything starts. Needs no torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Codes
from annotations.ground.errors import HLVError
from metaeval.training.judgements import UNKNOWN, HumanJudgements
from metaeval.training.registry import TrainingMethod


class DoesNotApply(HLVError):
    """A method cannot be used for these judgements; the message says why, and what to do."""

    code = "method_does_not_apply"


def why_not(method: TrainingMethod, judgements: HumanJudgements) -> str:
    """Why a method cannot be trained on these judgements and what to do, in one or two sentences; "" if it can.

    For a cross-validation, ask for the training part of each fold (`HumanJudgements.of`).
    """
    return undefined_for(method, judgements) or nothing_to_learn(judgements)


def undefined_for(method: TrainingMethod, judgements: HumanJudgements) -> str:
    """Why the method's targets are not defined for these judgements; "" if they are."""
    if judgements.task not in method.tasks:
        kind = "may have several labels" if judgements.multilabel else "have one label each"
        return f"{method.name} is not defined for texts that {kind}. Choose another method, such as SL."
    unknown = int(judgements.count[judgements.person == UNKNOWN].sum())
    if method.needs_people and unknown:
        return (
            f"{method.name} needs to know who gave each annotation, and {unknown:,} of {judgements.count.sum():,} do "
            "not say. Import the dataset with a column of annotators, or choose a method that looks at no annotators, "
            "such as SL."
        )
    return ""


def nothing_to_learn(judgements: HumanJudgements) -> str:
    """Why no method can learn from these judgements; "" if there is something to learn."""
    if not len(judgements.instance):
        return "None of the texts has an annotation, so there is nothing to learn. Choose texts that people annotated."
    if (judgements.chosen == judgements.chosen[0]).all():
        labels = [label for label, is_given in zip(judgements.labels, judgements.chosen[0], strict=True) if is_given]
        finding = f"is {_quoted(labels)}" if labels else "names no label"
        return (
            f"Every annotation {finding}, so there is nothing to learn. Choose texts that people gave different labels."
        )
    return ""


def require(method: TrainingMethod, judgements: HumanJudgements) -> None:
    """Raise `DoesNotApply` if the method's targets are not defined for these judgements."""
    if why := undefined_for(method, judgements):
        raise DoesNotApply(why, method=method.name)


def troubles(judgements: HumanJudgements) -> list[str]:
    """What is no reason against training on these judgements, but worth knowing before it: one entry for each trouble,
    which says what it means and what can be done.
    """
    if not len(judgements.instance):
        return []
    return [
        sentence for find in (_without_annotation, _never_given, _agreed, _seen_once) if (sentence := find(judgements))
    ]


def _without_annotation(judgements: HumanJudgements) -> str:
    without = int((judgements.counts == 0).sum())
    if not without:
        return ""
    has, is_left = ("has", "is") if without == 1 else ("have", "are")
    return (
        f"{without:,} of {judgements.size:,} texts {has} no annotation and {is_left} left out of the training. "
        "Annotate them, or predict them instead."
    )


def _never_given(judgements: HumanJudgements) -> str:
    never = np.flatnonzero(~judgements.chosen.any(axis=0))
    if not len(never):
        return ""
    labels, them, these = ("label", "it", "this label") if len(never) == 1 else ("labels", "them", "these labels")
    return (
        f"Nobody gave the {labels} {_quoted([judgements.labels[label] for label in never])}, so that no model can "
        f"learn when to predict {them}. Stratify the splits by label, or remove {these}."
    )


def _agreed(judgements: HumanJudgements) -> str:
    shares = judgements.shares[judgements.counts > 0]
    if not ((shares == 0) | (shares == 1)).all():
        return ""
    return (
        "No text has two different annotations, so that the methods have no variation to learn from and come out "
        "alike. Choose texts that several people annotated."
    )


def _seen_once(judgements: HumanJudgements) -> str:
    """People with one text: what is learnt about them rests on it."""
    named = judgements.person != UNKNOWN
    pairs = np.unique(np.stack((judgements.person[named], judgements.instance[named])), axis=1)
    texts: Codes = np.bincount(pairs[0], minlength=len(judgements.people))
    once = [judgements.people[person] for person in np.flatnonzero(texts == 1)]
    if not once:
        return ""
    return (
        f"{len(once):,} of {np.count_nonzero(texts):,} annotators annotated a single text ({_listed(once)}), and AR, "
        "ARh, AE and AEh judge or imitate them by that text alone. Give them more texts, or choose other methods."
    )


def _quoted(labels: Sequence[str]) -> str:
    return _listed([f"“{label}”" for label in labels])


def _listed(names: Sequence[str], at_most: int = 5) -> str:
    more = len(names) - at_most
    return ", ".join(names[:at_most]) + (f" and {more:,} more" if more > 0 else "")
