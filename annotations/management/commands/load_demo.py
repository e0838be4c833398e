"""`manage.py load_demo [--real FOLDER [--look]] [--print-logins]`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from annotations.ground.errors import HLVError
from annotations.management.console import QuickCommand, progress_bar
from annotations.simulating.demo.loading import Demo, load_demo, load_real_demo
from annotations.simulating.demo.people import loaded_people, logins
from annotations.simulating.demo.real_files import FoundData, look_through


class Command(QuickCommand):
    help = "Load the demo study, with invented texts or your own files, simulated answers, and one login per role."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--real",
            type=Path,
            metavar="FOLDER",
            help="of the datasets and predictions in this folder, not invented ones",
        )
        parser.add_argument("--look", action="store_true", help="only say what is in that folder; needs no database")
        parser.add_argument("--print-logins", action="store_true", help="print the logins and nothing else")
        parser.add_argument(
            "--password", help="give all demo users this password instead of random ones (only for tests)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        real: Path | None = options["real"]
        if options["look"]:
            if real is None:
                raise CommandError("--look needs --real FOLDER.")
            self.stdout.write(_told(self.look(real)))
            return
        people = loaded_people() if options["print_logins"] else {}
        if not people:
            people = self.load(real, quiet=options["print_logins"]).people
        self.stdout.write("Sign in as:")
        file = Path(settings.STATE_DIR) / "demo-logins.json"
        for login in logins(people, file=file, password=options["password"]):
            self.stdout.write(f"  {login.role:<11} {login.email:<25} {login.password}")

    def look(self, folder: Path) -> FoundData:
        try:
            return look_through(folder)
        except HLVError as error:
            unread = "".join(f"\n  Left out: {why}" for why in error.data.get("unread", []))
            raise CommandError(f"{error.message}{unread}") from error

    def load(self, real: Path | None, *, quiet: bool) -> Demo:
        data = self.look(real) if real else None
        try:
            with progress_bar(hidden=quiet) as progress:
                demo = load_real_demo(data, progress=progress) if data else load_demo(progress=progress)
        except HLVError as error:
            raise CommandError(f"The demo cannot be loaded: {error.message}") from error
        if not quiet:
            self.stdout.write(_summary(demo))
        return demo


def _told(found: FoundData) -> str:
    lines = [f"  {dataset}" for dataset in found.datasets] + [f"  Left out: {why}" for why in found.unread]
    return "\n".join([*lines, f"  The study is about {found.chosen.title}."])


def _summary(demo: Demo) -> str:
    study = demo.study
    places = study.assignments.taken().count()
    done = study.assignments.completed().count()
    simulated = study.memberships.filter(is_simulated=True).count()
    return (
        f"Study {study.slug!r} (simulated answers): {study.dataset.instances.count()} texts, "
        f"{study.dataset.systems.count()} systems, {study.comparisons.count()} comparisons, "
        f"{simulated} simulated experts, {done:,} of {places:,} places answered"
        f"{'' if demo.answers_added else ' (everything already existed)'}."
    )
