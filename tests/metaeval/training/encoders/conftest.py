"""Every file in this folder imports torch."""

from tests.metaeval.training.needing import one_thread, pytest_collect_file

__all__ = ["one_thread", "pytest_collect_file"]
