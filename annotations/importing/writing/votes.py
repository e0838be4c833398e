"""Store pairwise votes with their dataset, and add them to its fingerprint."""

import json
import math
from typing import TYPE_CHECKING

import numpy as np

from annotations.importing.memory.tables import PairwiseVotes
from annotations.importing.writing.inserting import insert_rows
from annotations.models import Dataset, Judge, Outcome, PairwiseVote

if TYPE_CHECKING:
    from hashlib import _Hash


def write_votes(dataset: Dataset, votes: PairwiseVotes) -> None:
    """Store the judges and votes of a dataset whose instances are stored. To be called within the import's
    transaction.
    """
    Judge.objects.bulk_create(
        Judge(dataset=dataset, code=judge.code, is_machine=judge.is_machine) for judge in votes.judges
    )
    judges = dict(dataset.judges.values_list("code", "pk"))
    keys = [judges[judge.code] for judge in votes.judges]
    instances = list(dataset.instances.order_by("position").values_list("pk", flat=True))
    names, outcomes = votes.systems, Outcome.values
    columns = zip(
        votes.instance.tolist(),
        votes.judge.tolist(),
        votes.first.tolist(),
        votes.second.tolist(),
        votes.outcome.tolist(),
        [None if math.isnan(certainty) else certainty for certainty in votes.certainty.tolist()],
        strict=True,
    )
    insert_rows(
        PairwiseVote,
        ["dataset", "position", "instance", "judge", "first", "second", "outcome", "certainty"],
        (
            (dataset.pk, position, instances[i], keys[j], names[first], names[second], outcomes[outcome], certainty)
            for position, (i, j, first, second, outcome, certainty) in enumerate(columns)
        ),
    )


def add_votes_to_digest(digest: "_Hash", votes: PairwiseVotes) -> None:
    """Add everything stored of votes to a dataset's fingerprint."""
    digest.update(json.dumps([votes.judges, votes.systems, Outcome.values]).encode())
    for column in (votes.instance, votes.judge, votes.first, votes.second, votes.outcome):
        digest.update(column.astype("<i4", copy=False).tobytes())
    digest.update(np.where(np.isnan(votes.certainty), -1.0, votes.certainty).astype("<f8").tobytes())
