"""Power through the analysis: for a plan, for a study with responses, and in the figures of both."""

import json
from dataclasses import replace

import numpy as np
import pytest

from annotations.models import Assignment
from metaeval import figures
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import AnalysisError, InvalidParameters, analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import NoInputs
from metaeval.analyses.inputs.answers import PILOT
from metaeval.analyses.inputs.gathering import Subject, gather_study
from metaeval.analyses.power.analysis import PlannedGrid
from metaeval.jobs.runs import compute
from tests.metaeval.planted import planted_study

FEW = {"simulations": 100, "permutations": 99}
POWER = analyses.get("power")


def of_arrays(inputs, *, seed=1, **parameters):
    entry = analyses.get("power")
    return result_of(inputs=inputs, entry=entry, parameters=entry.validated(FEW | parameters), seed=seed, work=Work())


def of_study(study, **parameters):
    """The cell that the study plans."""
    return compute(
        subject=Subject.of_study(study),
        analysis="power",
        parameters=FEW | {"simulations": 50, "instances": [28], "experts_per_comparison": [4]} | parameters,
        seed=1,
        progress=lambda *_: None,
    )


def cells(result, key="power"):
    return {(cell["instances"], cell["experts_per_comparison"]): cell[key] for cell in result["cells"]}


class TestBeforeAStudy:
    def test_power_grows_with_instances_and_experts(self):
        result = of_arrays(NoInputs(), models=1, instances=[4, 40], experts_per_comparison=[1, 8], correlation=0.6)
        power = cells(result)
        assert power[4, 1] < power[40, 1] <= power[40, 8] + 0.05
        assert power[4, 1] < power[4, 8]
        smallest = cells(result, "smallest")
        assert smallest[40, 8] < smallest[4, 8]
        assert result["is_simulated"] is True
        assert result["observed"] is None
        assert [row["source"] for row in result["assumptions"]] == ["assumed"] * 4

    def test_without_anything_the_grid_is_round_the_published_study(self):
        grid = PlannedGrid(None, POWER.validated({}))
        assert (grid.systems, grid.experts) == (25, 28)
        assert {cell.instances for cell in grid.cells} == {7, 14, 28, 56}
        assert {cell.per_comparison for cell in grid.cells} == {1, 2, 4, 8}

    def test_more_experts_than_there_are_is_an_undefined_cell_with_a_reason(self):
        result = of_arrays(NoInputs(), instances=[8], experts_per_comparison=[2, 8], experts=4, simulations=50)
        assert cells(result, "reason")[8, 8] == "there are only 4 experts"
        assert cells(result)[8, 8] is None
        row = result["tables"][0]["rows"][1]
        assert (row["power"], row["notes"]) == (None, "there are only 4 experts")
        for name in POWER.figure_names(result):
            figures.image(POWER.draw(name, result), "svg")

    def test_the_correlation_of_the_grid_is_a_point_of_every_curve(self):
        result = of_arrays(NoInputs(), correlation=0.33, instances=[20], experts_per_comparison=[4], simulations=50)
        (cell,) = result["cells"]
        point = next(point for point in cell["curve"] if point["correlation"] == 0.33)
        assert point["power"] == cell["power"]

    def test_a_cell_does_not_depend_on_the_seed_of_another_but_the_seed_decides(self):
        few = {"instances": [8], "experts_per_comparison": [2], "systems": 8, "simulations": 50}
        one, two = of_arrays(NoInputs(), **few), of_arrays(NoInputs(), **(few | {"experts_per_comparison": [2, 3]}))
        assert json.dumps(one["cells"][0]) == json.dumps(two["cells"][0])
        assert one["cells"] != of_arrays(NoInputs(), seed=2, **few)["cells"]

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"instances": [0]}, "expected numbers from 1 to 10,000"),
            ({"alpha": 0.001}, "With 99 permutations, no p-value can be below 0.02"),
            ({"correlation": -0.5}, "greater than or equal to 0"),
            ({"systems": 2}, "greater than or equal to 3"),
        ],
    )
    def test_what_cannot_be_is_refused(self, parameters, message):
        with pytest.raises(InvalidParameters, match=message):
            of_arrays(NoInputs(), **parameters)


@pytest.fixture(scope="module")
def planted():
    return planted_study(3, 0.7)


@pytest.fixture(scope="module")
def after(planted):
    return of_arrays(planted, instances=[14, 28], experts_per_comparison=[4])


class TestAfterAStudy:
    def test_the_responses_say_how_far_systems_instances_and_experts_differ(self, after):
        found = {row["name"]: row["value"] for row in after["assumptions"]}
        assert {row["source"] for row in after["assumptions"]} == {"estimated from the responses"}
        assert found["spread"] == pytest.approx(0.8, abs=0.3)  # of 25 systems: their own spread varies
        assert found["instance_spread"] == pytest.approx(0.5, abs=0.2)
        assert found["expert_spread"] == pytest.approx(0.3, abs=0.2)

    def test_what_the_responses_could_have_shown_is_what_their_plan_could(self, after):
        observed = after["observed"]
        (planned,) = [cell for cell in after["cells"] if cell["is_planned"]]
        assert (planned["instances"], planned["experts_per_comparison"]) == (28, 4)
        assert (observed["systems"], observed["responses"], observed["experts"]) == (25, 2800, 28)
        assert abs(observed["power"] - planned["power"]) < 0.15
        assert observed["smallest"] == pytest.approx(planned["smallest"], abs=0.1)
        assert 0.8 < observed["reliability"] < 1
        assert [table["name"] for table in after["tables"]] == ["grid", "observed", "assumptions"]

    def test_a_part_of_the_responses_could_have_shown_less(self, planted, after):
        part = np.zeros(len(planted.answers), dtype=bool)
        part[::12] = True
        less = of_arrays(replace(planted, answers=planted.answers.of(part)), instances=[28], experts_per_comparison=[4])
        assert less["observed"]["responses"] == part.sum()
        assert less["observed"]["smallest"] > after["observed"]["smallest"]

    def test_what_is_given_goes_before_what_is_estimated(self, planted):
        result = of_arrays(planted, system_spread=0.1, fraction=0.5, instances=[28], experts_per_comparison=[4])
        found = {row["name"]: (row["value"], row["source"]) for row in result["assumptions"]}
        assert found["spread"] == (0.1, "given")
        assert found["base"] == (0.0, "given")
        assert found["expert_spread"][1] == "estimated from the responses"

    def test_systems_that_do_not_differ_are_told(self, planted):
        """Everyone prefers the system on half of its instances: all fractions are one half."""
        answers = planted.answers
        preferred = answers.comparison % 2 == 0
        a_chosen = np.where(answers.first_is_a, ~preferred, preferred)
        same = replace(answers, a_chosen=a_chosen, b_chosen=~a_chosen)
        result = of_arrays(replace(planted, answers=same), instances=[28], experts_per_comparison=[4])
        spread = next(row["value"] for row in result["assumptions"] if row["name"] == "spread")
        assert (spread, result["observed"]["reliability"]) == (0, 0)
        assert any("no metric could be detected" in note for note in result["notes"])
        assert result["observed"]["power"] < 0.2
        assert result["observed"]["reason"].startswith("even a correlation of 1 is found in only ")

    def test_the_curve_shows_the_responses_and_the_map_marks_the_plan(self, after):
        words = json.dumps(POWER.draw("power_curve", after).to_dict(), ensure_ascii=False)
        assert "the responses so far, 2,800 of 28 experts" in words.replace('", "', " ")
        spec = POWER.draw("power_map", after).to_dict()
        texts = [row["text"] for rows in spec["datasets"].values() for row in rows if "text" in row]
        assert sum(text.endswith("*") for text in texts) == 1
        assert POWER.figure_names(after) == ["power_map", "power_map-smallest", "power_curve"]


@pytest.mark.django_db
class TestAStoredStudy:
    def test_the_plan_of_the_study_is_in_the_grid(self, answered):
        result = of_study(answered.study)
        assert (result["systems"], result["experts"]) == (9, 4)
        assert cells(result, "is_planned")[28, 4] is True
        assert result["observed"]["responses"] == len(gather_study(answered.study).answers)

    def test_without_responses_that_count_it_plans_with_what_is_usual_and_says_so(self, answered):
        Assignment.objects.update(is_pilot=True)
        result = of_study(answered.study)
        assert result["observed"] is None
        assert result["notes"][0].startswith("There are not enough responses yet")
        assert result["exclusions"] == [{"what": "responses", "count": 96, "reason": PILOT}]
        with_pilot = of_study(answered.study, include_pilot=True)
        assert with_pilot["observed"]["responses"] == 96

    def test_a_study_that_compares_nothing_yet_says_what_to_do(self, answered):
        inputs = gather_study(answered.study)
        bare = replace(inputs, data=replace(inputs.data, systems=(), origins=(), Q={}))
        nothing = replace(bare, answers=inputs.answers.of(np.zeros(len(inputs.answers), dtype=bool)))
        with pytest.raises(AnalysisError, match=r"\b0 system\(s\) "):
            of_arrays(nothing)
        few = {"systems": 8, "instances": [7], "experts_per_comparison": [4], "simulations": 50}
        assert of_arrays(nothing, **few)["systems"] == 8

    def test_another_plan_is_another_question(self, answered):
        """The stored answer of the old plan must not be given for it."""
        before = gather_study(answered.study).fingerprint
        answered.study.instances_per_system = 7
        assert gather_study(answered.study).fingerprint != before
