"""Datasets with systems as a training makes them: methods in two models, three runs each, some of which collapsed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Dataset
from tests.metaeval.datasets import annotated_dataset

METHODS = ("AE", "AEh", "AL", "AR", "ARh", "JSD", "LA-max", "LA-min", "MV", "ReL", "SL", "SLMV", "SMF1", "SmF1")
RUNS = 3


def trained_dataset(
    slug: str,
    *,
    task: str = "multiclass",
    methods: Sequence[str] = METHODS,
    models: Sequence[str] = ("RoBERTa", "TwHIN"),
    runs: int = RUNS,
    collapsed: int = 2,
    seed: int = 1,
) -> Dataset:
    """The later a method's name in the alphabet, the nearer to people; `collapsed` runs of SmF1 predict no label (the
    same for every text, if each has one label)."""
    rng = np.random.default_rng(seed)
    dataset: Dataset = annotated_dataset(slug, task=task, systems=0, seed=seed, items=30)
    gold = np.asarray(dataset.gold)
    made = []
    for model in models:
        for place, method in enumerate(methods):
            for run in range(1, runs + 1):
                share = 0.2 + 0.5 * (place + 1) / len(methods) + rng.normal(0, 0.02)
                noise = rng.dirichlet(np.ones(gold.shape[1]), len(gold))
                Q = np.clip(share * gold + (1 - share) * noise, 0, 1)
                if method == "SmF1" and model == models[-1] and run <= collapsed:
                    Q = np.zeros_like(gold) if task == "multilabel" else np.tile(gold[:1], (len(gold), 1))
                made.append(SystemTable(model, Q, method, str(run)))
    write_predictions(dataset=dataset, table=PredictionTable(tuple(made)))
    return dataset
