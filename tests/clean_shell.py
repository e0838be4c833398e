"""Type what a document says as a newcomer does: into a clean shell, in a checkout whose `.venv` make has prepared."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from metaeval.compiled import cache_folder

ROOT = Path(__file__).resolve().parents[1]
CODE = ("annotations", "hlvstudy", "metaeval", "locale")
PROCESSOR = "OPENBLAS_"
"""Variables that say which processor the machine has: last digits depend on them, and nothing else does."""


def fresh_checkout(folder: Path, *more: str) -> Path:
    """The code (and more of the repository) in a place of its own, where nothing has been set or stored yet."""
    for name in (*CODE, "manage.py", *more):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def loops() -> dict[str, str]:
    """The variable that lets a checkout find loops that were compiled here: its own are the same, and compiling them
    takes half a minute. Empty where loops are not kept."""
    folder = cache_folder()
    kept = os.environ.get("NUMBA_CACHE_DIR") or (str(folder.parent) if folder else "")
    return {"NUMBA_CACHE_DIR": kept} if kept else {}


def typed(script: str, *, at: Path, **documented: object) -> str:
    """What the lines print. The shell knows no variable but those that the document names."""
    env = {name: value for name, value in os.environ.items() if name.startswith(PROCESSOR)}
    env |= {"PATH": os.defpath, "HOME": str(at), **{name: str(value) for name, value in documented.items()}}
    shell = ["bash", "-euo", "pipefail", "-c", script]
    done = subprocess.run(shell, cwd=at, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


HEADING_OR_BLOCK = re.compile(r"^(?:(#+) (.+)|```(.*)\n((?:.*\n)*?)```)$", re.MULTILINE)


def blocks(page: Path, *, kind: str = "bash", section: str = "") -> list[str]:
    """The blocks of a page that are for a shell, or of another kind; of one section, by its heading, or of all."""
    found, inside, depth = [], not section, 0
    for marks, title, info, code in HEADING_OR_BLOCK.findall(page.read_text(encoding="utf-8")):
        if section and marks and (title == section or (inside and len(marks) <= depth)):
            inside, depth = title == section, len(marks)
        elif inside and not marks and re.fullmatch(kind, info):
            found.append(code)
    assert found or not section, f"{page.name} has no {kind} under {section!r}"
    return found
