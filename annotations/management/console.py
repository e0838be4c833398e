"""What commands share: studies and people by name, a progress bar, an end that cleans up, and files that are whole."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from tqdm import tqdm

from annotations.background.kept_files import write
from annotations.ground.errors import HLVError
from annotations.ground.progress import Progress
from annotations.models import Dataset, Study, User

if TYPE_CHECKING:
    from annotations.exporting.formats import ExportFile


SHOWN = 20


class QuickCommand(BaseCommand):
    """A command whose typed errors become one plain sentence, and that starts without Django's checks of the project.

    They import every view and the numerics behind it, which takes three times as long as most commands do. They say
    nothing about a command's work: an unsafe setting is refused before them, and `manage.py check` and the tests run
    them all.
    """

    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.act(**options)
        except HLVError as error:
            raise CommandError(error.message) from error

    def act(self, **options: Any) -> None:
        raise NotImplementedError


class StudyCommand(QuickCommand):
    """A command about one study."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument(
            "--by", metavar="EMAIL", help="e-mail address of the person who does this, for the event log"
        )

    def existing(self, slug: str) -> Study:
        study = Study.objects.filter(slug=slug).select_related("dataset").defer("dataset__gold").first()
        if study is None:
            slugs = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no study {slug!r}. There are: {slugs}.")
        return study


def study_of(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).select_related("dataset").first()
    if study is None:
        raise CommandError(f"There is no study {slug!r}.")
    return study


def dataset_of(slug: str) -> Dataset:
    dataset: Dataset | None = Dataset.objects.filter(slug=slug).first()
    if dataset is None:
        known = ", ".join(Dataset.objects.values_list("slug", flat=True)[:SHOWN]) or "none yet"
        raise CommandError(f"There is no dataset {slug!r}. Datasets: {known}.")
    return dataset


def actor_of(by: str | None) -> User | None:
    """Who does this, if the command was told."""
    return person_of(by) if by else None


def person_of(email: str) -> User:
    """The user with that address."""
    user = User.objects.at(email)
    if user is None:
        raise CommandError(f"Nobody has the address {email}.")
    return user


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


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Signals that end a process (kill, a closed terminal) raise SystemExit inside it. Only in the main thread."""
    before = {number: signal.signal(number, _end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


def write_files(folder: Path, files: list[ExportFile], out: OutputWrapper) -> None:
    """Write every file completely or not at all, and print its size."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            out.write(f"{folder / file.name}  {write(folder / file.name, file.chunks()).size:,} bytes")
    except OSError as error:
        raise CommandError(f"{error.filename or folder} cannot be written: {error.strerror}.") from error
