"""The demo's passwords: drawn at random once, kept in a file that only its owner can read, and reused."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from annotations.models import Role, User


@dataclass(frozen=True, slots=True)
class Login:
    """What to type to sign in."""

    role: Role
    email: str
    password: str


def logins(people: dict[Role, User], *, file: Path, password: str | None = None) -> list[Login]:
    """A working login for each person.

    Args:
        file: where the passwords are kept between runs; readable only by its owner.
        password: give everybody this one (for tests); otherwise existing ones are reused and missing ones drawn.
    """
    kept = _read(file)
    found = []
    for role, user in people.items():
        wanted = password or kept.get(user.email) or secrets.token_urlsafe(9)
        if not (user.has_usable_password() and user.check_password(wanted)):
            user.set_password(wanted)
            user.save(update_fields=["password"])
        found.append(Login(role, user.email, wanted))
    if kept != {login.email: login.password for login in found}:
        _write(file, {login.email: login.password for login in found})
    return found


def _read(file: Path) -> dict[str, str]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(file: Path, passwords: dict[str, str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(file.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(passwords, out)
    unfinished.replace(file)
