"""The numbers that are shown while a study is set up are those of the plan that is made of it."""

from dataclasses import replace

import pytest

from annotations import designing
from annotations.designing.drawing import TooManyPlaces
from annotations.designing.workload import ASSUMED_SECONDS, Pace, checklist, in_hours, measured_pace, workload
from annotations.models import PreferenceResponse
from tests.worlds.answering import complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("compares", ["human_vs_system", "system_vs_system"])
@pytest.mark.parametrize(("systems", "instances"), [(2, 3), (4, 5), (4, 4)])
def test_the_workload_is_that_of_the_plan(compares, systems, instances):
    study = make_study(dataset=make_dataset(systems=systems), compares=compares, instances_per_system=instances)
    load, plan = workload(study), designing.propose(study=study)
    assert (load.comparisons, load.places) == (len(plan.draws), plan.places)
    assert (load.experts_needed, load.missing_experts) == (plan.experts_needed, plan.missing_experts)
    assert (load.fewest_per_text, load.most_per_text) == (plan.uses.min(), plan.uses.max())


def test_more_places_than_can_be_planned_are_refused_before_anything_is_drawn():
    study = make_study(dataset=make_dataset(systems=4), instances_per_system=6, experts_per_comparison=8_334)
    assert workload(study).problems == [
        "This would be 200,016 places for experts, but the limit is 200,000. Set fewer texts per system, or fewer "
        "experts per comparison."
    ]
    with pytest.raises(TooManyPlaces, match="200,000") as refused:
        designing.apply_plan(study=study)
    assert refused.value.data == {"places": 200_016}
    assert not study.comparisons.exists()
    study.experts_per_comparison = 8_333
    assert designing.propose(study=study).places == 199_992


def test_as_many_places_as_can_be_planned_are_no_problem():
    load = replace(workload(make_study()), systems=4, instances_per_system=5, experts_per_comparison=10_000)
    assert (load.places, load.problems) == (200_000, [])
    assert len(replace(load, experts_per_comparison=10_001).problems) == 1


def test_more_labels_than_can_be_compared_are_refused_before_anything_is_drawn(monkeypatch):
    study = make_study(dataset=make_dataset(systems=4, labels=5, instances=7), instances_per_system=6)
    monkeypatch.setattr("annotations.designing.plans.MOST_SHARES", 4 * 6 * 5)
    assert len(designing.propose(study=study).draws) == 24
    monkeypatch.setattr("annotations.designing.plans.MOST_SHARES", 4 * 6 * 5 - 1)
    with pytest.raises(TooManyPlaces, match=r"\b23\b.*\b24\b"):
        designing.apply_plan(study=study)


def test_hours_follow_from_a_stated_time_per_text():
    load = replace(workload(make_study(experts=2), experts=4), pace=Pace(1800, is_measured=False))
    assert (load.places, load.texts_per_expert, load.hours_per_expert) == (12, 3, 1.5)
    figures = ("12 answers", "3 texts", "4 experts", "1 h 30 min")
    assert [figure for figure in figures if figure not in load.sentence] == []


def test_a_text_is_taken_to_need_two_minutes_until_times_are_measured():
    load = replace(workload(make_study()), texts=300, instances_per_system=300)
    assert (load.texts_per_expert, load.hours_per_expert) == (300, 10)


def test_times_are_rounded_up_to_five_minutes():
    assert [in_hours(seconds) for seconds in (300, 301, 3300, 3301)] == ["5 min", "10 min", "55 min", "1 h"]


def test_the_pace_is_measured_once_there_are_enough_answers_of_people(monkeypatch):
    study = make_open_study(experts=2)
    complete(taken(study.memberships.get(number=0).user))
    assert measured_pace() == Pace(ASSUMED_SECONDS, is_measured=False)
    monkeypatch.setattr("annotations.designing.workload.MEASURED_FROM", 1)
    assert measured_pace().is_measured
    assert PreferenceResponse.objects.count() == 1
    study.memberships.update(is_simulated=True)
    assert not measured_pace().is_measured


def test_the_checklist_begins_with_what_is_missing():
    study = make_study(instances_per_system=7)
    steps = checklist(study, workload(study))
    assert [step.step for step in steps if not step.done] == ["asked", "how_much", "people", "plan"]
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert any("6 texts" in step.sentence and " 7" in step.sentence for step in steps)


@pytest.mark.parametrize(("compares", "suffices"), [("human_vs_system", True), ("system_vs_system", False)])
def test_one_system_can_be_compared_with_people_only(compares, suffices):
    study = make_study(dataset=make_dataset(systems=1), compares=compares)
    (compared,) = [step for step in checklist(study, workload(study)) if step.step == "compared"]
    assert compared.done is suffices
