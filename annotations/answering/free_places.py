"""The next free place for one expert, locked: read from its index in order, as far as the first that they may have."""

from functools import partial
from typing import Any

from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, QuerySet
from django.db.models.sql.datastructures import BaseTable

from annotations.compiled import Compiled
from annotations.models import Assignment, Membership

INDEX = "assignment_free_places"
Place = tuple[int, int]
"""Where a place stands in the order in which places are taken: its number, and the key of its comparison."""


def lock_place(expert: Membership, *, skip_locked: bool, since: Place | None = None) -> Assignment | None:
    """The lowest free place that the expert may have, in the study's order, with its text; None if there is none.

    Whoever calls it checks text and systems again, because they may change while it waits for the lock.

    Args:
        skip_locked: leave out places that others are just taking, instead of waiting for them.
        since: begin there; None: begin with the lowest.
    """
    bounds = {} if since is None else dict(zip(("place", "comparison"), since, strict=True))
    return FREE[skip_locked, since is not None].first(expert=expert.pk, study=expert.study_id, **bounds)


def _free(expert: Any, study: Any, *, skip_locked: bool, **since: Any) -> QuerySet[Assignment, Any]:
    seen = Assignment.objects.filter(expert=expert, instance=OuterRef("instance"), repeat_of=None, seen_before=False)
    found = (
        Assignment.objects.free()
        .filter(~Exists(seen), study=study)
        # Comparisons are stored in the study's order, so ordering by key is the same, and the index provides it.
        .order_by("place", "comparison_id")
        .select_related("instance")
        .select_for_update(of=("self",), skip_locked=skip_locked)[:1]
    )
    if since:
        found.query.add_q(Q(_NotBefore(F("place"), F("comparison_id"), since["place"], since["comparison"])))
    found.query.alias_map[Assignment._meta.db_table] = _ByIndex(Assignment._meta.db_table, Assignment._meta.db_table)
    return found


class _NotBefore(Func):
    """Whether one pair of values does not come before another: an index on the first two begins there."""

    arity = 4
    output_field = BooleanField()
    conditional = True

    def as_sql(self, compiler: Any, connection: Any, *_: Any, **__: Any) -> Any:
        parts, values = zip(*map(compiler.compile, self.get_source_expressions()), strict=True)
        return "({}, {}) >= ({}, {})".format(*parts), [one for many in values for one in many]


class _ByIndex(BaseTable):
    """The table, read by `INDEX`.

    SQLite has to be told: once it has counted its tables (ANALYZE), it takes an index that gives no order, and sorts
    all free places. PostgreSQL chooses well by itself.
    """

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        sql, values = super().as_sql(compiler, connection)
        return (f"{sql} INDEXED BY {INDEX}" if connection.vendor == "sqlite" else sql), values


BOUNDS: dict[bool, dict[str, None]] = {False: {}, True: {"place": None, "comparison": None}}
FREE: dict[tuple[bool, bool], Compiled[Assignment]] = {
    (skip_locked, is_bounded): Compiled(
        partial(_free, skip_locked=skip_locked), expert=None, study=None, **BOUNDS[is_bounded]
    )
    for skip_locked in (False, True)
    for is_bounded in (False, True)
}
