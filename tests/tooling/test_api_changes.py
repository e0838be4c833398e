"""An address or a field that goes from the API is named in CHANGELOG, or `make check` fails."""

import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.tooling.api_changes import CHANGELOG, PAGE, Lost, lost, main, read

API = """
| address | what | sends | answers |
|---|---|---|---|
| `GET users/` | People. | `?page` | `Users` |
| `POST users/` | A new one. | `name`, [`role` (admin, expert)] | `User` |

| shape | fields |
|---|---|
| `User` | `name`, `address` (Address), `friends` (User) |
| `Users` | `count`, `results` (User) |
| `Address` | `street`, `city` |
"""
LOG = "# Changelog\n\n## [Unreleased]\n\n- **Old:** `street` of `GET users/`, long ago.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout whose API is written down and committed."""
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    (tmp_path / PAGE).write_text(API)
    (tmp_path / CHANGELOG).write_text(LOG)
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "The API as it is"]):
        subprocess.run(
            ["git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", *command],
            cwd=tmp_path,
            check=True,
        )
    return tmp_path


def complaints(project: Path, page: str, entry: str = "") -> int:
    (project / PAGE).write_text(page)
    (project / CHANGELOG).write_text(LOG + entry)
    return main(project)


def test_nothing_is_asked_of_what_stays_and_what_comes(project: Path) -> None:
    assert complaints(project, API) == 0
    assert complaints(project, API.replace("`count`", "`count`, `next`")) == 0


@pytest.mark.parametrize(
    ("page", "field", "address"),
    [
        (API.replace("`street`, ", ""), "street", "GET users/"),
        (API.replace("`name`, [`role` (admin, expert)]", "`name`"), "role", "POST users/"),
        (API.replace("`?page`", ""), "?page", "GET users/"),
        (API.replace("| `GET users/` | People. | `?page` | `Users` |\n", ""), "GET users/", "GET users/"),
    ],
)
def test_what_goes_is_named_together_with_its_address(project: Path, page: str, field: str, address: str) -> None:
    assert complaints(project, page) == 1
    assert complaints(project, page, f"- `{field}` is gone.\n") == int(field != address)
    assert complaints(project, page, f"- `{address}` has changed.\n- `{field}` too.\n") == int(field != address)
    assert complaints(project, page, f"- `{address}` no longer has\n  `{field}`.\n") == 0


def test_a_release_is_what_the_next_one_is_compared_with(project: Path) -> None:
    subprocess.run(["git", "tag", "v0.1.0"], cwd=project, check=True)
    assert complaints(project, API.replace("`street`, ", "")) == 1


def test_a_shape_may_get_another_name() -> None:
    renamed = API.replace("`Address`", "`Place`").replace("(Address)", "(Place)")
    assert lost(read(API), read(renamed)) == {}
    assert lost(read(API), read(renamed.replace("`city`", "`town`"))) == {
        Lost("Address", "city"): ["GET users/", "POST users/"]
    }


def test_the_page_is_read_whole() -> None:
    api = read((ROOT / PAGE).read_text(encoding="utf-8"))
    assert len(api.sends) == len(api.answers) > 180
    assert len(api.shapes) > 250
    assert {"GET studies/", "POST studies/"} <= set(api.answers)
    assert all(fields for fields in api.shapes.values())


def test_without_history_ci_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.delenv("CI", raising=False)
    assert main(tmp_path) == 0
    monkeypatch.setenv("CI", "true")
    assert main(tmp_path) == 1
