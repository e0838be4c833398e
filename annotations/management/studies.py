"""What the commands about studies share."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from annotations.ground.errors import HLVError
from annotations.management.people import actor_of, person_of
from annotations.management.quick import QuickCommand
from annotations.models import Study, User


class StudyCommand(QuickCommand):
    """A command about one study. Typed errors become one plain sentence instead of a traceback."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument(
            "--by", metavar="EMAIL", help="e-mail address of the person who does this, for the event log"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.act(**options)
        except HLVError as error:
            raise CommandError(error.message) from error

    def act(self, **options: Any) -> None:
        raise NotImplementedError

    def actor(self, by: str | None) -> User | None:
        return actor_of(by)

    def person(self, email: str) -> User:
        return person_of(email)

    def existing(self, slug: str) -> Study:
        study = Study.objects.filter(slug=slug).select_related("dataset").defer("dataset__gold").first()
        if study is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no study {slug!r}. There are: {known}.")
        return study
