"""A two-column list of who should answer what, read and checked before anything is assigned."""

import csv
import io

from django.utils.translation import gettext as _

from annotations.designing.places.reassigning import MOST
from annotations.history.looks import known_texts
from annotations.models import Assignment, Study

COLUMNS = ("comparison", "expert")


def read_list(*, study: Study, text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """The pairs in the list, and every reason why it cannot be applied, by line. Six queries."""
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
    names = [(name or "").strip().lower() for name in reader.fieldnames or []]
    if not set(COLUMNS) <= set(names):
        return [], [_("Line 1: the columns must be named comparison and expert.")]
    comparisons = {
        position: (pk, instance, text_id)
        for pk, position, instance, text_id in study.comparisons.values_list(
            "pk", "position", "instance", "instance__external_id"
        )
    }
    members = list(study.memberships.experts().filter(is_active=True))
    experts = {one.number for one in members}
    elsewhere = known_texts(study, members)
    had = {(one.number, instance) for one in members for instance in elsewhere[one.pk]}
    had |= set(study.assignments.filter(expert__isnull=False).values_list("expert__number", "instance"))
    free: dict[int, int] = {}
    for comparison in Assignment.objects.free().filter(study=study).values_list("comparison", flat=True):
        free[comparison] = free.get(comparison, 0) + 1
    pairs: list[tuple[int, int]] = []
    problems: list[str] = []
    for row in reader:
        line = reader.line_num
        told = dict(zip(names, (value for value in row.values() if isinstance(value, str)), strict=False))
        values = [told.get(name, "").strip() for name in COLUMNS]
        if not all(value.isascii() and value.isdigit() and len(value) < 10 for value in values):
            problems.append(_("Line {line}: comparison and expert must be whole numbers.").format(line=line))
            continue
        position, number = (int(value) for value in values)
        if position not in comparisons:
            problems.append(_("Line {line}: there is no comparison {position}.").format(line=line, position=position))
        elif number not in experts:
            problems.append(_("Line {line}: there is no active expert {number}.").format(line=line, number=number))
        else:
            pk, instance, text_id = comparisons[position]
            if (number, instance) in had:
                problems.append(
                    _("Line {line}: expert {number} already has or had text {text_id}.").format(
                        line=line, number=number, text_id=text_id
                    )
                )
            elif not free.get(pk):
                problems.append(
                    _("Line {line}: comparison {position} (text {text_id}) has no free places.").format(
                        line=line, position=position, text_id=text_id
                    )
                )
            else:
                had.add((number, instance))
                free[pk] -= 1
                pairs.append((position, number))
    if len(pairs) > MOST:
        problems.append(
            _("The list assigns {pairs} places, but the limit is {most} at a time.").format(pairs=len(pairs), most=MOST)
        )
    if not pairs and not problems:
        problems.append(_("The list has no rows."))
    return pairs, problems
