"""Power of the test that will be carried out: what it exchanges, how small p can be, and what that costs."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from metaeval import figures
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import NoInputs
from tests.metaeval.planted import planted_study

POWER = analyses.get("power")
OLD = [(0.28, None), (0.8, 0.7)]
"""Power and smallest correlation of the two cells of `STORED`, by version 1."""
SMALL = {"simulations": 200, "permutations": 999, "instances": [28], "experts_per_comparison": [4]}

FEW = {"simulations": 50, "permutations": 99}
"""For what does not depend on how many were simulated."""


def found(inputs=None, **parameters):
    asked = POWER.validated(SMALL | parameters)
    return result_of(inputs=inputs or NoInputs(), entry=POWER, parameters=asked, seed=1, work=Work())


def sources(result):
    return {row["name"]: (row["value"], row["source"]) for row in result["assumptions"]}


def crossed(study, models="AB"):
    """The same answers, for systems named after models and methods: 25 of 26, as published."""
    pairs = list(product(range(13), models))[: len(study.systems)]
    origins = tuple({"model": model, "method": f"m{method}", "run": ""} for method, model in pairs)
    return replace(study, data=replace(study.data, origins=origins))


class TestBeforeThereAreAnyData:
    @pytest.mark.parametrize(
        ("methods", "p", "said"), [(4, 2 / 24, ".083"), (5, 2 / 120, ".017"), (6, 2 / 720, ".0028")]
    )
    def test_the_smallest_p_is_stated(self, methods, p, said):
        result = found(models=2, methods=methods, exchangeable="methods jointly", simulations=50)
        unit = result["unit"]
        assert unit["smallest_p"] == pytest.approx(p)
        assert (unit["exchangeable"], unit["by_default"]) == ("methods jointly", False)
        assert (unit["models"], unit["methods"], result["systems"]) == (2, methods, 2 * methods)
        assert unit["words"].startswith("Whole methods change places, each in all of its models at once")
        (note,) = [note for note in result["notes"] if "smallest p" in note and note.startswith("How chance")]
        assert unit["words"] in note
        assert f"can give here is {said}." in note
        assert note in result["tables"][0]["notes"]

    def test_where_nothing_can_be_shown_a_warning_says_so_and_what_to_add(self):
        result = found(models=2, methods=4, exchangeable="methods jointly", **FEW, correlation=0.95)
        warning = "The smallest p that such a study can reach is .083: it cannot show anything at 5%. Add more methods."
        assert result["unit"]["warning"] == warning
        assert warning in result["notes"]
        assert warning in result["tables"][0]["notes"]
        assert result["cells"][0]["power"] == 0
        for name in POWER.figure_names(result):
            assert ".083" in json.dumps(POWER.draw(name, result).to_dict())
            figures.image(POWER.draw(name, result), "svg")

    def test_what_can_be_shown_has_no_warning(self):
        assert found(models=2, methods=6, **FEW)["unit"]["warning"] == ""

    def test_at_another_level_the_warning_is_about_that_level(self):
        unit = found(models=2, methods=5, exchangeable="methods jointly", simulations=50, alpha=0.01)["unit"]
        assert "cannot show anything at 1%" in unit["warning"]

    @pytest.mark.parametrize(
        ("parameters", "unit"),
        [
            ({}, "methods jointly"),
            ({"models": 2, "methods": 4}, "models and methods"),
            ({"models": 1, "systems": 8}, "systems"),
            ({"methods": 1, "systems": 8}, "systems"),
            ({"models": 2, "methods": 8, "exchangeable": "within model"}, "within model"),
        ],
    )
    def test_what_is_exchanged_follows_from_the_design_unless_it_is_asked_for(self, parameters, unit):
        result = found(**FEW, **parameters)
        assert (result["unit"]["exchangeable"], result["unit"]["by_default"]) == (
            unit,
            "exchangeable" not in parameters,
        )

    def test_without_anything_the_design_is_the_published_one(self):
        result = found(**FEW)
        assert (result["systems"], result["unit"]["models"], result["unit"]["methods"]) == (25, 2, 13)
        assert "method 13 is not in every model" in result["unit"]["words"]

    def test_systems_that_do_not_fill_models_and_methods_are_refused(self):
        with pytest.raises(AnalysisError, match=r"10 systems .*2 models .*7 methods"):
            found(systems=10, models=2, methods=7)


class TestWhatItCosts:
    def test_a_crossed_design_finds_less_than_free_permutations_claim(self):
        right = found(models=2, methods=13, correlation=0.5)
        free = found(models=2, methods=13, correlation=0.5, exchangeable="systems")
        nothing = found(models=26, methods=1, correlation=0.5, likeness=0, model_spread=0)
        power = [result["cells"][0]["power"] for result in (right, free, nothing)]
        assert power[0] < min(power[1:]) - 0.05
        # Part of what free permutations claim is chance: they also find a correlation of 0 too often.
        null = [result["cells"][0]["curve"][0]["power"] for result in (right, free)]
        assert null[0] <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 200)
        assert null[1] > 0.1

    def test_the_less_alike_methods_are_the_more_is_found(self):
        power = [found(models=2, methods=13, correlation=0.5, likeness=r)["cells"][0]["power"] for r in (1, 0)]
        assert power[0] < power[1]

    def test_what_is_assumed_of_models_and_methods_is_listed_where_they_are_shared(self):
        assert sources(found(**FEW))["likeness"] == (0.84, "assumed")
        assert sources(found(**FEW))["model_spread"] == (1.0, "assumed")
        assert sources(found(**FEW, likeness=0.5))["likeness"] == (0.5, "given")
        assert "likeness" not in sources(found(**FEW, models=1, systems=8))


class TestOfAStudy:
    def test_its_unit_follows_from_the_names_of_its_systems(self):
        study = planted_study(3, 0.7)
        plain, result = found(study, **FEW), found(crossed(study), **FEW)
        assert plain["unit"]["exchangeable"] == plain["observed"]["unit"]["exchangeable"] == "systems"
        assert result["unit"]["exchangeable"] == result["observed"]["unit"]["exchangeable"] == "methods jointly"
        assert (result["unit"]["models"], result["unit"]["methods"]) == (2, 13)
        assert result["observed"]["smallest"] > plain["observed"]["smallest"]

    def test_of_what_was_judged_only_the_judged_systems_count(self):
        study = crossed(planted_study(3, 0.7))
        systems = study.answers.first, study.answers.second
        judged = np.maximum(*systems) < 8
        assert judged.any()
        result = found(replace(study, answers=study.answers.of(judged)), **FEW)
        assert result["unit"]["methods"] == 13
        assert result["observed"]["unit"]["methods"] == 4
        assert result["observed"]["unit"]["warning"].startswith("The smallest p that such a study can reach is .083")

    def test_a_plan_for_other_systems_is_of_other_names(self):
        result = found(crossed(planted_study(3, 0.7)), **FEW, methods=5)
        assert (result["systems"], result["unit"]["models"], result["unit"]["methods"]) == (10, 2, 5)
        assert result["observed"]["systems"] == 25


class TestWhatWasStoredBefore:
    STORED = {"simulations": 50, "permutations": 99, "instances": [4, 28], "experts_per_comparison": [2]}

    def test_a_plan_without_the_parameters_means_systems_that_share_nothing(self):
        parameters = POWER.recalled(self.STORED)
        assert parameters.model_dump()["exchangeable"] == "systems"
        result = result_of(inputs=NoInputs(), entry=POWER, parameters=parameters, seed=1, work=Work())
        assert [row["name"] for row in result["assumptions"]] == ["base", "spread", "instance_spread", "expert_spread"]
        assert result["systems"] == 25
        # As version 1 gave it, to the last digit.
        assert [(cell["power"], cell["smallest"]) for cell in result["cells"]] == OLD

    def test_a_stored_result_without_the_unit_is_read(self):
        result = found(**FEW)
        del result["unit"]
        assert POWER.read(result).unit is None
