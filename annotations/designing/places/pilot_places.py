"""Replaces what a pilot used up when the study opens, so that the main study has all its places.

Nobody who was shown a text in the pilot gets it again (`assignment_instance_once`), so its fresh place is for somebody
else; the plan says in advance how many more experts that takes.
"""

from collections import Counter

from django.db.models import Exists, OuterRef

from annotations.models import Assignment, Study
from annotations.models.comparisons import in_plan

BATCH = 500


def renew_places(study: Study) -> int:
    """Make a fresh place for each one used up by the pilot; the caller holds the study's lock.

    Anything shown so far was shown in the pilot. Places only claimed, or given by name, become the main study's.
    Repeating it changes nothing. Returns how many places were made.
    """
    # Wait for anyone who is just answering: whatever they are shown afterwards belongs to the main study.
    taken = study.assignments.filter(expert__isnull=False, released_at=None, repeat_of=None)
    # The experts first, as everywhere: their tallies change with their places.
    holders = study.memberships.filter(Exists(taken.filter(expert=OuterRef("pk"))))
    list(holders.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    list(taken.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    if study.opened_at is None:
        taken.filter(comparison_shown_at=None, is_pilot=True).update(is_pilot=False)
        taken.filter(comparison_shown_at__isnull=False, is_pilot=False).update(is_pilot=True)
    same = Assignment.objects.filter(
        comparison=OuterRef("comparison"), place=OuterRef("place"), released_at=None, is_pilot=False
    )
    gone = taken.filter(~Exists(same), is_pilot=True).order_by("comparison", "place")
    fresh = [
        Assignment(
            study=study,
            comparison_id=one.comparison_id,
            instance_id=one.instance_id,
            place=one.place,
            places=one.places,
        )
        for one in gone
    ]
    Assignment.objects.bulk_create(fresh, batch_size=BATCH)
    return len(fresh)


def used_up(study: Study) -> Counter[int]:
    """Instance -> how many places the pilot has used up, which will be replaced when the study opens."""
    if study.opened_at is not None:
        return Counter()
    shown = study.assignments.filter(in_plan(), comparison_shown_at__isnull=False, repeat_of=None)
    return Counter(shown.filter(instance__withdrawn_at=None).values_list("instance", flat=True))
