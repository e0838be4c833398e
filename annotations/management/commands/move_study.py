"""Move a study to another state."""

import argparse
from typing import Any

from annotations.designing import lifecycle
from annotations.management.console import StudyCommand, actor_of
from annotations.models import StudyState


class Command(StudyCommand):
    help = "Change the state of a study: draft -> pilot -> open <-> paused -> closed."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("to", choices=[state for state in StudyState.values if state != StudyState.DRAFT])

    def act(self, **options: Any) -> None:
        study = lifecycle.change_state(
            study=self.existing(options["study"]), to=StudyState(options["to"]), actor=actor_of(options["by"])
        )
        self.stdout.write(f"The study {study.slug} is {study.state}.")
