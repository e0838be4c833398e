"""Which system each row of a predictions table is about."""

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import IntColumn, ShortColumn
from annotations.ground.system_names import parts_of_name
from annotations.importing.memory.limits import SYSTEM_PART_LENGTH
from annotations.importing.memory.options import SystemOptions
from annotations.importing.reading.tabular.columns import METHOD, MODEL, RUN, SYSTEM
from annotations.importing.reading.tabular.sheets import Sheet, Texts, first_rows
from annotations.importing.reading.tabular.texts import check_names
from annotations.shown.plurals import filled

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
    said = {part: getattr(options, part) for part in PARTS}
    for part in PARTS:
        if said[part] and (part in named or SYSTEM in named):
            problems.stop(
                file.name,
                filled(_("the file names its systems itself, and the option {option} does too"), option=repr(part)),
                line=1,
                field=part,
                value=said[part],
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
    for part, column in columns.items():
        check_names(sheet, part, column, _the(part), SYSTEM_PART_LENGTH, required=part == MODEL)
    if MODEL not in columns:
        said[MODEL] = said[MODEL] or file.stem[:SYSTEM_PART_LENGTH]
    if not columns:
        place = systems.setdefault((said[MODEL], said[METHOD], said[RUN]), len(systems))
        return np.full(len(sheet), place, dtype=np.int32)
    return _combined(columns, said, systems)


def name_it_so() -> str:
    """The remedy for a system name that cannot be used."""
    message = _("Name it 'model / method / run', each at most {most} characters.")
    return filled(message, most=SYSTEM_PART_LENGTH)


def _the(part: str) -> str:
    return {MODEL: _("the model"), METHOD: _("the method"), RUN: _("the run")}[part]


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
    """One code per combination of the parts; only those that occur are considered."""
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
