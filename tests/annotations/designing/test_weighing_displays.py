"""Ways to draw are weighed on comparisons that the study could have, and said with their figures."""

import re

import numpy as np
import pytest

from annotations.designing.displays import weigh_displays
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


def numbers(sentence: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", sentence)]


def test_a_study_of_an_earlier_rule_finds_its_own_way_among_those_offered() -> None:
    study = make_study(dataset=make_dataset(instances=10))
    for study.display_rule in (1, 2):
        assert [display.choice.is_chosen for display in weigh_displays(study).displays] == [True, False, False, False]


def test_every_way_has_a_title_of_its_own_and_a_step_is_named_by_its_size() -> None:
    titles = [display.title for display in weigh_displays(make_study()).displays]
    assert len(set(titles)) == 4
    assert [numbers(title) for title in titles] == [[], [10], [5], []]


def test_sides_that_look_the_same_are_counted() -> None:
    dataset = make_dataset(instances=10, systems=1)
    dataset.systems.update(predictions=dataset.gold)
    for display in weigh_displays(make_study(dataset=dataset)).displays:
        assert display.choice.distortion.identical == 10
        assert numbers(display.sentence)[2:4] == [10, 10]


def test_one_system_can_be_weighed_against_people_and_not_against_itself() -> None:
    study = make_study(dataset=make_dataset(instances=10, systems=1))
    assert weigh_displays(study).comparisons == 10
    study.compares = "system_vs_system"
    assert weigh_displays(study).comparisons == 0


def test_the_share_that_the_threshold_hides_is_told_before_what_it_is_measured_on() -> None:
    dataset = make_dataset(instances=10)
    found = weigh_displays(make_study(dataset=dataset, display_threshold=0.5))
    assert found.hidden is not None
    assert numbers(found.sentence) == [round(100 * found.hidden), 20]
    dataset.systems.update(predictions=np.zeros((10, 4)))
    found = weigh_displays(make_study(dataset=dataset, slug="other"))
    assert (found.hidden, numbers(found.sentence)) == (None, [20])
