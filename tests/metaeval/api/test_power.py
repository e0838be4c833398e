"""A study's power is shown while it is set up, and agrees with the simulated one."""

import pytest
from django.test import Client

from annotations.models import Role
from metaeval.stats.power.planned import StudyDesign, approximate_power, power
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_member, make_study


@pytest.mark.parametrize(("systems", "instances", "experts"), [(25, 28, 4), (12, 10, 2), (8, 28, 4)])
def test_the_computed_power_is_near_the_simulated_one(systems, instances, experts):
    design = StudyDesign(
        systems=systems, instances=instances, experts_per_comparison=experts, experts=24, correlation=0.6
    )
    simulated = power(design, n_resamples=200, n_test_resamples=199)
    assert simulated.low - 0.05 < approximate_power(design) < simulated.high + 0.05


@pytest.mark.django_db
def test_more_texts_find_more_and_the_sentence_says_how_much():
    dataset = make_dataset(instances=30, systems=12)
    client = Client()
    client.force_login(make_member(make_study(dataset=dataset), Role.RESEARCHER, "ann@example.org").user)
    told = client.get("/api/v1/studies/study/power/?instances_per_system=28&correlation=0.9").json()
    found = [point["power"] for point in told["by_instances"]]
    assert found == sorted(found)
    assert f"{100 * told['power']:.0f}%" in told["sentence"]
    assert client.get("/api/v1/studies/study/power/?correlation=2").status_code == 400


@pytest.mark.django_db
def test_three_systems_find_nothing_and_it_is_said():
    client = Client()
    client.force_login(make_member(make_study(), Role.RESEARCHER, "ann@example.org").user)
    told = client.get("/api/v1/studies/study/power/").json()
    assert told["power"] == 0
    assert "at least 4 are needed" in told["sentence"]
