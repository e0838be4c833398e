"""docs/library.md is true: its code runs, of a study against a live server with a token and nothing else."""

import re
from pathlib import Path
from typing import Any

import pytest

from annotations.background import jobs
from annotations.models import Role
from annotations.people.access import tokens
from tests.clean_shell import blocks
from tests.metaeval.finished import as_imported
from tests.metaeval.studies import answered_study
from tests.metaeval.training.needing import needs_training, torch_here
from tests.worlds.studies import make_member

PAGE = Path(__file__).parents[2] / "docs" / "library.md"
BLOCKS = blocks(PAGE, kind="python", section="A study in a notebook")
(LOSSES,) = blocks(PAGE, kind="python training", section="Losses")
CALLS, *_ = blocks(PAGE, kind="python", section="Metrics and statistics")


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_its_code_runs_against_a_live_server(live_server, monkeypatch, tmp_path):
    study = as_imported(answered_study())
    made = tokens.make(user=make_member(study, Role.RESEARCHER, "researcher@example.org").user, name="notebook")
    monkeypatch.setattr(jobs, "ring", lambda job: jobs.run(type(job), job.pk))  # a worker that answers at once
    monkeypatch.chdir(tmp_path)
    for name, value in {"SERVER": live_server.url, "TOKEN": made.secret, "STUDY": study.slug}.items():
        monkeypatch.setenv(f"HLV_{name}", value)
    space: dict[str, Any] = {"__name__": "__main__"}
    for place, block in enumerate(BLOCKS, start=1):
        exec(compile(block, f"<block {place} of library.md>", "exec"), space)  # noqa: S102 - our own page
    assert len(space["responses"]) == 24 * 4
    assert len(space["best"]) == 3
    assert len(space["table"]) == 6
    assert Path("figure.svg").read_text().startswith("<svg")
    assert space["chosen"].iloc[0] == 1


def test_its_calls_of_the_library_give_what_their_comments_say():
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(CALLS, "<calls of library.md>", "exec"), space)  # noqa: S102 - our own page
    assert len(space["table"].metrics) == 6
    assert [test.coefficient for test in space["tests"]] == ["pearson", "spearman", "kendall"]


@needs_training
def test_its_losses_agree_with_the_metrics_of_their_names():
    torch_here()
    exec(compile(LOSSES, "<losses of library.md>", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own page


def test_it_shows_no_token_and_its_code_can_be_read():
    assert not re.search(r"hlv_[0-9a-f]", PAGE.read_text())
    assert len(BLOCKS) == 9
    for place, block in enumerate(BLOCKS, start=1):
        compile(block, f"<block {place} of library.md>", "exec")
