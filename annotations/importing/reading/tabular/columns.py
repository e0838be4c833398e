"""The columns that a table may have, by name. Every other column of a wide table is a label."""

from collections.abc import Callable, Iterable

INSTANCE, LABEL, PROBABILITY, ANNOTATOR, COUNT = "instance", "label", "probability", "annotator", "count"
TEXT, SEGMENTS, LANGUAGE, DIRECTION, SPLIT = "text", "segments", "language", "direction", "split"
SYSTEM, MODEL, METHOD, RUN = "system", "model", "method", "run"
SEGMENT_PREFIX = "segment:"
Columns = Callable[[Iterable[str]], set[str]]

ABOUT_INSTANCES = (TEXT, SEGMENTS, LANGUAGE, DIRECTION, SPLIT)
ABOUT_SYSTEMS = (SYSTEM, MODEL, METHOD, RUN)
KNOWN = {INSTANCE, LABEL, PROBABILITY, ANNOTATOR, COUNT, *ABOUT_INSTANCES, *ABOUT_SYSTEMS}


def is_segment(column: str) -> bool:
    """Whether the column holds a named segment, such as `segment:premise`."""
    return column.startswith(SEGMENT_PREFIX) and len(column) > len(SEGMENT_PREFIX)


def has_texts(columns: Iterable[str]) -> bool:
    return any(column in (TEXT, SEGMENTS) or is_segment(column) for column in columns)


def is_long(columns: Iterable[str]) -> bool:
    """Whether each row is about one label."""
    return LABEL in columns


def label_columns(columns: Iterable[str]) -> list[str]:
    """The columns of a wide table that are labels: all without another meaning."""
    return [column for column in columns if column not in KNOWN and not is_segment(column)]


def number_columns(columns: Iterable[str]) -> set[str]:
    """The columns that hold numbers."""
    columns = list(columns)
    known = {PROBABILITY, COUNT} & set(columns)
    return known if is_long(columns) else known | set(label_columns(columns))
