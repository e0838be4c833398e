"""What programs can no longer ask of the API: each address and field that went since the last release has to be named
in CHANGELOG.md, with an address that had it. `python -m tests.tooling.api_changes` complains of what is not.

It compares docs/reference/api.md with that of the last release (the newest tag `v*`) or, before there is one, with the
first that lists fields. Both come from git's history.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE, CHANGELOG = "docs/reference/api.md", "CHANGELOG.md"
COLUMNS = "| address | what | sends | answers |"
NAMED = re.compile(r"`([^`]+)`(?: \((\w+)\))?")


@dataclass(frozen=True)
class Lost:
    """Something that went: a field of a shape (or of what an address takes), or the whole address."""

    of: str
    name: str


@dataclass
class Api:
    """What the page lists: by address what it takes and answers; by shape its fields, with the shapes of these."""

    sends: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    answers: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    shapes: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def fields(self, named: list[tuple[str, str]], of: str) -> dict[str, Lost]:
        """Every field below what is named, by its path, and what it is a field of."""
        return dict(self._below(named, of, ()))

    def _below(self, named: list[tuple[str, str]], of: str, path: tuple[str, ...]) -> Iterator[tuple[str, Lost]]:
        for name, shape in named:
            here = path if name in self.shapes else (*path, name)
            if here is not path:
                yield ".".join(here), Lost(of, name)
            inner = name if name in self.shapes else shape
            if inner in self.shapes and len(here) < DEEPEST:
                yield from self._below(self.shapes[inner], inner, here)


DEEPEST = 6
"""Shapes may contain themselves."""


def read(page: str) -> Api:
    """The page about the API.

    >>> read(
    ...     COLUMNS + "\\n| `GET users/` | People. | `?page` | `User` |\\n\\n| shape | fields |\\n| `User` | `name` |"
    ... ).shapes
    {'User': [('name', '')]}
    """
    api, kind = Api(), ""
    for line in page.splitlines():
        cells = line.strip("| ").split(" | ") if line.startswith("| ") else [""]
        if cells[0] in {"address", "shape", "code"}:
            kind = cells[0]
        elif (first := NAMED.fullmatch(cells[0])) and kind == "address":
            # A row whose last cells are empty ends sooner.
            _, _, sends, answers = (
                cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")
            )
            api.sends[first[1]] = NAMED.findall(sends)
            api.answers[first[1]] = NAMED.findall(answers)
        elif first and kind == "shape":
            api.shapes[first[1]] = NAMED.findall(cells[-1])
    return api


def lost(before: Api, now: Api) -> dict[Lost, list[str]]:
    """What went, and which addresses had it."""
    found: dict[Lost, list[str]] = defaultdict(list)
    for address in before.answers:
        if address not in now.answers:
            found[Lost(address, address)].append(address)
            continue
        for was, has in ((before.sends, now.sends), (before.answers, now.answers)):
            kept = now.fields(has[address], address)
            for path, what in before.fields(was[address], address).items():
                if path not in kept:
                    found[what].append(address)
    return {what: list(dict.fromkeys(addresses)) for what, addresses in found.items()}


def unnamed(gone: dict[Lost, list[str]], said: str) -> list[str]:
    """A complaint for each loss that no entry names together with an address that had it."""
    entries = [set(re.findall(r"`([^`]+)`", entry)) for entry in re.split(r"\n\s*\n|\n(?=- )", said)]
    return [
        f"`{addresses[0]}`" + ("" if what.name == addresses[0] else f" and {len(addresses) - 1} more: `{what.name}`")
        for what, addresses in gone.items()
        if not any(what.name in names and names & set(addresses) for names in entries)
    ]


def main(root: Path = ROOT) -> int:
    try:
        base = _base(root)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"note: without git's history nobody can say what went from the API ({error})")
        return 1 if os.environ.get("CI") == "true" else 0
    if base is None:
        return 0
    gone = lost(read(_git(root, "show", f"{base}:{PAGE}")), read((root / PAGE).read_text(encoding="utf-8")))
    earlier = set(_git(root, "show", f"{base}:{CHANGELOG}").splitlines())
    added = ["" if line in earlier else line for line in (root / CHANGELOG).read_text(encoding="utf-8").splitlines()]
    complaints = unnamed(gone, "\n".join(added))
    for complaint in complaints:
        print(f"gone from the API since {base[:8]}, and not in {CHANGELOG}: {complaint}")
    if complaints:
        print(f"Please name each with its address, in backticks, in one entry below Unreleased in {CHANGELOG}.")
    return 1 if complaints else 0


def _base(root: Path) -> str | None:
    """The last release, or the first commit whose page lists fields; None if there is neither yet."""
    tags = _git(root, "tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname").split()
    first = _git(root, "log", "--format=%H", "--reverse", f"-S{COLUMNS}", "--", PAGE).split()
    return next(iter([*tags, *first]), None)


def _git(root: Path, *command: str) -> str:
    return subprocess.run(["git", *command], cwd=root, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
