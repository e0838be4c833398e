"""The packages that the server needs, direct and indirect, as a list in CycloneDX (SBOM).

It runs on Python with these packages, and reads what each of them asks for. The extra `training` is listed where it is
installed.
"""

import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
TRAINING = "training"


def asked_for() -> list[Requirement]:
    """What requirements.txt and the wheel's extras name."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    named = [line.partition("#")[0].strip() for line in lines]
    named += [one for name, extra in extras().items() for one in extra if name != TRAINING or has_training()]
    return [Requirement(line) for line in named if line]


def extras() -> dict[str, list[str]]:
    """The wheel's extras, and what each asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, list[str]] = project["optional-dependencies"]
    return found


def has_training() -> bool:
    """Whether the extra `training`, which few need, is installed here as a whole."""
    try:
        return all(distribution(Requirement(line).name) for line in extras()[TRAINING])
    except PackageNotFoundError:
        return False


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
