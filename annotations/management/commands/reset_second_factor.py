"""Turn off the second factor of somebody who lost their device."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from annotations.ground.errors import HLVError
from annotations.management.console import QuickCommand
from annotations.models import User
from annotations.people.sign_in import second_factor


class Command(QuickCommand):
    help = "Turn off the second factor of somebody who lost their device. Their sessions end."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.at(options["email"])
        if user is None:
            raise CommandError(f"There is no account for {options['email']}.")
        try:
            second_factor.turn_off(user=user)
        except HLVError as error:
            raise CommandError(f"{options['email']} has no second factor.") from error
        self.stdout.write("The second factor is off. Signing in takes the password only.")
