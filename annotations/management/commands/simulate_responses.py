"""`manage.py simulate_responses SLUG [--experts N]`"""

from argparse import ArgumentParser
from typing import Any

from annotations.management.console import QuickCommand, progress_bar, study_of
from annotations.simulating.responses import simulate_study


class Command(QuickCommand):
    help = (
        "Let simulated experts answer an open study. The study's seed determines the answers, and they are "
        "marked as simulated everywhere."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the study; it must be open, or in its pilot")
        parser.add_argument(
            "--experts",
            type=int,
            help="number of simulated experts in the study (default: as many as its free places need)",
        )
        parser.add_argument(
            "--beside-people",
            action="store_true",
            help="also simulate in a study with human experts; they keep their assignments",
        )

    def act(self, **options: Any) -> None:
        study = study_of(options["slug"])
        with progress_bar() as progress:
            done = simulate_study(
                study=study, experts=options["experts"], beside_people=options["beside_people"], progress=progress
            )
        self.stdout.write(
            f"{done.answers:,} answers by {done.experts} simulated experts; {done.free:,} places are still free."
        )
