"""Invite people into a study."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.management.console import StudyCommand, actor_of
from annotations.models import Role
from annotations.people.invitations import inviting
from annotations.people.invitations.links import letter
from annotations.people.membership.addresses import BadAddresses, read_addresses


class Command(StudyCommand):
    help = "Create a link for each address, and print a message to send with it. The links are not shown again."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email", nargs="*")
        parser.add_argument("--from", dest="file", metavar="FILE", help="a file with addresses, one per line")
        parser.add_argument("--role", choices=Role.values, default=Role.EXPERT)
        parser.add_argument("--days", type=_days, help="how many days the links are valid (default: INVITATION_DAYS)")

    def act(self, **options: Any) -> None:
        pasted = "\n".join(options["email"])
        if options["file"]:
            try:
                pasted += "\n" + Path(options["file"]).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f"{options['file']} cannot be read: {error}") from error
        study = self.existing(options["study"])
        try:
            issued = inviting.invite(
                study=study,
                addresses=read_addresses(pasted),
                role=Role(options["role"]),
                days=options["days"],
                actor=actor_of(options["by"]),
            )
        except BadAddresses as error:
            lines = "".join(f"\n  {issue['value']} {issue['reason']}" for issue in error.data["lines"])
            raise CommandError(error.message + lines) from error
        for issue in issued:
            subject, text = letter(issue.invitation, issue.token)
            self.stdout.write(f"To: {issue.invitation.email}\nSubject: {subject}\n\n{text}\n\n")


def _days(given: str) -> int:
    if not given.isdecimal() or not 1 <= int(given) <= inviting.MAX_DAYS:
        raise argparse.ArgumentTypeError(f"a number of days from 1 to {inviting.MAX_DAYS}")
    return int(given)
