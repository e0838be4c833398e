"""A label list in a file of its own: one label a line, or a JSON list."""

import json

from annotations.importing.memory.problems import Problems
from annotations.importing.reading.files import SourceFile, refuse_foreign, refuse_wrong_encoding

REMEDY = "Give one label a line, or a JSON list of texts."


def is_label_list(file: SourceFile) -> bool:
    """By its name (`.txt`), or a `.json` that begins as a list."""
    return file.suffix == ".txt" or (file.suffix == ".json" and file.first_line().startswith(b"["))


def labels_in(file: SourceFile, problems: Problems) -> tuple[str, ...]:
    """The labels in their order."""
    refuse_foreign(file, problems)
    refuse_wrong_encoding(file, problems)
    text = file.path.read_text(encoding="utf-8-sig")
    if not text.lstrip().startswith("["):
        return tuple(line.strip() for line in text.splitlines() if line.strip())
    try:
        names = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        problems.stop(file.name, "this is not a whole JSON list", remedy=REMEDY)
    if not all(isinstance(name, str) for name in names):
        problems.stop(file.name, "a label is not a text", remedy=REMEDY)
    return tuple(names)
