"""What tests of training need, and what becomes of them where it is absent."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

needs_training = pytest.mark.training


class Imported:
    """A module that is imported when a test first asks for something of it: while pytest collects, it costs nothing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith(("_", "pytest")):  # pytest asks every object what it is
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


def torch_here() -> None:
    """Skip the test, the file or the folder that asks if torch is absent; in CI, fail it."""
    if find_spec("torch") is None:
        from tests.conftest import missing  # with Django, which a process that only trains has not set up

        missing("torch (`make training` installs it)")


@pytest.hookimpl(tryfirst=True)
def pytest_collect_file() -> None:
    """For the conftest.py of a folder whose files import torch: asked before the first of them is imported."""
    torch_here()


@pytest.fixture(scope="package", autouse=True)
def one_thread() -> Iterator[None]:
    """Batches of five rows take a hundred times as long if threads that have no core of their own share them."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
