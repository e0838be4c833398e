"""Which reader takes the files or, if none does, a sentence that says which is closest and what it would need."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotations.ground.registry import Registry
from annotations.importing.formats import Reader, detect
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.reading.files import Files, SourceFile, refuse_wrong_encoding
from annotations.importing.reading.records import LISTS, first_keys, shape_of
from annotations.importing.reading.tabular.opening import KINDS
from annotations.importing.reading.tabular.sheets import ANNOTATOR, INSTANCE, LABEL, PROBABILITY
from annotations.shown.plurals import filled, with_and

# Other people's names for our columns. A synonym counts as nearly the column, but is never assumed to be it.
SAME = {
    INSTANCE: ("id", "instance_id", "item", "item_id", "uid", "text_id", "example_id", "doc_id", "question_id"),
    ANNOTATOR: ("annotator_id", "user", "user_id", "worker", "worker_id", "workerid", "rater", "rater_id", "coder"),
    LABEL: ("labels", "answer", "annotation", "category", "class", "rating", "score", "vote"),
    PROBABILITY: ("prob", "share", "weight", "p"),
}
NEARLY = 0.9
FEWEST = 0.3  # below this share of its keys, no format counts as close


def reader_of(readers: Registry[Any], files: Files, problems: Problems) -> Any:
    """The reader that is surest of the files; if none is, the import stops with one honest sentence."""
    reader = detect(readers, files)
    if reader is None:
        for file in files:
            if KINDS.get(file.suffix) in {"csv", "json"}:
                refuse_wrong_encoding(file, problems)
        nearest = next(((file, keys) for file in files if (keys := _keys(file))), (files[0], []))
        reason, remedy = unknown(readers, *nearest)
        value = ", ".join(nearest[1][:8]) + (", ..." if len(nearest[1]) > 8 else "")
        problems.stop(nearest[0].name, reason, value=value, remedy=remedy)
    return reader


def unknown(readers: Iterable[Reader[Any]], file: SourceFile, keys: Sequence[str]) -> tuple[str, str]:
    """Why a file is not in any known format, and what to do."""
    candidates = list(readers)
    listing = _("The known formats are {known}. They are described in docs/reference/formats.md.").format(
        known=", ".join(reader.name for reader in candidates)
    )
    nearness = [
        (_nearness(shape, keys), -len(shape), -place, reader, shape)
        for place, reader in enumerate(candidates)
        for shape in reader.shapes
    ]
    score, _length, _place, reader, shape = max(nearness, key=lambda found: found[:3], default=(0.0, 0, 0, None, ()))
    if reader is None or score < FEWEST:
        return _("this is not one of the known formats, and not similar to any of them"), listing
    lacking = [key for key in shape if key not in keys]
    message = _("this is not one of the known formats; the closest is {format}, which would need {needs}")
    if not lacking and shape_of(file) == LISTS:
        message = _(
            "this is not one of the known formats; the closest is {format}, which would need one object per line (JSON "
            "lines)"
        )
    elif not lacking:
        message = _(
            "this is not one of the known formats; the closest is {format}, which would need the file names of that "
            "format"
        )
    needs = " ".join(part for part in (listed(lacking, most=10), _perhaps(lacking, keys)) if part)
    remedy = " ".join((_("Use that format, or specify the format if it is one of them."), listing))
    return filled(message, format=repr(reader.name), needs=needs), remedy


def _keys(file: SourceFile) -> list[str]:
    record = first_keys(file)
    inner = next(iter(record.values()), None)
    return [*map(str, inner)] if isinstance(inner, dict) and len(record) > len(inner) else [*record]


def _nearness(shape: Sequence[str], keys: Sequence[str]) -> float:
    """The share of a shape's keys that are present; a key under another name counts in part."""
    likenesses = (1.0 if key in keys else NEARLY if _other_name(key, keys) else 0.0 for key in shape)
    return sum(likenesses) / len(shape)


def _other_name(key: str, keys: Sequence[str]) -> str:
    return next((name for name in keys if name.lower() in SAME.get(key, ())), "")


def _perhaps(lacking: Sequence[str], keys: Sequence[str]) -> str:
    guesses = [
        filled(_("{name} is {key}"), name=repr(other), key=repr(key))
        for key in lacking
        if (other := _other_name(key, keys))
    ]
    return filled(_("(perhaps {guesses})"), guesses=with_and(guesses)) if guesses else ""
