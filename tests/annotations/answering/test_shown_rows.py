"""What step 2 shows is copied to the comparison by the plan, and read from the matrices where it was not."""

from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from annotations.answering import assigning
from annotations.answering.progress import part_of, with_pool
from annotations.answering.standing import ExpertStanding
from annotations.models import Comparison, Dataset, Instance, Membership, Study, System
from annotations.shown.displaying import with_rows
from tests.worlds.answering import Page
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def told(study: Study) -> list[tuple[list[float], list[float]]]:
    """Both rows of each place, as step 2 reads them."""
    places: Any = with_rows(study.assignments.order_by("pk"))
    return [(one.first_row.tolist(), one.second_row.tolist()) for one in places]


@pytest.mark.parametrize("compares", ["human_vs_system", "system_vs_system"])
def test_a_plan_copies_both_rows_of_every_comparison(compares):
    study = make_open_study(dataset=make_dataset(instances=6, systems=3), compares=compares)
    for one in study.comparisons.select_related("instance", "first_system", "second_system"):
        first = one.first_system.predictions if one.first_system else study.dataset.gold
        assert np.array_equal(one.first_row, first[one.instance.position])
        assert np.array_equal(one.second_row, one.second_system.predictions[one.instance.position])


@pytest.mark.parametrize("missing", [["first_row"], ["second_row"], ["first_row", "second_row"]])
def test_without_copies_the_same_is_read_from_the_matrices(missing):
    study = make_open_study(experts=1)
    before = told(study)
    study.comparisons.update(**dict.fromkeys(missing))
    assert told(study) == before
    page = Page(study.memberships.experts().get().user)
    step_2 = page.labels(page.next().json()["assignment"]["token"]).json()["assignment"]
    assert step_2["comparison"] is not None
    assert page.next().json()["assignment"] == step_2


@pytest.mark.parametrize("model", [Dataset, System])
def test_copies_go_when_a_matrix_changes(model):
    study = make_open_study(dataset=make_dataset(instances=6, systems=2))
    other = make_open_study(dataset=make_dataset(instances=6, systems=2, slug="other-data"), slug="other")
    if model is Dataset:
        Dataset.objects.filter(pk=study.dataset_id).update(gold=np.array(study.dataset.gold)[::-1])
        assert not study.comparisons.exclude(first_row=None, second_row=None).exists()
    else:
        system = study.dataset.systems.first()
        System.objects.filter(pk=system.pk).update(predictions=np.array(system.predictions)[::-1])
        assert not study.comparisons.filter(second_system=system).exclude(second_row=None).exists()
        assert study.comparisons.exclude(second_system=system).filter(second_row__isnull=False).exists()
    assert not other.comparisons.filter(second_row=None).exists()


def test_how_many_comparisons_a_study_has_is_kept_with_it():
    study = make_study()
    other = make_open_study(dataset=make_dataset(slug="other-data"), slug="other")
    assert _planned(study) == 0
    plan_and_open(study)
    assert _planned(study) == study.comparisons.count() > 2
    last = study.comparisons.last()
    last.assignments.all().delete()
    last.delete()
    assert _planned(study) == study.comparisons.count()
    assert _planned(other) == other.comparisons.count()


def test_an_equal_part_leaves_withdrawn_texts_out():
    study = make_open_study(experts=2)
    before = _parts(study)
    text = study.comparisons.first().instance_id
    Instance.objects.filter(pk=text).update(withdrawn_at=timezone.now())
    make_expert(study, "third@example.org")
    assert _parts(study) != before
    assert Comparison.objects.filter(study=study, instance=text).exists()


def _planned(study: Study) -> int:
    return Study.objects.get(pk=study.pk).planned


def _parts(study: Study) -> set[int]:
    """Everybody's part, which is the same by both counts."""
    parts = set()
    for expert in with_pool(Membership.objects.experts().filter(study=study)).select_related("study", "user"):
        loaded = assigning.expert_of(expert.user, study__slug=study.slug)
        assert ExpertStanding(loaded).part == part_of(expert)
        parts.add(part_of(expert))
    return parts
