"""What the page on validity says about permutation tests, simulated on a small scale in every run and fully in slow
tests."""

import numpy as np
import pytest

from annotations.ground.units import EXCHANGEABLE, default_exchangeable
from metaeval.validity.planted import PlantedDesign
from metaeval.validity.sections import Effort
from metaeval.validity.unit_of_analysis import DESIGNS, rejections

FEW = 150
CHANCE = 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / FEW)
"""The most that a valid test rejects in so few studies, except in one run in a few thousand."""

ALIKE = [design for design in DESIGNS if design.likeness or design.shift or design.runs > 1]


def rejected(design, choice, simulations, at=0):
    found = rejections(design, Effort(simulations=simulations), [choice])
    return found[EXCHANGEABLE.index(choice), at] / simulations


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_default_keeps_its_promise_in_every_design(design):
    assert rejected(design, default_exchangeable(design.crossing), FEW) <= CHANCE


def test_free_permutation_does_not_where_systems_share_something():
    design = next(design for design in DESIGNS if design.name == "one model, 4 methods, 3 runs each")
    assert rejected(design, "systems", FEW) > 0.2
    design = next(design for design in DESIGNS if design.name == "2 x 13, both")
    assert rejected(design, "systems", FEW) > CHANCE


def test_what_is_there_is_found_within_models_however_these_are_shifted():
    plain, shifted = (PlantedDesign("", models=2, likeness=0.84, shift=shift) for shift in (0.0, 5.0))
    power = [rejected(design, "methods jointly", FEW, at=2) for design in (plain, shifted)]
    assert power[0] == power[1] > 0.9


def test_a_planted_study_has_the_correlations_that_were_asked_for():
    design = PlantedDesign("", models=2, methods=4, likeness=0.84, runs=2)
    rng = np.random.default_rng(1)
    drawn = [design.drawn(rng, (0.6,)) for _ in range(4000)]
    x, y = np.array([scores[0] for scores, _ in drawn]), np.array([target for _, target in drawn])
    r = np.corrcoef(np.concatenate([x, y], axis=1).T)
    n = len(design.cells)
    assert np.diag(r[:n, n:]) == pytest.approx(0.6, abs=0.05)
    assert r[n, n + 1] == pytest.approx(0.9, abs=0.03)  # two runs
    assert r[n, n + 8] == pytest.approx(0.84 * 0.9, abs=0.04)  # one method in two models
    assert r[n, n + 2] == pytest.approx(0.0, abs=0.06)  # two methods


@pytest.mark.long
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_default_rejects_as_often_as_promised_in_many_studies(design):
    simulations = 1500
    share = rejected(design, default_exchangeable(design.crossing), simulations)
    assert share <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / simulations)
