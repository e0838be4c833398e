"""Say what a person may do on this server."""

import argparse
from typing import Any

from annotations.management.console import QuickCommand, person_of
from annotations.people.access.roles import Roles, change_roles

OPTIONS = {"may_import": "import datasets", "may_create": "create studies", "admin": "administer the server"}


class Command(QuickCommand):
    help = "Grant or revoke a person's roles on this server. Roles that are not specified stay unchanged."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("email")
        for name, what in OPTIONS.items():
            flag = "--" + name.replace("_", "-")
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, help=f"may {what}")

    def act(self, **options: Any) -> None:
        roles = Roles(
            can_import=options["may_import"], can_create_studies=options["may_create"], is_admin=options["admin"]
        )
        user = change_roles(user=person_of(options["email"]), roles=roles)
        rights = (user.can_import, user.can_create_studies, user.is_superuser)
        may = [what for what, is_allowed in zip(OPTIONS.values(), rights, strict=True) if is_allowed]
        self.stdout.write(
            f"{user.email} may {', '.join(may)}." if may else f"{user.email} has no roles on this server."
        )
