"""The next free place for one expert, locked: read from its index in order, as far as the first that they may have."""

from annotations.history.looks import had_elsewhere
from annotations.models import Assignment, Membership

# Every place has a number, and every place that an expert has a position. Said as conditions, they lead SQLite, once it
# has counted its tables (ANALYZE), to the index that gives the order and to that of one expert's places.
# Comparisons are stored in the study's order, so ordering by key is the same, and the index provides it.
FREE = Assignment.objects.free().filter(place__gte=0).order_by("place", "comparison_id").select_related("instance")
HAD = Assignment.objects.filter(position__gte=0, repeat_of=None, seen_before=False).order_by().values("instance")


def lock_place(expert: Membership, *, skip_locked: bool) -> Assignment | None:
    """The lowest free place that the expert may have, in the study's order, with its text; None if there is none.

    Whoever calls it checks text and systems again, because they may change while it waits for the lock.

    Args:
        skip_locked: leave out places that others are just taking, instead of waiting for them.
    """
    free = FREE.filter(study=expert.study_id).exclude(instance__in=HAD.filter(expert=expert))
    if getattr(expert, "is_elsewhere", True):  # known where the expert was loaded to be handed something
        free = free.exclude(instance__in=had_elsewhere(expert).values("pk"))
    return free.select_for_update(of=("self",), skip_locked=skip_locked).first()
