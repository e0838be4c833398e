"""How many more experts a study's free places need."""

from collections import Counter

from django.db.models import Count

from annotations.designing.plans import active_experts
from annotations.models import Assignment, Study


def missing_in(study: Study, *, used_up: Counter[int] | None = None) -> int:
    """How many more experts the free places need, since an expert who has seen an instance cannot take it again.

    `used_up`: additional places of each instance that will become free.
    """
    experts = len(active_experts(study))
    free = Counter(
        dict(
            Assignment.objects.free()
            .filter(study=study)
            .order_by()
            .values_list("instance")
            .annotate(places=Count("pk"))
        )
    )
    free.update(used_up or {})
    # An expert has each text once, except repeats and texts restored as seen before, whose first place is also there.
    seen = dict(
        Assignment.objects.filter(study=study, expert__is_active=True, repeat_of=None, seen_before=False)
        .order_by()
        .values_list("instance")
        .annotate(experts=Count("pk"))
    )
    return max((places - (experts - seen.get(instance, 0)) for instance, places in free.items()), default=0)
