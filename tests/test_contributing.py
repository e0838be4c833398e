"""CONTRIBUTING.md is true: a newcomer who pastes its files and types its commands has what it promises.

A page is left out here: it takes Node, a build and a browser.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clean_shell import fresh_checkout, loops, typed

pytestmark = pytest.mark.long
ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = re.compile(r"^`([\w/.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)

ASK_THE_API = """
from django.test import Client
from annotations.models import User
client = Client(SERVER_NAME="127.0.0.1")
admin = User.objects.create_superuser("root@example.org", "a long password")
client.force_login(admin, "django.contrib.auth.backends.ModelBackend")
studies, datasets = "studies/demo/analyses/", "datasets/flat/analyses/"
for address in ("import-formats/", studies, datasets, "datasets/first/trainings/form/"):
    print(client.get(f"/api/v1/{address}").content.decode())
"""


@dataclass
class Newcomer:
    """Somebody with a fresh clone, who does what a section says."""

    checkout: Path

    def follows(self, section: str) -> str:
        """Write the section's files, then type its commands; what those print."""
        said = section_of(section)
        for path, content in FILE.findall(said):
            file = self.checkout / path
            assert not file.exists(), f"{path} is in the repository already"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        (commands,) = COMMANDS.findall(said)
        return self.types(commands)

    def types(self, commands: str) -> str:
        return typed(commands, at=self.checkout, DEBUG="1", **loops())


def section_of(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## )", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found, f"CONTRIBUTING.md has no section {title!r}"
    return found[1]


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    folder = tmp_path_factory.mktemp("clone")
    fresh_checkout(folder, "tests", "docs/example", "pyproject.toml", ".importlinter")
    return Newcomer(folder)


def test_all_that_a_newcomer_adds_is_there_once_its_files_are(newcomer: Newcomer) -> None:
    said = newcomer.follows("Add a metric")
    assert "passed" in said
    assert float(said.splitlines()[-1]) == pytest.approx(0.541196100146)

    said = newcomer.follows("Add an importer")
    assert "2 passed" in said
    assert "Imported dataset 'flat'." in said
    assert "format tally" in said

    assert "1 passed" in newcomer.follows("Add an exporter")

    said = newcomer.follows("Add an analysis")
    assert "1 passed" in said
    assert "Experts chose both sides most often for " in said
    assert "Undecided responses by system" in said

    said = newcomer.follows("Add a figure")
    assert "Wrote undecided.svg" in said
    assert "passed" in said
    assert "<svg" in (newcomer.checkout / "undecided.svg").read_text(encoding="utf-8")

    said = newcomer.follows("Add a training method")
    assert "passed" in said
    assert "targets has the targets" in said

    said = newcomer.types(f".venv/bin/python manage.py shell -v 0 -c '{ASK_THE_API}'")
    assert all(f'"{name}"' in said for name in ("tally", "undecided", "undecided_shares", "hellinger_distance", "SmSL"))

    written = " ".join(path for path, _ in FILE.findall(DOCUMENT) if path.endswith(".py"))
    newcomer.types(f".venv/bin/ruff check {written}\n.venv/bin/ruff format --check {written}\n.venv/bin/lint-imports")
