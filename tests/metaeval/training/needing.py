"""What tests of training need, and what becomes of them where it is absent."""

from importlib.util import find_spec

import pytest

from tests.conftest import missing

needs_training = pytest.mark.training


def torch_here() -> None:
    """Skip the test, the file or the folder that asks if torch is absent; in CI, fail it."""
    if find_spec("torch") is None:
        missing("torch (`make training` installs it)")
