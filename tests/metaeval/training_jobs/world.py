"""A small dataset from which a model can learn, and a training of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    Segment,
)
from annotations.importing.writing.datasets import write_dataset
from annotations.models import Dataset, JobState, Task
from metaeval.training_jobs.lifecycle import advance, prepare_training, start_training
from metaeval.training_jobs.models import Training, TrainingJob

SAID = ("The landlord raised the rent", "The employer cut the wages")
"""How a text begins whose label is the one at this place."""
TINY = {"methods": ["MV", "SL"], "runs": 1, "epochs": 2, "batch_size": 8, "split": "shares"}


def judged_dataset(
    *,
    texts: int = 40,
    people: int = 3,
    known: bool = True,
    given: bool = False,
    multilabel: bool = False,
    slug: str = "problems",
    **more: Any,
) -> Dataset:
    """Texts of two kinds, each judged by people who mostly agree about the kind; every fifth text is for testing."""
    rng = np.random.default_rng(3)
    rows, said = [], []
    for number in range(texts):
        kind = number % 2
        split = ("test", "dev", "train", "train", "train")[number % 5] if given else ""
        text = f"{SAID[kind]} in flat {number} of the house."
        rows.append(InstanceRow(f"t{number}", (Segment("", text),), split=split))
        for person in range(people):
            chosen = kind if rng.random() < 0.8 else 1 - kind
            given_labels = (chosen, 2) if multilabel and rng.random() < 0.3 else (chosen,)
            said.append(AnnotationRow(number, given_labels, f"p{person}" if known else ""))
    labels = ("housing", "work", "money") if multilabel else ("housing", "work")
    table = DatasetTable(
        labels=LabelSet(labels, Task.MULTILABEL if multilabel else Task.MULTICLASS),
        instances=rows,
        annotations=AnnotationTable.from_rows(said),
    )
    return write_dataset(table=table, slug=slug, title="Problems", **more).dataset


def measured(dataset: Dataset, **parameters: Any) -> Training:
    """A training that was checked, with a forecast that nobody measured."""
    training = prepare_training(dataset=dataset, parameters={**TINY, **parameters})
    ended(training.jobs.get(), result=FORECAST)
    return Training.objects.get(pk=training.pk)


FORECAST = {
    "seconds": 90.0,
    "fits": 2,
    "peak_bytes": 400_000_000,
    "free_bytes": 8_000_000_000,
    "parameters": 300_000,
    "trained": 300_000,
    "cut": 0,
    "texts": 40,
    "device": "cpu",
}


def ended(job: TrainingJob, state: JobState = JobState.SUCCEEDED, **fields: Any) -> None:
    """Let a job end as if a worker had done it, and what follows happen."""
    TrainingJob.objects.filter(pk=job.pk).update(state=state, **fields)
    advance(job.training_id)


def under_way(dataset: Dataset, **parameters: Any) -> Training:
    """A training whose jobs wait for a worker."""
    return start_training(training=measured(dataset, **parameters))
