"""docs/reference/settings.md: the variables of the environment, from the comments in hlvstudy/settings.py, and the
settings of a study, as the API takes them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.db.models import Field

from annotations.api.designing.setting_up import SettingsSerializer
from annotations.designing.presets import PRESETS
from annotations.models import Study
from metaeval.reference.markdown import table, written_by

MARK = "#: "
"""Comments that begin with this describe the variables that the next statement reads."""
READ = re.compile(r"#: `([A-Z_]+)`(?: \(([^)]*(?:\([^)]*\)[^)]*)*)\))?: ")

HEAD = """
[What differs between machines](#the-settings-of-a-server), and [what each study decides](#the-settings-of-a-study).

## The settings of a server

Everything that differs between machines comes from the environment, or from lines `NAME=value` in a file `.env` beside
`manage.py`. [Deploying](../deploy.md) says which of them a server needs.
"""

OF_A_STUDY = """
## The settings of a study

The *Design* tab sets them step by step; the API takes them by these names (`PATCH studies/SLUG/`). The defaults are
those of the preset `safe`. [Running a study](../studies.md) explains what they do.
"""


def settings_page() -> str:
    """The page."""
    head = written_by("Settings", HEAD)
    server = table(["variable", "default", "meaning"], [(f"`{name}`", *more) for name, *more in described()])
    study = table(["setting", "default", "meaning"], [(f"`{name}`", *more) for name, *more in settings_of_a_study()])
    return f"{head}\n{server}\n{OF_A_STUDY}\n{study}\n"


def settings_of_a_study() -> list[tuple[str, str, str]]:
    """Name, default and meaning of each setting, as the API says it or, where it does not, the database."""
    safe, found = PRESETS["safe"].settings, []
    for name, asked in SettingsSerializer().fields.items():
        stored = cast("Field[Any, Any]", Study._meta.get_field(name))
        default = safe.get(name, stored.get_default())
        choices = "; ".join(f"`{value}`: {label}" for value, label in stored.choices or ())
        says = " ".join([str(asked.help_text or stored.help_text)] + [f"{choices}."] * bool(choices))
        found.append((name, "" if default in (None, "", []) else f"`{default}`", says))
    return found


def described() -> list[tuple[str, str, str]]:
    """Name, default and meaning of each variable, in the order of the file."""
    found: list[tuple[str, str, list[str]]] = []
    for line in source().splitlines():
        text = line.strip()
        begun = READ.match(text)
        if begun:
            found.append((begun[1], begun[2] or "none", [text[begun.end() :]]))
        elif text.startswith(MARK) and found:
            found[-1][2].append(text.removeprefix(MARK))
    return [(name, default, " ".join(words)) for name, default, words in found]


def variables_read() -> set[str]:
    """The names that settings.py reads from the environment."""
    calls = [node for node in ast.walk(ast.parse(source())) if isinstance(node, ast.Call)]
    asked = [call for call in calls if re.fullmatch(r"env(\.\w+)?", ast.unparse(call.func)) and call.args]
    names = {str(call.args[0].value) for call in asked if isinstance(call.args[0], ast.Constant)}
    return names | {"DATABASE_URL"}  # `env.db` reads it by itself


def source() -> str:
    return (Path(settings.BASE_DIR) / "hlvstudy" / "settings.py").read_text(encoding="utf-8")
