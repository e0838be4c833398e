"""Every command of the documentation is typed into a clean shell, page by page, as a newcomer would type it.

README.md's has a test of its own (test_readme.py). A block that cannot be run here says why in its first line. What
trains is left out where torch is absent.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clean_shell import ROOT, blocks, fresh_checkout, loops, typed
from tests.metaeval.training.needing import torch_here

PAGES = sorted((ROOT / "docs").glob("*.md"))
TYPED = [page for page in PAGES if blocks(page)]
NOT_RUN = "bash not-run: "
TRAINS = "bash training"
TRAINING = [page for page in PAGES if blocks(page, kind=TRAINS)]
MOST_NOT_RUN = 3
"""Blocks that no other test runs either."""
KINDS = ("bash", "python", "toml", "json", "text", NOT_RUN, TRAINS)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout, and beside it an empty database: both made once, for migrating takes longer than most pages."""
    checkout = fresh_checkout(tmp_path_factory.mktemp("docs") / "checkout", "docs/example", "tests/fixtures/tools")
    typed(".venv/bin/python manage.py migrate --verbosity 0", at=checkout)
    (checkout / ".state").rename(checkout.parent / "state")
    return checkout


@pytest.fixture
def checkout(prepared: Path) -> Iterator[Path]:
    """The checkout with nothing stored. Pages share the code, so that Python compiles it once, and nothing else."""
    before = set(prepared.iterdir())
    shutil.copytree(prepared.parent / "state", prepared / ".state")
    yield prepared
    for path in set(prepared.iterdir()) - before:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.long
@pytest.mark.shared_data
@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_every_command_of_a_page_runs_as_it_stands(
    page: Path, checkout: Path, tmp_path: Path, shared_data: Path
) -> None:
    given_folders = {"DATA": shared_data / "chaosnli", "HLV_DATA": shared_data}
    run(blocks(page), checkout, tmp_path / "out", **given_folders)


@pytest.mark.long
@pytest.mark.training
@pytest.mark.parametrize("page", TRAINING, ids=lambda page: page.stem)
def test_every_command_that_trains_runs_as_it_stands(page: Path, checkout: Path, tmp_path: Path) -> None:
    torch_here()
    run(blocks(page, kind=TRAINS), checkout, tmp_path / "out")


def run(commands: list[str], checkout: Path, out: Path, **given_folders: Path) -> None:
    """Type them, and look for the files that they name."""
    out.mkdir()
    typed("\n".join(commands), at=checkout, OUT=out, **given_folders, **loops())
    for name in named_files(commands):
        assert (out / name).exists(), name


def named_files(commands: list[str]) -> set[str]:
    """What the commands write."""
    words = " ".join(commands).replace("=$OUT", " $OUT").split()
    return {word.removeprefix("$OUT/") for word in words if word.startswith("$OUT/")}


def test_pages_type_commands() -> None:
    assert {page.stem for page in TYPED} >= {"first-study", "studies", "data", "results"}
    assert sum(block.count("$manage ") for page in TYPED for block in blocks(page)) > 60
    assert [page.stem for page in TRAINING] == ["training"]


def test_what_is_not_run_says_why_and_is_little() -> None:
    every = [info for page in (ROOT / "README.md", *PAGES) for info in infos(page)]
    assert [info for info in every if not info.startswith(KINDS)] == []
    reasons = [info.removeprefix(NOT_RUN) for info in every if info.startswith("bash ") and info != TRAINS]
    assert all(len(reason.split()) > 3 for reason in reasons)
    assert len([reason for reason in reasons if "test" not in reason]) <= MOST_NOT_RUN
    named = {path for reason in reasons for path in re.findall(r"\btests/[\w/]+(?:\.py)?", reason)}
    assert {path for path in named if not (ROOT / path).exists()} == set()


def infos(page: Path) -> list[str]:
    """The first lines of a page's blocks."""
    fences = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("```")]
    return [fence.removeprefix("```") for fence in fences[::2]]
