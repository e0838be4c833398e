"""Planted effects are found as often as promised: 100 simulated studies through the analysis, some of them stored."""

import json
from dataclasses import replace

import numpy as np
import pytest

from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs.gathering import Subject, gather_study
from tests.metaeval.golden_runs import stored_result
from tests.metaeval.planted import METRIC, planted_study, stored_study

STUDIES = 100
PLANTED = 0.7
ASKED = {"metrics": [METRIC], "coefficients": ["pearson"]}
NO_INTERVALS = {"permutations": 400, "resamples": 0, "exchanges": 0}
WITH_INTERVALS = {"permutations": 400, "resamples": 500, "exchanges": 0}


def analysed(inputs, **parameters):
    entry = analyses.get("preference_correlation")
    chosen = entry.validated({**ASKED, **parameters})
    return result_of(inputs=inputs, entry=entry, parameters=chosen, seed=5, work=Work())


def found(seed, latent, **parameters):
    (row,) = analysed(planted_study(seed, latent), **parameters)["correlations"]
    return row


@pytest.fixture(scope="module")
def latent():
    """What must be planted behind the answers for 0.7 to be seen in their fractions, which also contain the experts'
    noise.

    The correlation of a study is on average proportional to the planted one; with different seeds from those of the
    tests.
    """
    perfect = [found(10_000 + seed, 1.0, **(NO_INTERVALS | {"permutations": 100}))["value"] for seed in range(30)]
    return PLANTED / float(np.mean(perfect))


@pytest.fixture(scope="module")
def planted(latent):
    return [found(seed, latent, **WITH_INTERVALS) for seed in range(STUDIES)]


def test_the_interval_of_95_percent_covers_what_was_planted(planted):
    held = sum(row["interval"]["low"] <= PLANTED <= row["interval"]["high"] for row in planted)
    assert 0.91 <= held / STUDIES <= 0.99
    assert np.mean([row["value"] for row in planted]) == pytest.approx(PLANTED, abs=0.03)


def test_what_was_planted_is_found(planted):
    assert np.mean([row["p_value"] < 0.05 for row in planted]) > 0.95


def test_where_nothing_was_planted_it_is_found_as_often_as_the_level_says():
    share = np.mean([found(seed, 0.0, **NO_INTERVALS)["p_value"] < 0.05 for seed in range(STUDIES)])
    assert 0.02 <= share <= 0.09


@pytest.mark.django_db
@pytest.mark.parametrize("seed", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_stored_study_and_its_run_give_the_numbers_of_the_arrays(seed, latent):
    inputs = planted_study(seed, latent)
    study = stored_study(inputs)
    read = gather_study(study)
    assert (read.systems, len(read.answers)) == (inputs.systems, len(inputs.answers))
    by_arrays = analysed(replace(inputs, showing=read.showing), **WITH_INTERVALS)
    by_run = stored_result(Subject.of_study(study), "preference_correlation", seed=5, **ASKED, **WITH_INTERVALS)
    assert by_run["is_simulated"] is True
    for key in ("correlations", "others", "systems", "lines", "tables"):
        assert json.dumps(by_run[key], sort_keys=True) == json.dumps(by_arrays[key], sort_keys=True), key
