"""What every command of ours shares."""

from django.core.management.base import BaseCommand


class QuickCommand(BaseCommand):
    """A command that starts without Django's checks of the whole project.

    They import every view and the numerics behind it, which takes three times as long as most commands do. They say
    nothing about a command's work: an unsafe setting is refused before them, and `manage.py check` and the tests run
    them all.
    """

    requires_system_checks = ()
