"""Every file in this folder imports torch."""

from collections.abc import Iterator

import pytest

from tests.metaeval.training.needing import torch_here


@pytest.hookimpl(tryfirst=True)
def pytest_collect_file() -> None:
    """Before the first of them is imported."""
    torch_here()


@pytest.fixture(scope="package", autouse=True)
def one_thread() -> Iterator[None]:
    """Batches of five rows take a hundred times as long if threads that have no core of their own share them."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
