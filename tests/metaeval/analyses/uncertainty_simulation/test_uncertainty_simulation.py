"""Agreement against the share of certain items: what the simulation must show, and subsets of data."""

import json

import pytest

from metaeval.analyses.base.registry import AnalysisError, analyses
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


def test_figure_2_in_the_design_of_the_paper():
    """Elangovan et al. (2025), A.11: people always disagree on uncertain items; so a random labeller looks better."""
    theirs = {"annotators": 2, "uncertain": "all differ", "ties": "first given", "accuracies": []}
    ordinal = {"items": 600, "label_count": 3, "scale": "ordinal"}
    for asked, last in (({"items": 200, "label_count": 2}, 0.4), (ordinal, 0.2)):
        found = points(of(Subject.nothing(), steps=10, repeats=20, **theirs, **asked), "Random labeller")
        better = [point["share"] for point in found if point["machine"] > point["people"] + 0.05]
        assert better == [step / 10 for step in range(round(10 * last) + 1)]
    found = points(of(Subject.nothing(), steps=1, repeats=100, items=200, label_count=2, **theirs), "Random labeller")
    assert found[0]["people"] == pytest.approx(-0.995, abs=1e-9)
    assert found[0]["machine"] == pytest.approx(-0.006, abs=0.025)
    today = points(of(Subject.nothing(), steps=1, repeats=100, accuracies=[]), "Random labeller")
    assert today[0]["people"] == pytest.approx(0.01, abs=0.02)
    assert today[0]["machine"] == pytest.approx(-0.03, abs=0.03)


def test_people_cannot_all_differ_with_fewer_labels_than_people():
    with pytest.raises(AnalysisError, match=r"\b3\b.*\b2\b"):
        of(Subject.nothing(), label_count=2, uncertain="all differ")


def test_a_panel_has_the_four_lines_of_figure_1_and_an_earlier_result_those_that_it_has():
    result = of(Subject.nothing(), items=60, accuracies=[0.5])
    entry = analyses.get("uncertainty_simulation")
    random, machine = lines(entry.draw("uncertainty_curves", result))
    assert [line.split("(")[-1] for line in machine] == ["HH)", "HʷMʷ)", "HʷH′)", "HʷRʷ)"]
    assert random == machine[:3]
    for curve in result["machines"]:
        for point in curve["points"]:
            del point["person"], point["person_sd"]
    assert lines(entry.draw("uncertainty_curves", result))[1] == [machine[0], machine[1], machine[3]]


def lines(chart):
    """The lines that are drawn in each panel, in the order of the legend."""
    drawing, found = chart.to_dict(), []
    for panel in drawing["vconcat"][0]["concat"]:
        (line,) = [layer for layer in panel["layer"] if layer["mark"]["type"] == "line"]
        drawn = {row["series"] for row in drawing["datasets"][line["data"]["name"]]}
        found.append([name for name in line["encoding"]["color"]["scale"]["domain"] if name in drawn])
    return found


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
