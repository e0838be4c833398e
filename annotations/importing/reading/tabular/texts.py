"""From a table's columns to instances: ids, texts or named segments, language, direction."""

from collections.abc import Callable

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground import bounded_json
from annotations.ground.arrays import Integers
from annotations.importing.memory.limits import NAME_LENGTH, SPLIT_LENGTH
from annotations.importing.memory.names import all_storable, unstorable
from annotations.importing.memory.options import TextOptions
from annotations.importing.memory.tables import InstanceRow, Segment
from annotations.importing.reading.tabular.columns import (
    ABOUT_INSTANCES,
    DIRECTION,
    INSTANCE,
    LANGUAGE,
    SEGMENT_PREFIX,
    SEGMENTS,
    SPLIT,
    TEXT,
    is_segment,
)
from annotations.importing.reading.tabular.sheets import Sheet, Texts, first_rows
from annotations.shown.plurals import filled

LANGUAGE_LENGTH = 20


def require_instance_column(sheet: Sheet) -> None:
    """Stop if no column says what the rows are about."""
    if INSTANCE not in sheet:
        sheet.problems.stop(
            sheet.file.name,
            _("there is no column 'instance'"),
            line=1,
            value=", ".join(sheet.columns[:8]),
            remedy=_("Name the column with the instance ids 'instance'."),
        )


def instance_column(sheet: Sheet) -> Texts:
    """The rows' instances. Every row must name one that can be stored."""
    require_instance_column(sheet)
    column = sheet.texts(INSTANCE)
    check_names(sheet, INSTANCE, column, _("the instance's id"), NAME_LENGTH)
    return column


def check_names(sheet: Sheet, field: str, column: Texts, what: str, length: int, *, required: bool = True) -> None:
    """Note every row whose value is missing (if required) or cannot be stored."""
    if required and len(rows := np.flatnonzero(column.codes < 0)):
        sheet.report(
            rows, _("{what} is missing").format(what=what), field=field, value=column.at, remedy=_("Fill in the value.")
        )
    if all_storable(column.values, length):
        return
    first = first_rows(column.codes, len(column.values))
    bad = {code: why for code, value in enumerate(column.values) if (why := unstorable(value, length))}
    for code, why in bad.items():
        sheet.report(
            first[code : code + 1],
            filled(_("{what} {why}"), what=what, why=why),
            field=field,
            value=column.at,
            remedy=_("Use a different one."),
        )


def instances_in(sheet: Sheet, ids: Texts, options: TextOptions, *, once: bool) -> list[InstanceRow]:
    """The instances of a table, in order of appearance.

    If an instance may have several rows (`once` is False), they must all agree about it.
    """
    rows = np.flatnonzero(ids.codes >= 0)
    codes = ids.codes[rows]
    first = first_rows(ids.codes, len(ids.values))
    if once and len(codes) > len(ids.values):
        repeated = rows[first[codes] != rows]
        sheet.report(
            repeated, _("the instance appears twice"), field=INSTANCE, value=ids.at, remedy=_("List each only once.")
        )
    columns = {name: sheet.texts(name) for name in sheet.columns if _is_about_instances(name)}
    if not columns:
        return [InstanceRow(id_, (), options.language, options.direction) for id_ in ids.values]
    for name, column in columns.items():
        if not once and len(bad := rows[column.codes[rows] != column.codes[first[codes]]]):
            sheet.report(
                bad,
                _("the rows of the instance differ in this column"),
                field=name,
                value=ids.at,
                remedy=_("Give every instance only one text."),
            )
        if name != SPLIT:
            check_names(sheet, name, column, _("the text"), 10**9, required=False)
    make = _segment_maker(sheet, columns, first)
    language = _plain(
        sheet, columns.get(LANGUAGE), first, options.language, lambda value: len(value) <= LANGUAGE_LENGTH
    )
    direction = _plain(sheet, columns.get(DIRECTION), first, options.direction, lambda value: value in ("ltr", "rtl"))
    split = _splits(sheet, columns.get(SPLIT), first)
    return [InstanceRow(id_, make(i), language(i), direction(i), split(i)) for i, id_ in enumerate(ids.values)]


def _is_about_instances(name: str) -> bool:
    return name in ABOUT_INSTANCES or is_segment(name)


def _plain(
    sheet: Sheet, column: Texts | None, first: Integers, default: str, good: Callable[[str], bool]
) -> Callable[[int], str]:
    if column is None:
        return lambda _: default
    bad_codes = [code for code, value in enumerate(column.values) if not good(value)]
    sheet.report(
        first[np.isin(column.codes[first], bad_codes)],
        _("the value is unknown"),
        field=_("language or direction"),
        value=column.at,
        remedy=_("Use a language code such as 'en', and 'ltr' or 'rtl' for the direction."),
    )
    return lambda i: column.at(int(first[i])) or default


def _splits(sheet: Sheet, column: Texts | None, first: Integers) -> Callable[[int], str]:
    if column is None:
        return lambda _: ""
    check_names(sheet, SPLIT, column, _("the split"), SPLIT_LENGTH, required=False)
    return lambda i: column.at(int(first[i])).strip()


def _segment_maker(sheet: Sheet, columns: dict[str, Texts], first: Integers) -> Callable[[int], tuple[Segment, ...]]:
    """A function from an instance's position to its segments. A table must have its texts in one form only."""
    named = [(name.removeprefix(SEGMENT_PREFIX), column) for name, column in columns.items() if is_segment(name)]
    ways = [way for way, there in (("text", TEXT in columns), ("segments", SEGMENTS in columns)) if there]
    if len(ways) + bool(named) > 1:
        sheet.problems.stop(
            sheet.file.name,
            _("the texts are provided in two different ways"),
            line=1,
            value=", ".join(columns),
            remedy=_("Use only one of these: a column 'text', a column 'segments', or columns 'segment:NAME'."),
        )
    if TEXT in columns:
        named = [("", columns[TEXT])]
    if SEGMENTS in columns:
        column = columns[SEGMENTS]
        return lambda i: _parsed_segments(sheet, column, int(first[i]))

    def make(i: int) -> tuple[Segment, ...]:
        row = int(first[i])
        return tuple(Segment(name, text) for name, column in named if (text := column.at(row)))

    return make if named else lambda _: ()


def _parsed_segments(sheet: Sheet, column: Texts, row: int) -> tuple[Segment, ...]:
    text = column.at(row)
    if not text:
        return ()
    segments = parse_segments(text)
    if segments is None:
        sheet.problems.add(
            sheet.file.name,
            _("these are not segments"),
            line=sheet.line(row),
            field=SEGMENTS,
            remedy=filled(
                _("Use an object {object} or a list {list}."),
                object='{"premise": "..."}',
                list='[{"name": "premise", "text": "..."}]',
            ),
        )
        return ()
    return segments


def parse_segments(text: str) -> tuple[Segment, ...] | None:
    """Segments from JSON; None if it is something else.

    >>> parse_segments('{"premise": "It rains.", "hypothesis": "It is wet."}')
    (Segment(name='premise', text='It rains.'), Segment(name='hypothesis', text='It is wet.'))
    """
    try:
        value = bounded_json.loads(text)
    except ValueError:
        return None
    if isinstance(value, dict):
        value = [{"name": name, "text": content} for name, content in value.items()]
    if not isinstance(value, list):
        return None
    segments = []
    for entry in value:
        if not isinstance(entry, dict) or set(entry) - {"name", "text"}:
            return None
        name, content = entry.get("name", ""), entry.get("text")
        if not isinstance(name, str) or not isinstance(content, str) or unstorable(name) or unstorable(content):
            return None
        segments.append(Segment(name, content))
    return tuple(segments)
