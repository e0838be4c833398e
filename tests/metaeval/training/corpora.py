"""Corpora for tests of splits, targets and trainings."""

from collections.abc import Sequence

import numpy as np

from metaeval.training.corpus import Corpus
from metaeval.training.judgements import HumanJudgements, TrainedTask
from metaeval.training.lessons import Text

Said = Sequence[tuple[int, ...]]
"""What people said of one text: each the places of their labels."""


def corpus(
    said: Sequence[Said],
    *,
    texts: Sequence[Text | str] = (),
    ids: Sequence[str] = (),
    labels: Sequence[str] = ("no", "yes"),
    people: Sequence[Sequence[int]] | None = None,
    task: TrainedTask = "multiclass",
    withdrawn: Sequence[int] = (),
    given: Sequence[str] = (),
) -> Corpus:
    """A corpus; if `people` are not named, nobody knows who they are."""
    size = len(said)
    chosen = np.zeros((sum(map(len, said)), len(labels)))
    for row, places in enumerate(places for answers in said for places in answers):
        chosen[row, list(places)] = 1.0
    who = [person for one in people for person in one] if people is not None else [-1] * len(chosen)
    judgements = HumanJudgements(
        task=task,
        labels=tuple(labels),
        size=size,
        instance=np.repeat(np.arange(size), [len(answers) for answers in said]),
        person=np.array(who, dtype=np.int64),
        chosen=chosen,
        count=np.ones(len(chosen), dtype=np.int64),
        people=tuple(f"ann-{number}" for number in range(max(who, default=-1) + 1)),
    )
    named = [(text,) if isinstance(text, str) else text for text in texts] or [(f"text {n}",) for n in range(size)]
    return Corpus(
        ids=tuple(ids) or tuple(f"item-{number}" for number in range(size)),
        texts=named,
        judgements=judgements,
        withdrawn=np.isin(np.arange(size), withdrawn),
        given=tuple(given),
    )
