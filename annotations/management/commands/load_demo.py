"""`manage.py load_demo [--print-logins]`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotations.demo.loading import Demo, load_demo
from annotations.demo.logins import logins
from annotations.errors import HLVError
from annotations.management.progress import progress_bar


class Command(BaseCommand):
    help = "Load the demo study: invented texts, simulated systems and experts, and one login per role."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--print-logins", action="store_true", help="print the logins and nothing else")
        parser.add_argument(
            "--password", help="give all demo users this password instead of random ones (only for tests)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        quiet = options["print_logins"]
        try:
            with progress_bar(hidden=quiet) as progress:
                demo = load_demo(progress=progress)
        except HLVError as error:
            raise CommandError(f"The demo cannot be loaded: {error.message}") from error
        found = logins(demo.people, file=Path(settings.STATE_DIR) / "demo-logins.json", password=options["password"])
        if not quiet:
            self.stdout.write(_summary(demo))
        self.stdout.write("Log in as:")
        for login in found:
            self.stdout.write(f"  {login.role:<11} {login.email:<25} {login.password}")


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
