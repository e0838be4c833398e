"""What the files are called, what is in them, and what is to come back."""

from __future__ import annotations

from collections.abc import Sequence

from annotations.ground.errors import HLVError
from metaeval.training.registry import TrainingMethod
from metaeval.training.splits import Split

FORMAT, VERSION = "hlv-training-targets", 1

MANIFEST = "targets.json"
INSTANCES = "instances.parquet"
FOLDS = "folds.parquet"
EXAMPLES = "examples.parquet"
ROWS = "rows.parquet"
DEVELOPMENT = "development.parquet"
PREDICTIONS = "predictions.parquet"
STATEMENT = "training.json"

SEARCH, FINAL = "search", "final"
"""What a model learns from: the training part alone, or the development part as well."""

RESERVED = frozenset(
    {"model", "method", "run", "fold", "part", "instance", "segments", "example", "head", "weight", "times"}
)
"""Columns that are not labels."""

LABELS = "one column for each label"
COLUMNS = {
    INSTANCES: {"instance": "the id of the text", "segments": "its segments in order, such as premise and hypothesis"},
    FOLDS: {
        "fold": "from 0",
        "instance": "the id of a text that the fold uses",
        "part": "train, dev (for the choice of settings) or test (to be predicted)",
    },
    EXAMPLES: {
        "fold": "from 0",
        "part": f"{SEARCH}: the training part alone. {FINAL}: training and development part together",
        "example": "from 0 in each fold and part",
        "instance": "the id of the text that the model reads",
        "weight": "the example's loss is multiplied by it",
        "times": "how often the example occurs in an epoch",
    },
    ROWS: {
        "fold": f"as in {EXAMPLES}",
        "part": f"as in {EXAMPLES}",
        "example": f"as in {EXAMPLES}; an example has one row, or several",
        "head": "the output layer that is to predict this row: empty if there is only one, or an annotator's code",
        LABELS: "the target: 1 and 0 for labels, or shares of annotations",
    },
    DEVELOPMENT: {
        "fold": "from 0",
        "instance": "the id of a text of the fold's development part",
        LABELS: "the share of its annotations that gave the label",
    },
}
"""The tables and their columns."""


class NotHandedOver(HLVError):
    """A folder of targets cannot be written, or is not what this program wrote."""

    code = "not_handed_over"


def label_columns(labels: Sequence[str]) -> tuple[str, ...]:
    """The column of each label: its name, or "label NAME" if the name is that of another column.

    >>> label_columns(["no", "head", "label head"])
    ('no', 'label head', 'label label head')
    """
    return tuple(f"label {label}" if _bare(label) in RESERVED else label for label in labels)


def _bare(label: str) -> str:
    """Without any number of "label " before it, so that no two labels share a column."""
    while label.startswith("label "):
        label = label.removeprefix("label ")
    return label


def learning(split: Split) -> str:
    """Which examples are for what, in sentences."""
    if split.final_learns_from_dev:
        return (
            f"Settings are chosen with models that learn from the examples of the part {SEARCH!r} and predict the "
            f"development part. With these settings, the model that predicts the test part learns from the part "
            f"{FINAL!r}, which is training and development part together."
        )
    return (
        f"The model that predicts the test part learns from the examples of the part {SEARCH!r}, which is the training "
        "part. The development part, if there is one, is for the choice of settings alone."
    )


def coming_back(method: TrainingMethod, columns: Sequence[str]) -> dict[str, object]:
    """What `predictions.parquet` has to be."""
    rows = (
        "For each run and fold, one row for each test text and each of the fold's output layers."
        if method.predicts_from_all
        else "For each run and fold, one row for each test text, from the output layer (of several, the first)."
    )
    columns_besides = {
        "model": "what the systems' model is called; may be left out if the import names it",
        "run": "the name of the run, such as 1, 2, 3",
        "fold": "from 0",
        "instance": "the id of the text",
    }
    if method.predicts_from_all:
        columns_besides["head"] = f"the output layer, as in {ROWS}"
    return {
        "file": f"{PREDICTIONS}, in this folder",
        "rows": rows,
        "columns": {**columns_besides, LABELS: "its probability, after softmax or the logistic function"},
        STATEMENT: "may be added: an object in which the trainer states what it likes, such as encoder, settings and "
        "seeds. It is stored with the systems.",
    }
