"""Losses and gradients of every method are those of the published code, of torch, and of plain Python."""

import numpy as np
import pytest

from annotations.ground.arrays import Matrix
from tests.metaeval.training.golden import CASES, golden, judgements_of
from tests.metaeval.training.losses.batches import loss_of
from tests.metaeval.training.needing import needs_training

pytestmark = [needs_training, pytest.mark.shared_data]

SINGLE = {"JSD", "SmF1", "SMF1", "LA-min", "LA-max"}
"""What the published code's classes computed, in single precision."""
LOSSES = [(case, name) for case in CASES for name in golden()[case]["losses"]]


def logits_for(name: str, case: dict) -> Matrix:
    """(N, H, K)"""
    if name == "AE":
        return np.swapaxes(case["logits_heads"], 0, 1)
    heads = [case["logits"], case["logits_second_head"]] if name == "SLMV" else [case["logits"]]
    return np.stack(heads, axis=1)


@pytest.mark.parametrize(("which", "name"), LOSSES)
def test_loss_and_gradient_are_the_golden_ones(which: str, name: str) -> None:
    case = golden()[which]
    expected = case["losses"][name]
    loss, gradient = loss_of(name, judgements_of(case), logits_for(name, case))
    # The gradient of SLMV is that of its first head.
    of_golden = gradient if name == "AE" else gradient[:, :1]
    exact = {"rtol": 2e-6, "atol": 1e-7} if name in SINGLE else {"rtol": 1e-12, "atol": 1e-14}
    np.testing.assert_allclose(loss, expected["loss"], **exact)
    np.testing.assert_allclose(np.linalg.norm(of_golden), expected["gradient_norm"], **exact)
    np.testing.assert_allclose(of_golden[0, 0], expected["gradient_first_row"], **exact)


def test_every_method_but_those_with_the_loss_of_another_has_golden_values() -> None:
    assert {name for _, name in LOSSES} == {
        *("ReL", "MV", "AR", "ARh", "SL", "SLMV", "AE", "JSD", "SmF1", "SMF1", "LA-min", "LA-max")
    }
