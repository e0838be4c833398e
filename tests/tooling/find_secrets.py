"""What looks like a secret in the working tree and is not in `.secrets.baseline`.

It runs on Python with the developers' packages: `python tests/tooling/find_secrets.py`. Nothing is asked elsewhere
whether a secret works, and no secret is printed.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path

from detect_secrets.core.secrets_collection import SecretsCollection
from detect_secrets.settings import transient_settings

ROOT = Path(__file__).resolve().parents[2]
BASELINE = ROOT / ".secrets.baseline"
Place = tuple[str, str, str]
"""A file, a kind of secret, and the secret's digest."""


def files() -> list[str]:
    """The files of the working tree, but those that git ignores: a server's own settings are among those."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted({name for name in done.stdout.split("\0") if (ROOT / name).is_file()})


def found_in(names: Iterable[str], root: Path) -> dict[Place, int]:
    """What looks like a secret in files of a folder, and its line."""
    kept = json.loads(BASELINE.read_text(encoding="utf-8"))
    # From the folder itself, because the patterns of files to leave out are for names in it.
    with chdir(root), transient_settings({name: kept[name] for name in ("plugins_used", "filters_used")}):
        secrets = SecretsCollection()
        secrets.scan_files(*names)
    return {(name, secret.type, secret.secret_hash): secret.line_number for name, secret in secrets}


def explained() -> dict[Place, str]:
    """What looks like a secret and is none, and why."""
    kept = json.loads(BASELINE.read_text(encoding="utf-8"))["results"]
    return {(name, one["type"], one["hashed_secret"]): one["reason"] for name in kept for one in kept[name]}


def main() -> int:
    """Print where, and the digest that an entry of the baseline needs; 1 if anything was found."""
    known = explained()
    new = {place: line for place, line in found_in(files(), ROOT).items() if place not in known}
    for (name, kind, digest), line in sorted(new.items()):
        print(f"{name}:{line}: {kind} ({digest})")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
