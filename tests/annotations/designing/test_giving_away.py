"""Texts on which a system gives itself away are counted, and drawn anew only where the study says so."""

import numpy as np
import pytest

from annotations import designing
from annotations.designing.concealing import tell_tales, to_avoid
from annotations.models import Dataset, GiveAways, Instance, System
from tests.worlds.datasets import make_dataset

pytestmark = pytest.mark.django_db
TEXTS = 30


@pytest.fixture
def dataset() -> Dataset:
    """All people chose exactly one label; the first system says next to nothing on every third text."""
    made: Dataset = make_dataset(instances=TEXTS, systems=3)
    Instance.objects.filter(dataset=made).update(parts=5)
    one_label = np.eye(len(made.gold[0]))[np.arange(TEXTS) % len(made.gold[0])]
    Dataset.objects.filter(pk=made.pk).update(gold=one_label)
    quiet = one_label.copy()
    quiet[::3] *= 0.4
    first = made.systems.order_by("model", "method", "run").first()
    made.systems.update(predictions=one_label)
    System.objects.filter(pk=first.pk).update(predictions=quiet)
    changed: Dataset = Dataset.objects.get(pk=made.pk)
    return changed


def planned(dataset: Dataset, give_aways: str) -> designing.Overview:
    study = designing.draft(dataset=dataset, slug="s", seed=1, give_aways=give_aways, instances_per_system=15)
    return designing.overview(study=study)


def test_only_sides_that_no_people_could_have_are_told(dataset):
    study = designing.draft(dataset=dataset, slug="s")
    first, second, third = dataset.systems.order_by("model", "method", "run").values_list("pk", flat=True)
    told = dict(tell_tales(study, [first, second, third]))
    assert np.flatnonzero(told[first]).tolist() == list(range(0, TEXTS, 3))
    assert not told[second].any()
    assert not told[third].any()


def test_they_are_kept_and_counted_by_default(dataset):
    study = designing.draft(dataset=dataset, slug="s")
    assert study.give_aways == GiveAways.KEEP
    assert to_avoid(study, list(dataset.systems.all())) is None
    hidden = planned(dataset, "keep").concealment
    assert hidden is not None
    assert hidden.certain > 0
    assert "reveal the system's side" in hidden.statement
    assert "were not drawn" not in hidden.statement


def test_drawn_anew_none_is_left_and_the_plan_says_from_how_many_texts_each_system_was_kept(dataset):
    hidden = planned(dataset, "redraw").concealment
    assert hidden is not None
    assert hidden.certain == 0
    assert [one.avoided for one in hidden.given_away] == [10, 0, 0]
    assert ": 0 to 10 texts" in hidden.statement


def test_a_system_that_gives_itself_away_everywhere_is_shown_all_the_same(dataset):
    first = dataset.systems.order_by("model", "method", "run").first()
    System.objects.filter(pk=first.pk).update(predictions=np.array(dataset.gold) * 0.3)
    hidden = planned(dataset, "redraw").concealment
    assert hidden is not None
    assert [(one.given_away, one.avoided) for one in hidden.given_away] == [(15, 15), (0, 0), (0, 0)]


def test_between_systems_there_is_nothing_to_avoid(dataset):
    study = designing.draft(dataset=dataset, slug="s", give_aways="redraw", compares="system_vs_system")
    assert to_avoid(study, list(dataset.systems.all())) is None


def test_a_stored_plan_is_taken_away_when_the_setting_changes(dataset):
    study = designing.create_study(dataset=dataset, slug="s", seed=1, instances_per_system=15)
    designing.apply_plan(study=study)
    study = designing.change_settings(study=study, give_aways="redraw")
    assert not study.comparisons.exists()
