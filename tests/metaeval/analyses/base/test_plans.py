"""Combined plans give the same answers as each alone, whoever computes which block."""

import numpy as np

from metaeval.analyses.base.plans import Together
from metaeval.analyses.base.work import Work
from metaeval.sampling import ResamplingPlan


def plans():
    def draw(stream, size):
        return np.random.default_rng(stream).normal(size=(size, 2))

    return {name: ResamplingPlan(draw, n_resamples=count, seed=count) for name, count in (("a", 600), ("b", 10))}


def test_the_answers_are_those_of_each_plan_alone():
    together = Work().run({"both": Together(plans())})["both"]
    assert list(together) == ["a", "b"]
    for name, plan in plans().items():
        assert together[name].tolist() == plan.run().tolist()


def test_blocks_take_turns_and_can_be_done_in_any_order():
    together = Together(plans())
    assert together.blocks == [(0, 0), (0, 1), (1, 0), (2, 0)]
    values = {number: Together(plans()).block(number) for number in (3, 1, 0, 2)}
    merged = together.merged([values[number] for number in range(4)])
    assert merged["a"].tolist() == plans()["a"].run().tolist()
