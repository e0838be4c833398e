"""Refuse what would not fit in memory, before it is allocated: a small file can ask for very much."""

from django.utils.translation import gettext as _

from annotations.importing.memory.limits import MAX_COLUMNS, MAX_MATRIX_BYTES, MAX_TABLE_BYTES
from annotations.importing.memory.problems import Problems
from annotations.shown.plurals import filled, written

CELL = 8  # bytes of a number


def refuse_large_matrices(
    problems: Problems, file: str, *, instances: int, labels: int, systems: int = 0, layers: int = 1
) -> None:
    """Stop if the matrices of so many systems (0: the dataset's own) would take more than is allowed. One may come in
    `layers`: people's and the system's.
    """
    needed = CELL * layers * max(systems, 1) * instances * labels
    if needed <= MAX_MATRIX_BYTES:
        return
    if systems:
        reason = _("{shape} systems x {shape_2} instances x {shape_3} labels are too many").format(
            shape=written(systems), shape_2=written(instances), shape_3=written(labels)
        )
        remedy = _("Check that the columns contain what their names say, or import the systems in several parts.")
    else:
        reason = _("{instances} instances x {labels} labels are too many").format(
            instances=written(instances), labels=written(labels)
        )
        remedy = _("Check that the labels are labels and not, for example, texts or ids, or split the dataset.")
    problems.stop(file, reason, value=_memory(needed, MAX_MATRIX_BYTES), remedy=remedy)


def refuse_large_table(
    problems: Problems, file: str, *, rows: int, columns: int, declared: int = 0, cell: int = CELL
) -> None:
    """Stop if so many rows and columns, with so many bytes for each cell, would take more than is allowed. `declared`
    is what the file says of itself.
    """
    if max(cell * rows * columns, declared) > MAX_TABLE_BYTES:
        problems.stop(
            file,
            filled(_("the table would take more than {most} GB in memory"), most=MAX_TABLE_BYTES >> 30),
            value=filled(_("{rows} rows, {columns} columns"), rows=written(rows), columns=written(columns)),
            remedy=_("Split it into several files, or remove columns."),
        )


def refuse_many_columns(problems: Problems, file: str, columns: int) -> None:
    """Stop if a table has more columns than can be read, before any row is."""
    if columns > MAX_COLUMNS:
        problems.stop(
            file,
            filled(
                _("the table has {columns, number} columns, but at most {most, number} can be read"),
                columns=columns,
                most=MAX_COLUMNS,
            ),
            line=1,
            remedy=_(
                "Write one row for each label instead (columns instance, label and probability), or remove columns "
                "that are not needed."
            ),
        )


def _memory(needed: int, most: int) -> str:
    message = _("{needed} MB of memory needed, at most {most} MB allowed")
    return filled(message, needed=written(needed >> 20), most=written(most >> 20))
