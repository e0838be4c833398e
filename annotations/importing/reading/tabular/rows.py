"""What a table's rows are about: instances, with ids, texts or named segments, language and direction; and systems."""

from collections.abc import Callable, Iterable

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground import bounded_json
from annotations.ground.arrays import IntColumn, Integers, ShortColumn
from annotations.ground.progress import Progress
from annotations.ground.system_names import parts_of_name
from annotations.importing.memory.limits import NAME_LENGTH, SPLIT_LENGTH, SYSTEM_PART_LENGTH, all_storable, unstorable
from annotations.importing.memory.options import SystemOptions, TextOptions
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import InstanceRow, Segment
from annotations.importing.reading.files import Files
from annotations.importing.reading.tabular.opening import open_sheet
from annotations.importing.reading.tabular.sheets import (
    ABOUT_INSTANCES,
    DIRECTION,
    INSTANCE,
    LANGUAGE,
    METHOD,
    MODEL,
    RUN,
    SEGMENT_PREFIX,
    SEGMENTS,
    SPLIT,
    SYSTEM,
    TEXT,
    Sheet,
    Texts,
    first_rows,
    is_segment,
)
from annotations.shown.plurals import filled

LANGUAGE_LENGTH = 20
REMEDY = gettext_noop("A table of instances has: instance, text, segments, segment:NAME, language, direction, split.")


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
    columns = {name: sheet.texts(name) for name in sheet.columns if name in ABOUT_INSTANCES or is_segment(name)}
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
    ways = [way for way, present in (("text", TEXT in columns), ("segments", SEGMENTS in columns)) if present]
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


def tells_only_of_instances(column: str) -> bool:
    """Whether a column describes an instance, rather than what anybody thinks of it."""
    return column in (INSTANCE, *ABOUT_INSTANCES) or is_segment(column)


def note_columns(sheet: Sheet, columns: Iterable[str], reason: str, remedy: str) -> None:
    """Note columns that a table must not have, rather than ignore them."""
    for column in columns:
        sheet.problems.add(sheet.file.name, reason, line=1, field=column, remedy=remedy)


def instances_beside(files: Files, options: TextOptions, problems: Problems, progress: Progress) -> list[InstanceRow]:
    """The instances from all tables of instances, in order; None if there is no table."""
    sheets = [open_sheet(file, problems=problems, progress=progress, numbers=lambda _: set()) for file in files]
    for sheet in sheets:
        unknown = [column for column in sheet.columns if not tells_only_of_instances(column)]
        note_columns(sheet, unknown, _("the column is unknown"), REMEDY)
    problems.stop_if_any()
    rows: dict[str, InstanceRow] = {}
    for sheet in sheets:
        for row in instances_in(sheet, instance_column(sheet), options, once=True):
            if row.external_id in rows:
                problems.add(
                    sheet.file.name,
                    _("the instance is in two files"),
                    field=INSTANCE,
                    value=row.external_id,
                    remedy=_("Describe each instance only once."),
                )
            rows[row.external_id] = row
    problems.stop_if_any()
    return list(rows.values())


Key = tuple[str, str, str]
PARTS = (MODEL, METHOD, RUN)


def systems_in(sheet: Sheet, options: SystemOptions, systems: dict[Key, int]) -> IntColumn | ShortColumn:
    """Every row's system as an index into `systems`, to which new ones are added in order of appearance.

    A column `system` contains full names; columns `model`, `method` and `run` contain the parts. Missing
    columns are replaced by the options; without either, the model is named after the file.
    """
    problems, file = sheet.problems, sheet.file
    named = [column for column in (SYSTEM, *PARTS) if column in sheet]
    if SYSTEM in named and len(named) > 1:
        problems.stop(
            file.name,
            _("systems are named in two different ways"),
            line=1,
            value=", ".join(named),
            remedy=_("Keep only one of them."),
        )
    stated = {part: getattr(options, part) for part in PARTS}
    for part in PARTS:
        if stated[part] and (part in named or SYSTEM in named):
            problems.stop(
                file.name,
                filled(_("the file names its systems itself, and the option {option} does too"), option=repr(part)),
                line=1,
                field=part,
                value=stated[part],
                remedy=_("Remove the option or the column."),
            )
    if SYSTEM in named:
        names = sheet.texts(SYSTEM)
        keys = [parts_of_name(name) for name in names.values]
        _check(sheet, SYSTEM, names, keys)
        return names.mapped_short(
            {name: systems.setdefault(key, len(systems)) for name, key in zip(names.values, keys, strict=True)}
        )
    columns = {part: sheet.texts(part) for part in PARTS if part in sheet}
    what = {MODEL: _("the model"), METHOD: _("the method"), RUN: _("the run")}
    for part, column in columns.items():
        check_names(sheet, part, column, what[part], SYSTEM_PART_LENGTH, required=part == MODEL)
    if MODEL not in columns:
        stated[MODEL] = stated[MODEL] or file.stem[:SYSTEM_PART_LENGTH]
    if not columns:
        place = systems.setdefault((stated[MODEL], stated[METHOD], stated[RUN]), len(systems))
        return np.full(len(sheet), place, dtype=np.int32)
    return _combined(columns, stated, systems)


def name_it_so() -> str:
    """The remedy for a system name that cannot be used."""
    message = _("Name it 'model / method / run', each at most {most} characters.")
    return filled(message, most=SYSTEM_PART_LENGTH)


def _check(sheet: Sheet, field: str, names: Texts, keys: list[Key]) -> None:
    check_names(sheet, field, names, _("the system"), 3 * SYSTEM_PART_LENGTH)
    first = first_rows(names.codes, len(names.values))
    for code, key in enumerate(keys):
        if not key[0] or max(map(len, key)) > SYSTEM_PART_LENGTH:
            sheet.report(
                first[code : code + 1],
                _("the system name cannot be split into model, method and run"),
                field=field,
                value=names.at,
                remedy=name_it_so(),
            )


def _combined(columns: dict[str, Texts], said: dict[str, str], systems: dict[Key, int]) -> IntColumn | ShortColumn:
    combined = np.zeros(len(next(iter(columns.values())).codes), dtype=np.int64)
    for column in columns.values():
        combined = combined * (len(column.values) + 1) + (column.codes + 1)
    values, first, inverse = np.unique(combined, return_index=True, return_inverse=True)
    places = np.empty(len(values), dtype=np.int32)
    for order in np.argsort(first, kind="stable").tolist():
        row = int(first[order])
        model, method, run = (columns[part].at(row) if part in columns else said[part] for part in PARTS)
        places[order] = systems.setdefault((model, method, run), len(systems))
    return places[inverse]
