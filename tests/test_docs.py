"""The documentation is true."""

import re
from pathlib import Path

from tests.browser import tour

ROOT = Path(__file__).resolve().parent.parent


def test_every_setting_of_the_environment_is_documented() -> None:
    source = (ROOT / "hlvstudy" / "settings.py").read_text()
    read = set(re.findall(r'env(?:\.\w+)?\(\s*"([A-Z_]+)"', source)) | {"DATABASE_URL"}
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "deploy.md").read_text(), re.MULTILINE))
    assert read == documented


def test_every_make_command_that_the_documentation_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(), re.MULTILINE):
            assert target in targets, f"{page.name} names make {target}"


def test_every_link_to_a_file_leads_somewhere() -> None:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_every_state_of_an_experts_page_has_its_small_pictures() -> None:
    images = {path.name: path.stat().st_size for path in (ROOT / "docs" / "images").glob("expert-*.webp")}
    assert set(images) == {f"expert-{state}-{width}.webp" for state in tour.ALL for width in (1280, 390)}
    assert max(images.values()) < 60_000
