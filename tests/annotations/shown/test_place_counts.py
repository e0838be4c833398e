"""Places counted from one index are those that `in_plan` and `of_main` say."""

import pytest
from django.db.models import Count, Q
from django.utils import timezone

from annotations.models import Study
from annotations.models.comparisons import in_plan, of_main
from annotations.shown.place_counts import PlaceCounts, by_comparison, by_expert, by_study, main_places
from tests.worlds.full import kinds_of_answers, make_full_study

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["draft", "opened"])
def study(request) -> Study:
    """Answers of every kind, skips, a pilot, and withdrawn texts."""
    study = make_full_study()
    kinds = kinds_of_answers(study)
    assert min(kinds["skipped"], kinds["pilot"], kinds["unfinished"], kinds["free"]) > 0
    for instance in study.dataset.instances.order_by("position")[::3]:
        instance.withdrawn_at = timezone.now()
        instance.save(update_fields=["withdrawn_at"])
    Study.objects.filter(pk=study.pk).update(opened_at=timezone.now() if request.param == "opened" else None)
    study.refresh_from_db()
    return study


def slowly(study: Study, key: str) -> dict[int | None, list[int]]:
    rows = study.assignments.filter(in_plan() & of_main()).order_by().values_list(key)
    begun = Count("pk", filter=Q(claimed_at__isnull=False, completed_at=None))
    return {of: counts for of, *counts in rows.annotate(Count("pk"), Count("completed_at"), begun=begun)}


def test_the_counts_are_those_of_the_rule(study):
    for count, key in ((by_expert, "expert"), (by_comparison, "comparison")):
        counts = count(main_places(study))
        assert {of: [one.places, one.answered, one.begun] for of, one in counts.items()} == slowly(study, key)
    whole = by_study([study.pk])[study.pk]
    assert [whole.places, whole.answered, whole.begun] == slowly(study, "study")[study.pk]


def test_what_is_given_is_neither_begun_nor_answered():
    assert PlaceCounts(places=7, answered=3, begun=1).given == 3
