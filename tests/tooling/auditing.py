"""`make audit`: known vulnerabilities of the packages, lists of what they are (SBOM), and secrets in the working tree.

Only the first asks services elsewhere. What could not be asked is said so, and never passes for good news.
"""

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hlvstudy import __version__
from hlvstudy.program.steps import Trouble, say

from .prepare import CONSTRAINTS, FRONTEND, PYTHON, ROOT, STATE, environment, npm_packages, python_packages

PLACE = STATE / "audit"
PINS = [part for name in CONSTRAINTS for part in ("-r", name)]
WRONG, NOT_ASKED = 1, 2
"""How the command ends if something was found, and if nothing was, but not everything could be asked."""


@dataclass(frozen=True)
class Advisories:
    """What a service knows of packages: a line for each vulnerability, and why something could not be asked."""

    vulnerable: tuple[str, ...] = ()
    not_asked: str = ""

    @property
    def in_words(self) -> str:
        known = f"{len(self.vulnerable)} known vulnerabilities" if self.vulnerable else "no known vulnerabilities"
        lines = [f"could not be asked: {self.not_asked}"] if self.not_asked else []
        return "\n    ".join([*lines, *([known] if self.vulnerable or not lines else []), *self.vulnerable])


def main(_: list[str]) -> int:
    """Say everything, then end with `WRONG`, `NOT_ASKED` or 0."""
    python_packages(dev=True)
    npm_packages()
    PLACE.mkdir(parents=True, exist_ok=True)
    answers = {
        "Python packages": about_python(output("pip-audit", *PINS, "--disable-pip", "--no-deps", "--format", "json")),
        "npm packages": about_npm(output("npm", "audit", "--package-lock-only", "--json", cwd=FRONTEND)),
    }
    for name, answer in answers.items():
        say(f"{name}: {answer.in_words}")
    say(f"What the packages are: {write_python_sbom()}, {write_npm_sbom()}")
    secrets = subprocess.run(
        [PYTHON, ROOT / "tests" / "tooling" / "find_secrets.py"], cwd=ROOT, env=environment(), check=False
    ).returncode
    say("Secrets: see above." if secrets else "Secrets: none but what .secrets.baseline explains.")
    return code_of(list(answers.values()), secrets=secrets)


def code_of(answers: list[Advisories], *, secrets: int) -> int:
    """How the command ends."""
    if secrets or any(answer.vulnerable for answer in answers):
        return WRONG
    return NOT_ASKED if any(answer.not_asked for answer in answers) else 0


def output(*command: str, cwd: Path = ROOT) -> str:
    """What a program prints, also if it fails."""
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True, check=False)
    return done.stdout


def about_python(said: str) -> Advisories:
    """What `pip-audit --format json` found; it skips a package that its service does not answer for.

    >>> about_python('{"dependencies": [{"name": "a", "skip_reason": "not found"}]}').in_words
    'could not be asked: 1 of 1 packages (a)'
    """
    packages = as_json(said).get("dependencies")
    if not packages:
        return Advisories(not_asked="pip-audit gave no answer")
    skipped = [package["name"] for package in packages if "vulns" not in package]
    some = ", ".join(skipped[:3]) + (", ..." if len(skipped) > 3 else "")
    return Advisories(
        vulnerable=tuple(
            f"{package['name']} {package['version']}: {one['id']}, mended in {', '.join(one['fix_versions']) or 'none'}"
            for package in packages
            for one in package.get("vulns", ())
        ),
        not_asked=f"{len(skipped)} of {len(packages)} packages ({some})" if skipped else "",
    )


def about_npm(said: str) -> Advisories:
    """What `npm audit --json` found.

    >>> about_npm('{"statusCode": 405, "message": "405 Method Not Allowed - POST"}').in_words
    'could not be asked: 405 Method Not Allowed - POST'
    """
    answer = as_json(said)
    if "vulnerabilities" not in answer:
        reason = answer.get("message") or (answer.get("error") or {}).get("summary")
        return Advisories(not_asked=reason or "npm gave no answer")
    return Advisories(
        vulnerable=tuple(
            f"{name} {one['range']}: {one['severity']}" for name, one in sorted(answer["vulnerabilities"].items())
        )
    )


def as_json(said: str) -> dict[str, Any]:
    """An object, or an empty one for what is none."""
    try:
        read = json.loads(said)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def write_python_sbom() -> Path:
    """What the server needs, direct and indirect, as pinned and installed; with the extra `training` if it is."""
    made = PLACE / "python.cdx.json"
    listed = [PYTHON, ROOT / "tests" / "tooling" / "needed_packages.py"]
    done = subprocess.run(listed, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"The packages that the server needs could not be listed:\n{done.stderr}")
    made.write_text(done.stdout)
    return made


def write_npm_sbom() -> Path:
    """What the pages are built from and contain, as locked."""
    made = PLACE / "npm.cdx.json"
    with tempfile.TemporaryDirectory() as folder:
        # npm lists only packages that have a version, and the pages have the wheel's.
        for name in ("package.json", "package-lock.json"):
            content = json.loads((FRONTEND / name).read_text(encoding="utf-8")) | {"version": __version__}
            if "packages" in content:
                content["packages"][""]["version"] = __version__
            (Path(folder) / name).write_text(json.dumps(content))
        listed = ["npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev"]
        said = output(*listed, cwd=Path(folder))
    if not as_json(said):
        raise Trouble("npm could not list the pages' packages.")
    made.write_text(said)
    return made
