"""Separate tables that only describe the instances: ids, texts, language, direction."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.progress import Progress
from annotations.importing.memory.options import TextOptions
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import InstanceRow
from annotations.importing.reading.files import SourceFile
from annotations.importing.reading.tabular.columns import ABOUT_INSTANCES, INSTANCE, is_segment
from annotations.importing.reading.tabular.opening import open_sheet
from annotations.importing.reading.tabular.sheets import Sheet
from annotations.importing.reading.tabular.texts import instance_column, instances_in

REMEDY = gettext_noop("A table of instances has: instance, text, segments, segment:NAME, language, direction, split.")


def tells_only_of_instances(column: str) -> bool:
    """Whether a column describes an instance, rather than what anybody thinks of it."""
    return column in (INSTANCE, *ABOUT_INSTANCES) or is_segment(column)


def note_columns(sheet: Sheet, columns: Iterable[str], reason: str, remedy: str) -> None:
    """Note columns that a table must not have, rather than ignore them."""
    for column in columns:
        sheet.problems.add(sheet.file.name, reason, line=1, field=column, remedy=remedy)


def instances_beside(
    files: Sequence[SourceFile], options: TextOptions, problems: Problems, progress: Progress
) -> list[InstanceRow]:
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
