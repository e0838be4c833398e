"""Every file in this folder imports torch."""

from tests.metaeval.training.needing import torch_here


def pytest_pycollect_makemodule() -> None:
    """Before a file is imported."""
    torch_here()
