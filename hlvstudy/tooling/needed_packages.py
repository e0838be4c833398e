"""The packages that the server needs, direct and indirect, as a list in CycloneDX (SBOM).

It runs on Python with these packages, and reads what each of them asks for.
"""

import tomllib
from importlib.metadata import distribution
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
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


def bill_of_materials() -> str:
    """The list, as JSON."""
    parts = [
        Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            purl=PackageURL("pypi", None, name, version),
            bom_ref=f"{name}=={version}",
        )
        for name, version in pins().items()
    ]
    return JsonV1Dot6(Bom(components=parts)).output_as_string(indent=2)


if __name__ == "__main__":
    print(bill_of_materials())
