"""Every loss says what it takes, what it returns, its formula and its source, and has an example."""

import inspect

import pytest

from tests.metaeval.test_library_documentation import fields_in, lacking, sections_of

LOSSES = {
    "CrossEntropy", "EnsembleCrossEntropy", "JensenShannon", "LossAggregation", "SoftMacroF1", "SoftMicroF1"
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_a_loss_describes_itself_and_a_call(name: str) -> None:
    from metaeval.training import losses

    loss = getattr(losses, name)
    sections = sections_of(loss)
    assert lacking(name, loss) == []
    assert "Formula: " in sections["Notes"]
    assert "Source: " in sections["Notes"]
    assert ">>> " in sections["Examples"]
    call = sections_of(loss.forward)
    assert set(inspect.signature(loss.forward).parameters) - {"self"} == fields_in(call["Parameters"])
    assert call["Returns"]


def test_all_that_the_library_offers_is_a_loss_a_batch_or_an_error() -> None:
    from metaeval.training import losses

    assert {name for name in losses.__all__ if hasattr(getattr(losses, name), "forward")} == LOSSES
    assert set(losses.__all__) - LOSSES == {"Batch", "WrongBatch"}
