"""Make, list and revoke a person's API tokens."""

import argparse
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotations.management.console import QuickCommand, person_of
from annotations.models import ApiToken, TokenScope, User
from annotations.people.access import tokens


class Command(QuickCommand):
    help = "Create, list and revoke a person's API tokens. A new token is printed once, to standard output."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, parser_class=argparse.ArgumentParser)
        make = acts.add_parser("make", help="a new token")
        make.add_argument("email")
        make.add_argument("--name", required=True, help="what it is for")
        make.add_argument(
            "--days", type=int, default=tokens.DEFAULT_DAYS, help=f"how many days it is valid, 1 to {tokens.MAX_DAYS}"
        )
        make.add_argument(
            "--scope",
            choices=TokenScope.values,
            default=TokenScope.ALL,
            help="what it may write; it may read whatever the person may",
        )
        listed = acts.add_parser("list", help="the person's tokens, without their secrets")
        listed.add_argument("email")
        revoke = acts.add_parser("revoke", help="revoke a token")
        revoke.add_argument("email")
        revoke.add_argument("id", nargs="?", help="its number in the list")
        revoke.add_argument("--all", action="store_true", help="all of the person's tokens")

    def act(self, **options: Any) -> None:
        getattr(self, f"_{options['act']}")(person_of(options["email"]), options)

    def _make(self, user: User, options: dict[str, Any]) -> None:
        made = tokens.make(user=user, name=options["name"], days=options["days"], scope=options["scope"])
        # Messages go to standard error, so that a script can read the token alone.
        self.stderr.write(f"Valid until {made.row.expiry:%Y-%m-%d %H:%M} UTC. It is not shown again.")
        self.stdout.write(made.secret)

    def _list(self, user: User, _options: dict[str, Any]) -> None:
        for token in ApiToken.objects.visible_to(user):
            used = f"used {token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never used"
            self.stdout.write(f"{token.number}  {token.state():<8} until {token.expiry:%Y-%m-%d}  {used}  {token.name}")

    def _revoke(self, user: User, options: dict[str, Any]) -> None:
        if options["all"]:
            self.stdout.write(f"Revoked: {tokens.revoke_all(user=user)}")
            return
        try:
            token = ApiToken.objects.visible_to(user).filter(number=options["id"]).first()
        except ValidationError:
            token = None
        if token is None:
            raise CommandError("This person has no such token. `api_token list` shows them.")
        tokens.revoke(token=token)
        self.stdout.write(f"Revoked: {token.number}")
