"""`make audit` finds secrets and vulnerabilities, and what could not be asked is no good news."""

import hashlib
import json
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest

from tests.tooling import auditing, find_secrets, needed_packages
from tests.tooling.auditing import about_npm, about_python
from tests.tooling.prepare import CONSTRAINTS

SKIPPED = {"name": "nh3", "skip_reason": "Dependency not found on PyPI and could not be audited: nh3 (0.3.7)"}
SOUND = {"name": "numpy", "version": "2.4.6", "vulns": []}
VULNERABLE = {
    "name": "idna",
    "version": "3.20",
    "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["3.21"], "aliases": [], "description": "slow"}],
}


def python(*packages: dict[str, object]) -> auditing.Advisories:
    return about_python(json.dumps({"dependencies": packages, "fixes": []}))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (python(SKIPPED), "1 of 1 packages (nh3)"),
        (python(SOUND, SKIPPED), "1 of 2 packages (nh3)"),
        (about_python(""), "pip-audit gave no answer"),
        (about_python("[]"), "pip-audit gave no answer"),
        (about_npm(""), "npm gave no answer"),
        (about_npm(json.dumps({"statusCode": 405, "message": "405 Method Not Allowed"})), "405 Method Not Allowed"),
        (about_npm(json.dumps({"error": {"summary": "it is away"}})), "it is away"),
    ],
)
def test_what_could_not_be_asked_is_said_and_never_passes_for_good_news(
    answer: auditing.Advisories, reason: str
) -> None:
    assert answer.in_words == f"could not be asked: {reason}"


def test_what_is_known_is_listed_beside_what_could_not_be_asked() -> None:
    assert python(SOUND).in_words == "no known vulnerabilities"
    assert python(VULNERABLE, SKIPPED).in_words.split("\n    ") == [
        "could not be asked: 1 of 2 packages (nh3)",
        "1 known vulnerabilities",
        "idna 3.20: PYSEC-2026-1, mended in 3.21",
    ]
    found = {"auditReportVersion": 2, "vulnerabilities": {"vega": {"range": "<6.4.1", "severity": "high"}}}
    assert about_npm(json.dumps(found)).vulnerable == ("vega <6.4.1: high",)
    assert about_npm(json.dumps(found | {"vulnerabilities": {}})).in_words == "no known vulnerabilities"


@pytest.mark.parametrize(
    ("python_said", "npm_said", "secrets", "code"),
    [
        (python(SOUND), about_npm('{"vulnerabilities": {}}'), 0, 0),
        (python(SKIPPED), about_npm('{"vulnerabilities": {}}'), 0, auditing.NOT_ASKED),
        (python(SOUND), about_npm(""), 0, auditing.NOT_ASKED),
        (python(VULNERABLE), about_npm(""), 0, auditing.WRONG),
        (python(SKIPPED), about_npm(""), 1, auditing.WRONG),
    ],
)
def test_it_ends_well_only_if_all_were_asked_and_nothing_was_found(
    python_said: auditing.Advisories, npm_said: auditing.Advisories, secrets: int, code: int
) -> None:
    assert auditing.code_of([python_said, npm_said], secrets=secrets) == code


def test_a_planted_secret_is_found_and_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Put together here, so that this file holds none.
    planted = {"key.py": "AKIA" + "IOSFODNN7EXAMPLW", "settings.py": "correct horse " + "battery"}
    (tmp_path / "key.py").write_text(f'key = "{planted["key.py"]}"\n')
    (tmp_path / "settings.py").write_text(f'\nEMAIL_PASSWORD = "{planted["settings.py"]}"\n')
    (tmp_path / "plain.py").write_text("answer = 42\n")
    monkeypatch.setattr(find_secrets, "ROOT", tmp_path)
    monkeypatch.setattr(find_secrets, "files", lambda: ["key.py", "plain.py", "settings.py"])
    assert find_secrets.main() == 1
    said = capsys.readouterr().out
    digests = {
        name: hashlib.sha1(secret.encode(), usedforsecurity=False).hexdigest() for name, secret in planted.items()
    }
    assert said.splitlines() == [
        f"key.py:1: AWS Access Key ({digests['key.py']})",
        f"settings.py:2: Secret Keyword ({digests['settings.py']})",
    ]
    assert not any(secret in said for secret in planted.values())


def test_the_baseline_explains_only_what_is_there_and_asks_nobody_whether_a_secret_works() -> None:
    known = find_secrets.explained()
    assert set(find_secrets.found_in({name for name, _, _ in known}, find_secrets.ROOT)) == set(known)
    assert all(len(reason) > 10 for reason in known.values())
    assert "verif" not in json.dumps(json.loads(find_secrets.BASELINE.read_text())["filters_used"])


def test_the_baseline_itself_and_what_is_written_from_the_code_are_left_out() -> None:
    left_out = {".secrets.baseline", "docs/reference/settings.md"}
    assert left_out <= set(find_secrets.files())
    assert find_secrets.found_in([*sorted(left_out), "hlvstudy/storage.py"], find_secrets.ROOT) == {}


def test_every_file_that_git_would_take_is_looked_at() -> None:
    names = set(find_secrets.files())
    assert {"hlvstudy/settings.py", "compose.yaml", ".secrets.baseline"} <= names
    assert not any(name.startswith((".venv/", "frontend/node_modules/")) for name in names)


def test_the_list_of_python_packages_has_what_the_server_needs_and_no_tool_of_developers() -> None:
    pins = needed_packages.pins()
    constraints = [line for name in CONSTRAINTS for line in (needed_packages.ROOT / name).read_text().splitlines()]
    assert {f"{name}=={version.partition('+')[0]}" for name, version in pins.items()} <= set(constraints)
    assert ("torch" in pins) == needed_packages.has_training()
    assert {"django", "sqlparse", "psycopg-pool", "boto3"} <= set(pins)
    assert not {"pytest", "mypy", "playwright", "pip-audit"} & set(pins)


def test_the_list_does_without_training_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> Distribution:
        if name == "peft":
            raise PackageNotFoundError(name)
        return distribution(name)

    monkeypatch.setattr(needed_packages, "distribution", lacking)
    assert "boto3" in needed_packages.pins()
    assert not {"torch", "transformers"} & set(needed_packages.pins())


@pytest.mark.long
def test_the_lists_of_packages_are_cyclonedx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "PLACE", tmp_path)
    for made, some in ((auditing.write_python_sbom(), "django"), (auditing.write_npm_sbom(), "react")):
        read = json.loads(made.read_text())
        assert read["bomFormat"] == "CycloneDX"
        purls = {one["purl"].split("@")[0] for one in read["components"]}
        assert any(purl.endswith(f"/{some}") for purl in purls)
        assert not any(purl.endswith(("/pytest", "/vitest")) for purl in purls)
