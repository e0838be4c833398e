"""A progress bar for commands, in the form that use cases call: `progress(done, total, message)`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from annotations.ground.progress import Progress


@contextmanager
def progress_bar(*, hidden: bool = False) -> Iterator[Progress]:
    """A bar on standard error if it is a terminal, which disappears at the end; otherwise nothing."""
    with tqdm(total=0, leave=False, disable=True if hidden else None) as bar:

        def progress(done: int, total: int, message: str = "") -> None:
            bar.total = total
            bar.n = done
            bar.set_description(message, refresh=False)
            bar.refresh()

        yield progress
