"""Ways to draw the two sides, weighed by the API while a study is set up."""

import pytest

from annotations.models import Role
from tests.annotations.api.designing.test_setup import in_study, signed_in
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/studies/study/display/"


def test_each_way_to_draw_says_what_it_costs_and_gives_away_and_the_safe_one_comes_first():
    ann = in_study(make_study(dataset=make_dataset(instances=40, systems=3)), Role.RESEARCHER)
    told = ann.get(ADDRESS).json()
    assert [one["display_step"] for one in told["displays"]] == [None, 0.1, 0.05, 0.01]
    assert [one["is_recommended"] for one in told["displays"]] == [True, False, False, False]
    assert [one["is_chosen"] for one in told["displays"]] == [True, False, False, False]
    grid, _, _, exact = told["displays"]
    assert grid["by_grid"] <= exact["by_grid"]
    assert grid["mean_off"] >= exact["mean_off"]
    assert exact["mean_off"] < 1
    assert "points on average" in grid["sentence"]
    assert "randomly drawn" in told["sentence"]
    assert ann.get(ADDRESS).json() == told


def test_another_threshold_is_tried_and_nothing_is_stored():
    study = make_study(dataset=make_dataset(instances=20))
    ann = in_study(study, Role.RESEARCHER)
    low, high = (ann.get(f"{ADDRESS}?display_threshold={value}").json() for value in (0, 0.5))
    assert low["hidden"] < high["hidden"]
    assert (low["threshold"], high["threshold"]) == (0, 0.5)
    assert ann.get(f"{ADDRESS}?display_threshold=1").status_code == 400
    study.refresh_from_db()
    assert study.display_threshold == 0.1


def test_between_systems_no_side_is_peoples_and_exact_is_the_safe_choice():
    ann = in_study(make_study(dataset=make_dataset(instances=20, systems=3)), Role.RESEARCHER)
    told = ann.get(f"{ADDRESS}?compares=system_vs_system").json()
    assert [one["display_step"] for one in told["displays"]] == [0.01, 0.1, 0.05]
    assert told["displays"][0]["is_recommended"]
    assert told["displays"][0]["is_chosen"]
    assert {one["by_grid"] for one in told["displays"]} == {None}


def test_without_systems_there_is_nothing_to_measure():
    ann = in_study(make_study(dataset=make_dataset(systems=0)), Role.RESEARCHER)
    told = ann.get(ADDRESS).json()
    assert (told["comparisons"], told["displays"]) == (0, [])


def test_experts_and_strangers_find_no_such_address():
    study = make_study()
    assert in_study(study, Role.EXPERT).get(ADDRESS).status_code == 404
    assert signed_in("stranger@example.org").get(ADDRESS).status_code == 404


def test_it_takes_as_many_queries_for_many_systems_and_texts(django_assert_max_num_queries):
    for slug, size in (("small", 4), ("large", 90)):
        make = make_study(dataset=make_dataset(slug=slug, instances=size, systems=size // 2), slug=slug)
        ann = in_study(make, Role.RESEARCHER)
        with django_assert_max_num_queries(14):
            assert ann.get(f"/api/v1/studies/{slug}/display/").status_code == 200
