"""Shares and majorities of what people said, as published code computes them."""

import numpy as np
import pytest

from metaeval.training.judgements import UNKNOWN, HumanJudgements
from tests.metaeval.training.golden import CASES, golden, judgements_of

pytestmark = pytest.mark.shared_data


@pytest.mark.parametrize("name", CASES)
def test_shares_are_the_golden_ones(name: str) -> None:
    case = golden()[name]
    np.testing.assert_allclose(judgements_of(case).shares, case["P"], rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_a_tie_takes_the_first_label_and_no_label_of_several_needs_a_majority(name: str) -> None:
    case = golden()[name]
    found = judgements_of(case).majority
    if case["multilabel"]:
        assert found.tolist() == case["majority"]
    else:
        assert found.argmax(axis=1).tolist() == case["majority"]
        assert found.sum(axis=1).tolist() == [1.0] * len(found)


def test_unknown_people_who_said_the_same_share_one_row() -> None:
    given = HumanJudgements(
        task="multiclass",
        labels=("yes", "no"),
        size=1,
        instance=np.array([0, 0]),
        person=np.array([UNKNOWN, UNKNOWN]),
        chosen=np.eye(2),
        count=np.array([91, 9]),
    )
    assert given.counts.tolist() == [100]
    assert given.shares.tolist() == [[0.91, 0.09]]


def test_some_instances_are_numbered_in_the_order_in_which_they_are_named() -> None:
    whole = judgements_of(golden()["multiclass"])
    part = whole.of([3, 0])
    assert part.size == 2
    assert part.instance.tolist() == [0, 0, 1, 1, 1]
    assert part.person.tolist() == [1, 3, 0, 2, 4]
    np.testing.assert_array_equal(part.shares, whole.shares[[3, 0]])
    assert part.people == whole.people


def test_an_instance_cannot_be_named_twice() -> None:
    with pytest.raises(ValueError, match="named twice"):
        judgements_of(golden()["multiclass"]).of([1, 1])
