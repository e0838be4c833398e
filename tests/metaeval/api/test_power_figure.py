"""The power curve of a set-up as a picture."""

import json

import pytest

from annotations.models import Role
from tests.annotations.api.designing.test_setup import in_study
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/studies/study/power/figure/"


def rows(spec: dict) -> list[dict]:
    """The points of the chart, wherever it has them."""
    found = []

    def look(node):
        if isinstance(node, dict):
            if "instances_per_system" in node and "power" in node:
                found.append(node)
            else:
                for inner in node.values():
                    look(inner)
        elif isinstance(node, list):
            for inner in node:
                look(inner)

    look(spec)
    return found


def test_the_picture_has_a_line_a_number_of_experts_and_the_study_itself():
    study = make_study(dataset=make_dataset(instances=40, systems=8), instances_per_system=20)
    ann = in_study(study, Role.RESEARCHER)
    spec = ann.get(f"{ADDRESS}?experts_per_comparison=3").json()
    points = rows(spec)
    lines = {row["experts"] for row in points if "experts" in row}
    assert lines == {"1", "2", "3", "4"}
    (mine,) = [row for row in points if "experts" not in row]
    told = ann.get("/api/v1/studies/study/power/?experts_per_comparison=3").json()
    assert (mine["instances_per_system"], mine["power"]) == (20, told["power"])
    assert "8 systems" in json.dumps(spec)


def test_it_comes_in_the_sizes_of_figures_and_to_nobody_else():
    study = make_study()
    ann = in_study(study, Role.RESEARCHER)
    assert ann.get(f"{ADDRESS}?size=one").status_code == 200
    assert ann.get(f"{ADDRESS}?size=huge").status_code == 404
    assert ann.get(f"{ADDRESS}?instances_per_system=0").status_code == 400
    assert in_study(study, Role.EXPERT).get(ADDRESS).status_code == 404
