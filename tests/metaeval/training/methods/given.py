"""Judgements in a few characters."""

from __future__ import annotations

import numpy as np

from metaeval.training.judgements import UNKNOWN, HumanJudgements, TrainedTask


def judgements(
    *texts: str, labels: str = "AB", task: TrainedTask = "multiclass", known: bool = True
) -> HumanJudgements:
    """One string for each text: person and labels of each annotation, such as "1A 2B"; multilabel also "1AB 2".

    >>> judgements("1A 2B", "2B").person.tolist()
    [0, 1, 1]
    """
    given = [(text, word[0], word[1:]) for text, words in enumerate(texts) for word in words.split()]
    people = sorted({person for _, person, _ in given})
    return HumanJudgements(
        task=task,
        labels=tuple(labels),
        size=len(texts),
        instance=np.array([text for text, _, _ in given], dtype=np.int64),
        person=np.array([people.index(person) if known else UNKNOWN for _, person, _ in given], dtype=np.int64),
        chosen=np.array([[float(label in said) for label in labels] for _, _, said in given]).reshape(-1, len(labels)),
        count=np.ones(len(given), dtype=np.int64),
        people=tuple(people) if known else (),
    )
