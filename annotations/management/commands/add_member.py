"""Add people to a study."""

import argparse
import sys
from typing import Any

from annotations.management.console import StudyCommand, actor_of
from annotations.models import Role
from annotations.people.membership.members import add_by_email


class Command(StudyCommand):
    help = "Give people a role in a study. Anyone without an account gets one."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email", nargs="+")
        parser.add_argument("--role", choices=Role.values, default=Role.EXPERT)
        parser.add_argument("--name", default="", help="for a new account")
        parser.add_argument(
            "--password-from-stdin",
            action="store_true",
            help="password for new accounts; without it, nobody can sign in to them yet",
        )

    def act(self, **options: Any) -> None:
        study = self.existing(options["study"])
        password = sys.stdin.readline().rstrip("\n") if options["password_from_stdin"] else None
        for email in options["email"]:
            member = add_by_email(
                study=study,
                email=email,
                role=Role(options["role"]),
                name=options["name"],
                password=password,
                actor=actor_of(options["by"]),
            )
            self.stdout.write(f"{email} is {member.role} {member.number} of {study.slug}.")
