"""A dataset's rows as what trainings are made from."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotations.models import Dataset, Instance, Label, Task
from metaeval.analyses.inputs.gathering import annotation_rows
from metaeval.training.corpus import Corpus
from metaeval.training.judgements import UNKNOWN, HumanJudgements

GIVEN = ("train", "dev", "test")
"""Before texts kept the part that their file names, ids such as `train/12` said it (LeWiDi)."""


def corpus_of(dataset: Dataset) -> Corpus:
    """The texts and annotations of a dataset, in three queries. The points of a scale become labels."""
    instances = list(
        Instance.objects.filter(dataset=dataset)
        .order_by("position")
        .values_list("external_id", "segments", "split", "withdrawn_at", "erased_at")
    )
    ids = tuple(name for name, *_ in instances)
    return Corpus(
        ids=ids,
        texts=[tuple(segment["text"] for segment in segments) for _, segments, *_ in instances],
        judgements=judgements_of(dataset, size=len(instances)),
        withdrawn=np.array([bool(withdrawn or erased) for *_, withdrawn, erased in instances], dtype=bool),
        given=_given(ids, [split for _, _, split, *_ in instances]),
    )


def judgements_of(dataset: Dataset, *, size: int) -> HumanJudgements:
    """The annotations of a dataset with that many instances, in two queries."""
    labels = tuple(Label.objects.filter(dataset=dataset).order_by("position").values_list("name", flat=True))
    rows = list(annotation_rows(dataset))
    people: dict[str, int] = {}
    chosen = np.zeros((len(rows), len(labels)))
    for row, (_, _, given, _) in enumerate(rows):
        chosen[row, list(given)] = 1.0
    return HumanJudgements(
        task="multilabel" if dataset.task == Task.MULTILABEL else "multiclass",
        labels=labels,
        size=size,
        instance=np.array([position for position, *_ in rows], dtype=np.int64),
        person=np.array(
            [people.setdefault(code, len(people)) if code else UNKNOWN for _, code, *_ in rows], dtype=np.int64
        ),
        chosen=chosen,
        count=np.array([count for *_, count in rows], dtype=np.int64),
        people=tuple(people),
    )


def _given(ids: tuple[str, ...], splits: list[Any]) -> tuple[str, ...]:
    """The part of each text, as its file says; blank everywhere if no file says anything."""
    if any(splits):
        return tuple(splits)
    named = tuple(name.partition("/")[0] if "/" in name else "" for name in ids)
    return named if all(part in GIVEN for part in named) else ("",) * len(ids)
