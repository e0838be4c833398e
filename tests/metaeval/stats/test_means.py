"""Bootstrap means over items: of the same items for every system, in blocks that can be distributed."""

import math

import numpy as np
import pytest

from metaeval.sampling import seed_sequence, stream
from metaeval.stats.means import means_plan


def test_all_systems_see_the_same_items_in_blocks_of_64_resamples():
    scores = np.random.default_rng(1).random((3, 20))
    plan = means_plan(scores, n_resamples=130, seed=5)
    assert plan.blocks == (64, 64, 2)
    first = np.random.default_rng(stream(seed_sequence(5), 0)).integers(0, 20, (64, 20))
    expected = [[row[items].mean() for row in scores] for items in first]
    assert plan.block(0) == pytest.approx(np.array(expected), abs=1e-12)
    assert (plan.run() == plan.merged([plan.block(number) for number in range(3)])).all()


def test_replicates_spread_as_a_mean_of_so_many_items_does():
    scores = np.random.default_rng(2).normal(size=(2, 50))
    drawn = means_plan(scores, n_resamples=3000, seed=1).run()
    assert drawn.mean(axis=0) == pytest.approx(scores.mean(axis=1), abs=0.01)
    assert drawn.std(axis=0) == pytest.approx(scores.std(axis=1) / math.sqrt(50), rel=0.05)


@pytest.mark.parametrize("scores", [[1.0, 2.0], [[], []], [[1.0, math.nan]], [[math.inf, 1.0]]])
def test_what_is_not_a_finite_score_for_every_system_and_item_is_refused(scores):
    with pytest.raises(ValueError, match="expected one finite score for every system and item"):
        means_plan(scores, n_resamples=10, seed=1)
