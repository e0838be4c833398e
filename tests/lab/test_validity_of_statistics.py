"""What the page on validity says about tests and intervals, simulated on a small scale in every run and fully in slow
tests."""

import re

import numpy as np
import pytest

from annotations.ground.units import EXCHANGEABLE, default_exchangeable
from metaeval.stats import correlation_tests, jackknife_intervals, paired_correlation_test, within_correlation
from tests.lab.validity.__main__ import PAGE
from tests.lab.validity.planted import (
    PlantedDesign,
    crossed_studies,
    jackknife_errors,
    pearson_of_studies,
    without_each_method,
)
from tests.lab.validity.sections import Effort, read_sections
from tests.lab.validity.statistics import (
    APART,
    EXCHANGED_DESIGNS,
    INTERVAL_DESIGNS,
    TESTED_DESIGN,
    TRUTHS,
    intervals,
    jackknifed,
    overall_by_magnitude,
    rejections,
    tested_statistic,
    two_metrics,
    wilcoxon_clusters,
)

FEW = 150
CHANCE = 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / FEW)
"""The most that a valid test rejects in so few studies, except in one run in a few thousand."""

ALIKE = [design for design in EXCHANGED_DESIGNS if design.likeness or design.shift or design.runs > 1]

UNITS = [(f"model {model}", f"method {method}") for model in range(2) for method in range(13)]


def numbers(table):
    """The shares of a table, without its errors and its columns of names: (rows, columns)."""
    return np.array([[float(cell.split(" ± ")[0]) for cell in row if "±" in cell] for row in table.rows])


def studies(count):
    rng = np.random.default_rng(1)
    target, (first, second) = crossed_studies(rng, (count, 2, 13), r=(0.6, 0.3), likeness=0.5, shift=1.0)
    return first, second, target


def test_arrays_of_studies_say_what_the_library_says_of_each():
    first, second, target = studies(20)
    r = pearson_of_studies(first, target)
    beyond = jackknifed(first, second, target, fisher=True)
    errors = jackknife_errors(np.arctanh(without_each_method(first, target)))
    for at in range(20):
        rows = [values[at].ravel() for values in (first, second, target)]
        found = paired_correlation_test(*rows, units=UNITS, n_resamples=0)
        assert found.first == pytest.approx(r[at], abs=1e-12)
        assert (found.pvalue < 0.05) == beyond[at]
        assert r[at] == pytest.approx(within_correlation(rows[0], rows[2], np.repeat([0, 1], 13)).value, abs=1e-12)
    assert (errors > 0).all()


def test_studies_have_the_correlations_that_were_asked_for():
    first, second, target = studies(3000)
    assert pearson_of_studies(first, target).mean() == pytest.approx(0.6, abs=0.02)
    assert pearson_of_studies(second, target).mean() == pytest.approx(0.3, abs=0.02)
    across = [np.corrcoef(one - one.mean(), other - other.mean())[0, 1] for one, other in target]
    assert np.mean(across) == pytest.approx(0.5, abs=0.03)


def test_the_overall_coefficient_that_the_page_compares_with_misses_what_goes_against_the_models():
    rng = np.random.default_rng(2)
    scores, target = TESTED_DESIGN.drawn(rng, (-0.8, 0.0))
    better = APART * np.array([float(model) for model, _ in TESTED_DESIGN.cells])
    own, family = overall_by_magnitude(scores + better, target + better, rng)
    (within,) = correlation_tests(
        {"m": (scores + better)[0]}, target + better, coefficients=["pearson"], units=UNITS, two_sided="magnitude"
    )
    assert within.pvalue < 0.01
    assert 0.5 < own <= family <= 1


@pytest.mark.parametrize("simulations", [50, pytest.param(200, marks=pytest.mark.long)])
def test_each_table_says_in_small_what_it_says_in_full(simulations):
    effort = Effort(simulations=simulations)
    slack = 100 * 3.5 * np.sqrt(0.05 * 0.95 / simulations)
    held, judged = map(numbers, intervals.tables(effort))
    assert (held[:, :2] >= 95 - slack).all()
    assert (judged >= 95 - slack).all()
    alike, _ = map(numbers, two_metrics.tables(effort))
    assert (alike[:, :3] <= 5 + slack).all()
    (tested,) = map(numbers, tested_statistic.tables(effort))
    assert tested[0].max() <= 5 + slack
    assert tested[1, 0] > 50 > tested[1, 1]
    (split,) = map(numbers, wilcoxon_clusters.tables(effort))
    assert (split[0] <= 5 + slack).all()
    assert (split[2] > 20).all()


def shown(name):
    """The tables of a section as on the page."""
    text = read_sections(PAGE.read_text(encoding="utf-8"))[name]
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    return [
        np.array([[float(x) for x in re.findall(r"([\d.]+) ±", line)] for line in table.splitlines()[2:]])
        for table in tables
    ]


def test_the_page_shows_what_its_words_say():
    # The bounds are those of the simulation's error, three and a half standard errors of 2,000 studies.
    slack = 100 * 3.5 * np.sqrt(0.05 * 0.95 / 2000)
    held, judged = shown("intervals")
    assert (judged >= 95 - slack - 1.5).all()
    assert (held[:, :2] >= 95 - slack - 0.5).all()
    assert (held[:6, 3] < 92).all()
    alike, unlike = shown("two_metrics")
    assert (alike[:, 0] <= 5 + slack).all()
    assert (unlike[:, 0] <= 5 + slack).all()
    assert (alike[:, 3:] > 8).all()
    (tested,) = shown("tested_statistic")
    assert tested[1, 0] > 60
    assert tested[1, 1] < 1
    (split,) = shown("wilcoxon_clusters")
    assert (split[0] <= 5 + slack).all()
    assert (split[2] > 100 / 3).all()


@pytest.mark.long
@pytest.mark.parametrize("true", TRUTHS)
@pytest.mark.parametrize("design", INTERVAL_DESIGNS, ids=lambda design: design.name)
def test_the_default_interval_holds_the_truth_in_many_studies(design, true):
    rng, simulations, held = np.random.default_rng(3), 1500, 0
    for _ in range(simulations):
        (scores,), target = design.drawn(rng, (true,))
        (found,) = jackknife_intervals({"m": scores}, target, units=design.crossing, coefficients=["pearson"])
        held += found.low <= true <= found.high
    assert held / simulations == pytest.approx(0.95, abs=3.5 * np.sqrt(0.05 * 0.95 / simulations) + 0.005)


def rejected(design, choice, simulations, at=0):
    found = rejections(design, Effort(simulations=simulations), [choice])
    return found[EXCHANGEABLE.index(choice), at] / simulations


@pytest.mark.parametrize("design", EXCHANGED_DESIGNS, ids=lambda design: design.name)
def test_the_default_keeps_its_promise_in_every_design(design):
    assert rejected(design, default_exchangeable(design.crossing), FEW) <= CHANCE


def test_free_permutation_does_not_where_systems_share_something():
    design = next(design for design in EXCHANGED_DESIGNS if design.name == "one model, 4 methods, 3 runs each")
    assert rejected(design, "systems", FEW) > 0.2
    design = next(design for design in EXCHANGED_DESIGNS if design.name == "2 x 13, both")
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
@pytest.mark.parametrize("design", EXCHANGED_DESIGNS, ids=lambda design: design.name)
def test_the_default_rejects_as_often_as_promised_in_many_studies(design):
    simulations = 1500
    share = rejected(design, default_exchangeable(design.crossing), simulations)
    assert share <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / simulations)
