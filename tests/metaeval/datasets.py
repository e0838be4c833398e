"""Small datasets of every kind, for the tests of analyses: with annotations and systems, and with votes."""

import numpy as np

from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    JudgeRow,
    LabelSet,
    PairwiseVotes,
    PredictionTable,
    Segment,
    SystemTable,
)
from annotations.importing.writing.datasets import write_dataset
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Label

LABELS = ("contradiction", "entailment", "neutral")


def instances(count):
    return [InstanceRow(f"item{i}", (Segment("", f"text {i}"),)) for i in range(count)]


def annotated_dataset(slug="nli", *, task="multiclass", items=20, people=5, systems=4, seed=3, known=True):
    """People who agree more on the first items than on the last; systems of growing noise, in two models of two
    methods."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        for person in range(people):
            label = item % 3 if rng.random() < 0.95 - 0.5 * item / items else int(rng.integers(3))
            second = (int(rng.integers(3)),) if task == "multilabel" and rng.random() < 0.4 else ()
            labels = tuple(sorted({label, *second}))
            rows.append(AnnotationRow(item, labels, f"p{person}" if known else ""))
    table = DatasetTable(
        labels=LabelSet(LABELS, task), instances=instances(items), annotations=AnnotationTable.from_rows(rows)
    )
    dataset = write_dataset(table=table, slug=slug, title=f"Data {slug}").dataset
    if task == "ordinal":
        for position in range(len(LABELS)):
            Label.objects.filter(dataset=dataset, position=position).update(value=position + 1)
    made = []
    for number in range(systems):
        noise = rng.dirichlet(np.ones(3), items)
        share = 0.1 + 0.8 * number / max(1, systems - 1)
        Q = (1 - share) * np.asarray(dataset.gold) + share * noise
        if task != "multilabel":
            Q /= Q.sum(axis=1, keepdims=True)
        made.append(SystemTable(("Alpha", "Beta")[number % 2], np.clip(Q, 0, 1), f"M{number // 2}", "1"))
    if made:
        write_predictions(dataset=dataset, table=PredictionTable(tuple(made)))
    return dataset


def voted_dataset(slug="arena", *, items=12, judges=3, machines=1, seed=5):
    """Three systems, the first of which is best; everyone votes on every pair of every item."""
    rng = np.random.default_rng(seed)
    strength = {0: 2.0, 1: 0.5, 2: 0.0}
    columns = {name: [] for name in ("instance", "judge", "first", "second", "outcome")}
    for item in range(items):
        for judge in range(judges + machines):
            for first, second in ((0, 1), (1, 2), (2, 0)):
                wins = 1 / (1 + np.exp(strength[second] - strength[first]))
                outcome = 2 if rng.random() < 0.15 else (0 if rng.random() < wins else 1)
                for name, value in zip(columns, (item, judge, first, second, outcome), strict=True):
                    columns[name].append(value)
    names = [f"h{i}" for i in range(judges)] + [f"m{i}" for i in range(machines)]
    votes = PairwiseVotes(
        **{name: np.array(values, dtype=np.int32) for name, values in columns.items()},
        certainty=np.full(len(columns["instance"]), np.nan),
        judges=tuple(JudgeRow(name, name.startswith("m")) for name in names),
        systems=("gpt", "llama", "vicuna"),
    )
    table = DatasetTable(labels=LabelSet((), "multiclass"), instances=instances(items), votes=votes)
    return write_dataset(table=table, slug=slug, title=f"Votes {slug}").dataset
