"""The packages that the server needs, direct and indirect, one pin a line.

It runs on Python with these packages, and reads what each of them asks for.
"""

import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def asked_for() -> list[Requirement]:
    """What requirements.txt and the wheel's extras name."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = [line.partition("#")[0].strip() for line in lines] + [one for extra in extras.values() for one in extra]
    return [Requirement(line) for line in named if line]


def pins() -> dict[str, str]:
    """Each package's version."""
    found: dict[str, str] = {}
    waiting, seen = asked_for(), set()
    while waiting:
        wanted = waiting.pop()
        if str(wanted) in seen:
            continue
        seen.add(str(wanted))
        package = distribution(wanted.name)
        found[canonicalize_name(wanted.name)] = package.version
        for line in package.requires or ():
            needed = Requirement(line)
            if not needed.marker or any(needed.marker.evaluate({"extra": one}) for one in (*wanted.extras, "")):
                waiting.append(needed)
    return found


if __name__ == "__main__":
    for name, version in sorted(pins().items()):
        print(f"{name}=={version}")
