"""docs/reference/settings.md: the variables of the environment, from the comments in hlvstudy/settings.py."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from django.conf import settings

from metaeval.reference.markdown import table, written_by

MARK = "#: "
"""Comments that begin so describe the variables that the next statement reads."""
READ = re.compile(r"#: `([A-Z_]+)`(?: \(([^)]*(?:\([^)]*\)[^)]*)*)\))?: ")

HEAD = """
Everything that differs between machines comes from the environment, or from lines `NAME=value` in a file `.env` beside
`manage.py`. [Deploying](../deploy.md) says which of them a server needs.
"""


def settings_page() -> str:
    """The page."""
    rows = [(f"`{name}`", default, says) for name, default, says in described()]
    return f"{written_by('Settings', HEAD)}\n{table(['variable', 'default', 'meaning'], rows)}\n"


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
    """The names that settings.py asks the environment for."""
    calls = [node for node in ast.walk(ast.parse(source())) if isinstance(node, ast.Call)]
    asked = [call for call in calls if re.fullmatch(r"env(\.\w+)?", ast.unparse(call.func)) and call.args]
    names = {str(call.args[0].value) for call in asked if isinstance(call.args[0], ast.Constant)}
    return names | {"DATABASE_URL"}  # `env.db` takes it by itself


def source() -> str:
    return (Path(settings.BASE_DIR) / "hlvstudy" / "settings.py").read_text(encoding="utf-8")
