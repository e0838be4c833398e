"""Small datasets for tests: stored row by row, or written as an import writes them."""

import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from annotations.ground.arrays import Matrix
from annotations.ground.fingerprints import text_digest
from annotations.history.looks import text_set_of
from annotations.importing.memory.tables import DatasetTable, PredictionTable, SystemTable
from annotations.importing.writing.datasets import write_dataset
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Dataset, Instance, Label, System


def make_dataset(
    *, instances: int = 6, labels: int = 4, systems: int = 2, task: str = "multilabel", slug: str = "some-dataset"
) -> Dataset:
    """A dataset with random matrices; the last label is exclusive when the task is multilabel."""
    rng = np.random.default_rng(7)

    def matrix() -> Matrix:
        if task == "multilabel":
            return rng.random((instances, labels))
        return rng.dirichlet(np.ones(labels), instances)

    names = [f"Label {letter}" for letter in "zyxwvutsrqponmlkjihgfedcba"[:labels]]
    return store_dataset(
        slug=slug,
        title="The Dataset's Title",
        task=task,
        gold=matrix(),
        labels=names,
        exclusive=names[-1] if task == "multilabel" else None,
        systems=[SystemTable("ModelName", matrix(), f"Method{s}", "0") for s in range(systems)],
        external="external-{}",
        # As long as they are not meant to be the same, datasets have no text in common.
        text="This is text number {}." if slug == "some-dataset" else f"This is text number {{}} of {slug}.",
        fingerprint=uuid.uuid4().hex * 2,
    )


def store_dataset(
    *,
    gold: Matrix,
    labels: Sequence[str],
    systems: Sequence[SystemTable],
    exclusive: str | None = None,
    external: str = "i{}",
    text: str = "text {}",
    **fields: Any,
) -> Dataset:
    """Store a dataset row by row: nothing is checked, and no fingerprint follows from the content."""
    digests = [text_digest([text.format(i)]) for i in range(len(gold))]
    known = {"fingerprint": "f" * 64} | fields
    text_set = text_set_of(digests, fingerprint=known["fingerprint"])
    dataset: Dataset = Dataset.objects.create(gold=gold, text_set=text_set, **known)
    Label.objects.bulk_create(
        Label(dataset=dataset, position=k, name=name, exclusive=name == exclusive) for k, name in enumerate(labels)
    )
    Instance.objects.bulk_create(
        Instance(
            dataset=dataset,
            position=i,
            external_id=external.format(i),
            segments=[{"name": "", "text": text.format(i)}],
            text_digest=digests[i],
        )
        for i in range(len(gold))
    )
    System.objects.bulk_create(
        System(
            dataset=dataset,
            model=system.model,
            method=system.method,
            run=system.run,
            predictions=system.Q,
            fingerprint=f"{place:064d}",
        )
        for place, system in enumerate(systems)
    )
    return dataset


def written_dataset(
    table: DatasetTable,
    systems: Sequence[SystemTable],
    *,
    slug: str,
    title: str,
    is_simulated: bool = False,
) -> Dataset:
    """A dataset and its systems as an import writes them: checked, and with fingerprints of their content."""
    dataset = write_dataset(table=table, slug=slug, title=title, is_simulated=is_simulated).dataset
    write_predictions(dataset=dataset, table=PredictionTable(tuple(systems)), is_simulated=is_simulated)
    return dataset
