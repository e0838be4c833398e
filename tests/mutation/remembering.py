"""What an earlier run found that still holds, so that a new test costs its own time and not the whole run's.

What a test does depends on the code, on its own file, and on the other files of tests that this one names. While none
of them has changed, a test reaches the same lines, and a mutant that it killed is killed by it again.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .targets import ROOT, Target

PACKAGES = ("annotations", "hlvstudy", "metaeval", "tests")
Found = dict[str, Any]


def digest(paths: Iterable[Path]) -> str:
    """One value for the names and texts of files."""
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(str(path).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def code() -> str:
    """The state of all Python files but the tests' own and those of this tool."""
    here = Path(__file__).parent
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return digest(path for path in paths if here not in path.parents and not is_test(path))


def is_test(path: Path) -> bool:
    return path.name.startswith("test_")


def test_files(target: Target) -> dict[str, str]:
    """The files of tests that a target asks, each with the state of its text (doctests are part of the code)."""
    left_out = [ROOT / one.removeprefix("--ignore=") for one in target.tests if one.startswith("--ignore=")]
    named = [ROOT / one for one in target.tests if not one.startswith("--")]
    paths = {path for one in named for path in ([one] if one.is_file() else one.rglob("test_*.py"))}
    kept = (path for path in paths if is_test(path) and not any(one in (path, *path.parents) for one in left_out))
    by_name = {path.stem: path for path in (ROOT / "tests").rglob("test_*.py")}
    return {str(path.relative_to(ROOT)): digest(with_named(path, by_name)) for path in sorted(kept)}


def with_named(path: Path, by_name: Mapping[str, Path]) -> set[Path]:
    """A file of tests, those whose names stand in it, those whose names stand in these, and so on."""
    found, todo = set(), [path]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += [by_name[name] for name in re.findall(r"\btest_\w+", one.read_text()) if name in by_name]
    return found


def file_of(test: str) -> str:
    return test.split("::", maxsplit=1)[0]


def read(file: Path) -> Found:
    """What was kept, or nothing."""
    found: Found = json.loads(file.read_text()) if file.is_file() else {}
    return found


def unchanged(kept: Found, target: Target) -> set[str] | None:
    """The files of tests that are as they were when this was kept; None if the code is not."""
    if kept.get("code") != code():
        return None
    now: dict[str, str] = test_files(target)
    return {file for file, state in now.items() if kept["tests"].get(file) == state}


def still_killed(kept: Found, target: Target, results: Sequence[Found]) -> dict[int, Found]:
    """The mutants, by number, that an earlier run killed with what is still as it was."""
    same = unchanged(kept, target)
    if same is None:
        return {}
    known = {(one["file"], one["diff"]): one for one in kept["mutants"] if one["outcome"] == "killed"}
    found = ((one["id"], known.get((one["file"], one["diff"]))) for one in results)
    return {place: one for place, one in found if one is not None and holds(one, same)}


def holds(killed: Found, same: set[str]) -> bool:
    """Whether what killed a mutant is there unchanged: a test, or a doctest, which is part of the code."""
    return "by" in killed and is_same(killed["by"], same)


def is_same(test: str, same: set[str]) -> bool:
    file = file_of(test)
    return file in same or not is_test(Path(file))
