"""Let somebody who lost their password choose a new one."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from annotations.management.console import StudyCommand, actor_of
from annotations.people.invitations import inviting
from annotations.people.invitations.links import letter
from annotations.storing.mail_addresses import normalised


class Command(StudyCommand):
    help = (
        "Create a link with which a member of the study can choose a new password. Using it ends their other sessions."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")

    def act(self, **options: Any) -> None:
        study = self.existing(options["study"])
        member = study.memberships.select_related("user").filter(user__address=normalised(options["email"])).first()
        if member is None:
            raise CommandError(f"{options['email']} is not a member of {study.slug}.")
        issued = inviting.renew_access(member=member, actor=actor_of(options["by"]))
        subject, text = letter(issued.invitation, issued.token)
        self.stdout.write(f"To: {issued.invitation.email}\nSubject: {subject}\n\n{text}\n")
