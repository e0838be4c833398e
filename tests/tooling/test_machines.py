"""What is installed runs on Linux and on Macs, on x86 and on ARM: as far as the lock file and the scripts can tell."""

import json
import re
from typing import Any

import pytest

from tests.tooling.prepare import FRONTEND, ROOT

MACHINES = [("linux", "x64"), ("linux", "arm64"), ("darwin", "arm64")]
OF_ONE_MACHINE = re.compile(r"(linux|darwin)-(x64|arm64)")


def packages() -> dict[str, dict[str, Any]]:
    locked: dict[str, dict[str, Any]] = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
    return locked


def compiled() -> dict[str, list[dict[str, Any]]]:
    """The packages that bring a compiled program or library for each kind of machine, and what is locked of them."""
    locked = packages()
    kinds = {
        path: [locked[f"node_modules/{name}"] for name in asked["optionalDependencies"] if OF_ONE_MACHINE.search(name)]
        for path, asked in locked.items()
        if "optionalDependencies" in asked
    }
    return {path: found for path, found in kinds.items() if found}


@pytest.mark.parametrize("machine", MACHINES, ids="-".join)
def test_the_pages_can_be_built_and_checked_on(machine: tuple[str, str]) -> None:
    system, processor = machine
    lacking = [
        path
        for path, kinds in compiled().items()
        if not any(
            system in kind["os"] and processor in kind["cpu"] and "glibc" in kind.get("libc", ["glibc"])
            for kind in kinds
        )
    ]
    assert lacking == []
    assert {"node_modules/@biomejs/biome", "node_modules/rolldown", "node_modules/lightningcss"} <= set(compiled())


def test_no_script_calls_the_program_of_one_machine() -> None:
    scripts = [ROOT / "Makefile", *(ROOT / ".ci").iterdir(), *(ROOT / "tests" / "tooling").glob("*.py")]
    scripts += [path for path in FRONTEND.iterdir() if path.is_file() and path.name != "package-lock.json"]
    assert [path.name for path in scripts if OF_ONE_MACHINE.search(path.read_text(encoding="utf-8"))] == []
