"""Submissions: one `id<TAB>python list` per line, put into the order of the dataset's instances."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.progress import Progress
from annotations.importing.memory.options import or_leave_out
from annotations.importing.memory.problems import Place, Problems
from annotations.importing.memory.tables import Target
from annotations.importing.reading.files import SourceFile, refuse_wrong_encoding
from annotations.importing.reading.literals import list_in
from annotations.shown.plurals import filled, written

REMEDY_LINE = gettext_noop("Each line needs the item's id, a tab, and a list of numbers such as [0.25, 0.75].")
Align = Literal["id", "position"]
Row = list[Any]


@dataclass(frozen=True, slots=True)
class Submission:
    """One file's lists in the order of the dataset's instances; None for missing lines."""

    file: SourceFile
    rows: list[Row | None]
    places: list[Place | None]


def _lines(file: SourceFile, problems: Problems, progress: Progress) -> Iterator[tuple[Place, str, Row]]:
    """Place, id and list of every line; other lines are noted."""
    refuse_wrong_encoding(file, problems)
    with file.path.open(encoding="utf-8-sig", newline="") as lines:
        for number, line in enumerate(lines, start=1):
            if number % 2000 == 1:
                progress(number, number, f"reading {file.name}")
            if not line.strip():
                continue
            place = Place(problems, file.name, number)
            id_, _tab, text = line.partition("\t")
            values = list_in(text)
            if values is None:
                place.problem(_("this is not an id and a list"), field="", value=text.strip(), remedy=REMEDY_LINE)
            else:
                yield place, id_.strip().strip('"'), values


def read_submission(  # noqa: PLR0917 (one place calls it)
    file: SourceFile,
    align: Align,
    target: Target,
    problems: Problems,
    progress: Progress,
    notes: list[str],
    *,
    may_lack: bool = False,
) -> Submission:
    """The file's lists, aligned by id or by position; invalid lines and ids are noted and stop the reading.

    Oddities that are not mistakes are added to `notes`.
    """
    found = list(_lines(file, problems, progress))
    problems.stop_if_any()
    N = len(target.external_ids)
    if align == "position":
        if len(found) != N:
            remedy = _("Provide one line per instance of the dataset, in the same order.")
            problems.stop(
                file.name,
                _("there are {found} lines for {N} instances").format(found=written(len(found)), N=written(N)),
                remedy=remedy,
            )
        others = sum(id_ != wanted for (_, id_, _), wanted in zip(found, target.external_ids, strict=True))
        if others:
            message = _("{file}: {count} of {ids} ids are not the instances' at their position.")
            notes.append(filled(message, file=file.name, count=written(others), ids=written(N)))
        return Submission(file, [row for _, _, row in found], [place for place, _, _ in found])
    submission = Submission(file, [None] * N, [None] * N)
    positions = target.positions
    for place, id_, row in found:
        i = positions.get(id_)
        if i is None:
            remedy = _("Use the dataset's ids, or set the option 'align' to 'position' if the lines are in its order.")
            place.problem(_("the item is not in the dataset"), field="id", value=id_, remedy=remedy)
        elif submission.rows[i] is not None:
            place.problem(_("the item appears twice"), field="id", value=id_, remedy=_("Keep only one of the lines."))
        else:
            submission.rows[i], submission.places[i] = row, place
    absent = [id_ for id_, row in zip(target.external_ids, submission.rows, strict=True) if row is None]
    if absent and not (may_lack and len(absent) < N):
        problems.add_lacking(
            file.name,
            _("the submission"),
            absent,
            N,
            field="id",
            remedy=or_leave_out(
                _("Import the split that was predicted as a separate dataset, or give a line for every instance.")
            ),
        )
    problems.stop_if_any()
    return submission
