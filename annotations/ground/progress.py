"""How long-running work reports its progress: one protocol for imports, simulations, analyses, documents, jobs and
commands."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with the work's progress; may raise to stop it. Jobs, commands and tests pass their own."""

    def __call__(self, done: int, total: int, message: str = "") -> None: ...


def silent(done: int, total: int, message: str = "") -> None:
    """A progress callback that does nothing."""
