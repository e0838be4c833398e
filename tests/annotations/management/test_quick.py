"""Commands start quickly."""

import pytest
from django.core.management import get_commands, load_command_class

from annotations.management.console import QuickCommand

OURS = sorted(name for name, app in get_commands().items() if app in {"annotations", "metaeval"})


@pytest.mark.parametrize("name", OURS)
def test_every_command_of_ours_starts_without_the_checks_of_the_whole_project(name):
    assert isinstance(load_command_class(get_commands()[name], name), QuickCommand)
