"""Say what a person may do on this server."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from annotations.ground.errors import HLVError
from annotations.management.quick import QuickCommand
from annotations.models import User
from annotations.people.access.roles import Roles, change_roles

OPTIONS = {"may_import": "import datasets", "may_create": "create studies", "admin": "administer the server"}


class Command(QuickCommand):
    help = "Grant or revoke a person's roles on this server. Roles that are not specified stay unchanged."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("email")
        for name, what in OPTIONS.items():
            flag = "--" + name.replace("_", "-")
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, help=f"may {what}")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.at(options["email"])
        if user is None:
            raise CommandError(f"Nobody has the address {options['email']}.")
        roles = Roles(
            can_import=options["may_import"], can_create_studies=options["may_create"], is_admin=options["admin"]
        )
        try:
            user = change_roles(user=user, roles=roles)
        except HLVError as error:
            raise CommandError(error.message) from error
        may = [
            what
            for what, does in zip(
                OPTIONS.values(), (user.can_import, user.can_create_studies, user.is_superuser), strict=True
            )
            if does
        ]
        self.stdout.write(
            f"{user.email} may {', '.join(may)}." if may else f"{user.email} has no roles on this server."
        )
