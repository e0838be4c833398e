"""docs/reference/commands.md: every command of `manage.py`, from its own parser."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from django.core.management import get_commands, load_command_class

from metaeval.reference.markdown import anchor, table, written_by

APPS = ("annotations", "metaeval", "hlvstudy")
OF_EVERY_COMMAND = {
    "help", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks",
}  # fmt: skip
SHARED = "seed and output"
"""The group of options that every analysis has."""

HEAD = """
`$manage` stands for `hlvstudy manage` where the package is installed, and for `.venv/bin/python manage.py` in a
checkout. `$manage COMMAND --help` prints the same. The parameters of each analysis are in
[analyses](analyses.md): `$manage analyse STUDY ANALYSIS --help`.
"""


def commands_page() -> str:
    """The page."""
    parts = [written_by("Commands", HEAD)]
    for name, app in sorted(get_commands().items()):
        if app in APPS:
            command = load_command_class(app, name)
            parts.append(_section(name, str(command.help), command.create_parser("manage.py", name)))
    return "\n".join(parts)


def _section(name: str, says: str, parser: argparse.ArgumentParser) -> str:
    rows = [(_called(action), _says(action)) for action in _own(parser)]
    shown = "\n" + table(["argument", "meaning"], rows) + "\n" if rows else ""
    said = f"{anchor(name)}\n## `{name}`\n\n{' '.join(says.split())}\n{shown}"
    return "\n".join([said, *_ways(name, parser)])


def _own(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Its own arguments, and those that all of its subcommands share."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield action
            for group in next(iter(action.choices.values()))._action_groups:
                if group.title == SHARED:
                    yield from group._group_actions
        elif action.dest not in OF_EVERY_COMMAND and action.help != argparse.SUPPRESS:
            yield action


def _ways(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """The subcommands of a command (`api_token make`); those of `analyse` are with the analyses."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for way, own in action.choices.items():
                if all(group.title != SHARED for group in own._action_groups):
                    rows = [(_called(part), _says(part)) for part in _own(own)]
                    yield f"### `{name} {way}`\n\n{table(['argument', 'meaning'], rows)}\n"


def _called(action: argparse.Action) -> str:
    """How it is typed."""
    values = "" if action.nargs == 0 else _values(action)
    typed = [f"`{option} {values}`" if values else f"`{option}`" for option in action.option_strings]
    return ", ".join(typed) or f"`{values}`"


def _values(action: argparse.Action) -> str:
    if isinstance(action, argparse._SubParsersAction):
        return str(action.metavar or "|".join(action.choices))
    if action.choices is not None and action.metavar is None:
        name = "|".join(map(str, action.choices))
    else:
        name = str(action.metavar or action.dest.upper().replace("_", "-"))
    if action.nargs in ("+", "*"):
        return f"{name}..." if action.nargs == "+" else f"[{name}...]"
    return f"[{name}]" if action.nargs == "?" else name


def _says(action: argparse.Action) -> str:
    words = str(action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
    return words.replace(os.getcwd() + os.sep, "")
