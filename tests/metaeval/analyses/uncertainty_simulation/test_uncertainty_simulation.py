"""Agreement against the share of certain items: what the simulation must show, and subsets of data."""

import json

import pytest

from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute
from metaeval.stats.uncertainty import simulated_curve
from tests.metaeval.datasets import annotated_dataset, voted_dataset
from tests.metaeval.golden_runs import about, imported, stored_result

pytestmark = pytest.mark.django_db

MT_BENCH = ["mtbench/human.jsonl", "mtbench/gpt4_pair.jsonl"]


def of(subject, **parameters):
    return compute(
        subject=subject,
        analysis="uncertainty_simulation",
        parameters={"repeats": 5, "steps": 4, **parameters},
        seed=1,
        progress=lambda *_: None,
    )


def points(result, name):
    return next(machine["points"] for machine in result["machines"] if machine["name"] == name)


def test_with_certain_people_a_random_labeller_falls_behind_and_a_good_machine_does_not():
    result = of(Subject.nothing(), items=300, accuracies=[1.0], repeats=20)
    random, good = points(result, "Random labeller"), points(result, "Right on 100% of certain items")
    assert [point["share"] for point in random] == [0, 0.25, 0.5, 0.75, 1]
    for point in random:
        assert point["people"] == pytest.approx(point["share"], abs=0.03)
        assert point["machine"] == pytest.approx(0, abs=0.03)
    for point in good:
        assert point["machine"] == pytest.approx(point["people"], abs=0.06)
    assert random[-1]["people"] == good[-1]["machine"] == 1
    assert result["is_simulated"] is True


def test_shares_of_the_work_give_what_the_library_gives_at_once():
    result = of(Subject.nothing(), items=60, accuracies=[])
    again = of(Subject.nothing(), items=60, accuracies=[0.5])
    assert points(result, "Random labeller") == points(again, "Random labeller")
    alone = simulated_curve(items=60, shares=[0.5], n_resamples=5, seed=7)
    with_others = simulated_curve(items=60, shares=[0.0, 0.5], n_resamples=5, seed=7)
    assert alone[0] == with_others[1]


def test_of_data_a_share_without_enough_items_is_undefined_and_says_so():
    result = of(Subject.of_dataset(annotated_dataset(items=40)), subset=30, units="all")
    assert [machine["name"] for machine in result["machines"]] == ["Random labeller", "All systems"]
    first = points(result, "All systems")[0]
    assert first["people"] is None
    assert first["reason"].endswith("uncertain items, 0 and 30 wanted")
    row = result["tables"][0]["rows"][0]
    assert row["machine"] == "Random labeller"
    assert row["notes"].startswith("undefined: ")
    drawn = analyses.get("uncertainty_simulation").draw("uncertainty_curves", result)
    assert "not drawn" in json.dumps(drawn.to_dict())


def test_votes_have_the_same_subsets_for_every_machine():
    subject = Subject.of_dataset(voted_dataset(machines=2, items=30), kind=SubjectKind.VOTES)
    result = of(subject, subset=20, steps=2)
    first, second = points(result, "m0"), points(result, "m1")
    assert [point["people"] for point in first] == [point["people"] for point in second]
    assert [point["machine"] for point in first] != [point["machine"] for point in second]


@pytest.mark.shared_data
def test_mt_bench_gpt_4_agrees_with_people_better_than_people_until_most_items_are_certain(shared_data):
    """The effect of Figure 5, on real votes: subsets of 100 comparisons."""
    subject = about(imported(shared_data, MT_BENCH))
    parameters = {"least_annotations": 3, "repeats": 20, "steps": 4}
    result = stored_result(subject, "uncertainty_simulation", **parameters)
    found = points(result, "gpt4_pair")
    assert found[0]["machine"] > found[0]["people"] + 0.2
    assert found[-1]["machine"] < found[-1]["people"] - 0.2
    below = {machine["name"]: machine["below_from"] for machine in result["machines"]}
    assert below["gpt4_pair"] == 0.75
    assert below["Random labeller"] <= 0.25
