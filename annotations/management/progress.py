"""A progress bar for commands, with the shape that use cases call: `progress(done, total, message)`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from annotations.progress import Progress


@contextmanager
def progress_bar(*, hidden: bool = False) -> Iterator[Progress]:
    """A bar on standard error while there is a terminal; nothing otherwise, and nothing left behind."""
    with tqdm(total=0, leave=False, disable=True if hidden else None) as bar:

        def progress(done: int, total: int, message: str = "") -> None:
            bar.total = total
            bar.n = done
            bar.set_description(message, refresh=False)
            bar.refresh()

        yield progress
