"""The options of import formats in plain words, for the form of a page: commands and files keep the short names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotations.ground.messages import marked

LABELS: Mapping[str, str] = marked(
    {
        "absent": "Labels that are left out",
        "align": "Lines belong to items by",
        "bins": "Number of bins",
        "criterion": "Criterion",
        "delimiter": "Separator",
        "direction": "Writing direction",
        "exclusive": "Label that excludes others",
        "identifier": "Field with the id",
        "labels": "Labels",
        "language": "Language",
        "machines": "Machines",
        "method": "Method",
        "missing": "Texts without a prediction",
        "model": "Model",
        "outside": "Scores outside the labels",
        "predicts": "What is predicted",
        "raters": "Who gave the scores",
        "refused": "If one of several files is refused",
        "rescale": "Correct rounded sums",
        "responses": "Responses of one source",
        "run": "Run",
        "task": "Kind of task",
        "temperature": "Temperature",
        "texts": "Fields with the text",
        "unjudged": "Items without judgements",
        "votes": "Which judgements",
    }
)

REFUSE = marked({"refuse": "refuse the file", "leave_out": "leave them out"})
OPTIONS: Mapping[str, Mapping[str, str]] = marked(
    {
        "absent": {"refuse": "refuse the file", "zero": "their share is 0"},
        "align": {"id": "the id", "position": "the position"},
        "direction": {"ltr": "left to right", "rtl": "right to left"},
        "missing": REFUSE,
        "outside": REFUSE,
        "predicts": {
            "infer": "find out from the file",
            "distributions": "distributions",
            "annotations": "answers of every annotator",
        },
        "raters": {"unknown": "unknown people", "position": "one person per position"},
        "refused": {"refuse_all": "refuse all files", "leave_out": "leave that file out"},
        "task": {
            "infer": "find out from the data",
            "multiclass": "one label per text",
            "multilabel": "any number of labels",
            "ordinal": "a point on a scale",
        },
        "unjudged": REFUSE,
        "votes": {"new": "the hundred new ones", "old": "those of the original dataset"},
    }
)


def in_plain_words(schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a format's options, with what the page calls them and their values."""
    for name, option in schema.get("properties", {}).items():
        if label := LABELS.get(name):
            option["x-label"] = label
        words = OPTIONS.get(name)
        if words and "enum" in option:
            option["x-titles"] = [words.get(str(value), str(value)) for value in option["enum"]]
    return schema
