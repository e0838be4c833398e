"""Read the pairwise votes of a dataset, as columns."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from annotations.ground.arrays import Integers
from annotations.models import Dataset, Instance, Judge, PairwiseVote
from metaeval.analyses.inputs.kinds import InputsError, fingerprint_of
from metaeval.analyses.inputs.votes import OUTCOMES, VotesInputs

CHUNK = 10_000


def gather_votes(dataset: Dataset) -> VotesInputs:
    """All votes in the order of the files, in three queries. Raises `InputsError` if there are none."""
    judges = sorted(Judge.objects.filter(dataset=dataset).values_list("code", "is_machine", "pk"))
    place_of = {pk: place for place, (_, _, pk) in enumerate(judges)}
    columns: list[list[float]] = [[] for _ in range(4)]
    first: list[str] = []
    second: list[str] = []
    rows = (
        PairwiseVote.objects.filter(dataset=dataset)
        .order_by("position")
        .values_list("instance__position", "judge_id", "first", "second", "outcome", "certainty")
    )
    for instance, judge, one, other, outcome, certainty in rows.iterator(chunk_size=CHUNK):
        first.append(one)
        second.append(other)
        values = (instance, place_of[judge], OUTCOMES.index(outcome), np.nan if certainty is None else certainty)
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    if not first:
        raise InputsError(f"The dataset {dataset.slug} has no pairwise votes.")
    systems = sorted({*first, *second})
    number = {name: place for place, name in enumerate(systems)}
    return VotesInputs(
        slug=dataset.slug,
        title=dataset.title,
        systems=tuple(systems),
        judges=tuple(code for code, _, _ in judges),
        is_machine=np.array([is_machine for _, is_machine, _ in judges], dtype=np.bool_),
        instance=_integers(columns[0]),
        judge=_integers(columns[1]),
        first=_integers(number[name] for name in first),
        second=_integers(number[name] for name in second),
        outcome=_integers(columns[2]),
        certainty=np.array(columns[3], dtype=np.float64),
        instances_count=Instance.objects.filter(dataset=dataset).count(),
        is_simulated=dataset.is_simulated,
        fingerprint=fingerprint_of({"votes": dataset.fingerprint}),
        read_instances=lambda: tuple(
            Instance.objects.filter(dataset=dataset).order_by("position").values_list("external_id", flat=True)
        ),
    )


def _integers(values: Iterable[float]) -> Integers:
    return np.fromiter(values, dtype=np.int64)
