"""How long work tells how far it is: one shape for imports, simulations, analyses, documents, jobs and commands."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told how far the work is; may raise to stop it. Jobs, commands and tests bring theirs."""

    def __call__(self, done: int, total: int, message: str = "") -> None: ...


def silent(done: int, total: int, message: str = "") -> None:
    """A progress that tells nobody."""
