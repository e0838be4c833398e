"""`manage.py load_demo [--print-logins]`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotations.errors import HLVError
from annotations.management.progress import progress_bar
from annotations.simulating.demo.loading import Demo, load_demo
from annotations.simulating.demo.logins import logins
from annotations.simulating.demo.people import loaded_people


class Command(BaseCommand):
    help = "Load the demo study: invented texts, simulated systems and experts, and one login per role."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--print-logins", action="store_true", help="print the logins and nothing else")
        parser.add_argument(
            "--password", help="give all demo users this password instead of random ones (only for tests)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        people = loaded_people() if options["print_logins"] else {}
        if not people:
            people = self.load(quiet=options["print_logins"]).people
        self.stdout.write("Log in as:")
        file = Path(settings.STATE_DIR) / "demo-logins.json"
        for login in logins(people, file=file, password=options["password"]):
            self.stdout.write(f"  {login.role:<11} {login.email:<25} {login.password}")

    def load(self, *, quiet: bool) -> Demo:
        try:
            with progress_bar(hidden=quiet) as progress:
                demo = load_demo(progress=progress)
        except HLVError as error:
            raise CommandError(f"The demo cannot be loaded: {error.message}") from error
        if not quiet:
            self.stdout.write(_summary(demo))
        return demo


def _summary(demo: Demo) -> str:
    study = demo.study
    places = study.assignments.taken().count()
    done = study.assignments.completed().count()
    simulated = study.memberships.filter(is_simulated=True).count()
    return (
        f"Study {study.slug!r} (simulated data): {study.dataset.instances.count()} texts, "
        f"{study.dataset.systems.count()} systems, {study.comparisons.count()} comparisons, "
        f"{simulated} simulated experts, {done:,} of {places:,} places answered"
        f"{'' if demo.answers_added else ' (all of it was there already)'}."
    )
