"""What the other sections of docs/reference/validity.md say, simulated on a small scale in every run and fully in slow
tests."""

import re

import numpy as np
import pytest

from metaeval.stats import correlation_tests, jackknife_intervals, paired_correlation_test, within_correlation
from metaeval.validity import tested_statistic as coefficient
from metaeval.validity.crossed_samples import (
    crossed_studies,
    jackknife_errors,
    pearson_of_studies,
    without_each_method,
)
from metaeval.validity.intervals import DESIGNS, TRUTHS, intervals
from metaeval.validity.page import read_sections
from metaeval.validity.sections import Effort
from metaeval.validity.two_metrics import jackknifed, two_metrics
from metaeval.validity.wilcoxon_clusters import wilcoxon_clusters

from .test_page import PAGE

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
    scores, target = coefficient.DESIGN.drawn(rng, (-0.8, 0.0))
    better = coefficient.APART * np.array([float(model) for model, _ in coefficient.DESIGN.cells])
    own, family = coefficient.overall_by_magnitude(scores + better, target + better, rng)
    (within,) = correlation_tests(
        {"m": (scores + better)[0]}, target + better, coefficients=["pearson"], units=UNITS, two_sided="magnitude"
    )
    assert within.pvalue < 0.01
    assert 0.5 < own <= family <= 1


@pytest.mark.parametrize("simulations", [50, pytest.param(200, marks=pytest.mark.long)])
def test_each_table_says_in_small_what_it_says_in_full(simulations):
    effort = Effort(simulations=simulations)
    slack = 100 * 3.5 * np.sqrt(0.05 * 0.95 / simulations)
    held, judged = map(numbers, intervals(effort))
    assert (held[:, :2] >= 95 - slack).all()
    assert (judged >= 95 - slack).all()
    alike, _ = map(numbers, two_metrics(effort))
    assert (alike[:, :3] <= 5 + slack).all()
    (tested,) = map(numbers, coefficient.tested_statistic(effort))
    assert tested[0].max() <= 5 + slack
    assert tested[1, 0] > 50 > tested[1, 1]
    (split,) = map(numbers, wilcoxon_clusters(effort))
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
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_default_interval_holds_the_truth_in_many_studies(design, true):
    rng, simulations, held = np.random.default_rng(3), 1500, 0
    for _ in range(simulations):
        (scores,), target = design.drawn(rng, (true,))
        (found,) = jackknife_intervals({"m": scores}, target, units=design.crossing, coefficients=["pearson"])
        held += found.low <= true <= found.high
    assert held / simulations == pytest.approx(0.95, abs=3.5 * np.sqrt(0.05 * 0.95 / simulations) + 0.005)
