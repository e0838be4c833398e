"""The script of docs/library.md is true: it runs from an empty database to the report, on the real files."""

from pathlib import Path
from typing import Any

import pytest

from annotations.models import PreferenceResponse, Study, StudyState, User
from tests.clean_shell import blocks

PAGE = Path(__file__).parents[2] / "docs" / "library.md"
(BLOCK,) = blocks(PAGE, kind="python", section="A whole study from a script")
PASSWORD = "a long password"


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("celery_worker_process")
def test_its_code_goes_from_an_empty_database_to_the_report(
    live_server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shared_data: Path, capsys: pytest.CaptureFixture
) -> None:
    User.objects.create_superuser("ann@example.org", PASSWORD)
    monkeypatch.chdir(tmp_path)
    for name, value in {"HLV_SERVER": live_server.url, "HLV_PASSWORD": PASSWORD, "HLV_DATA": str(shared_data)}.items():
        monkeypatch.setenv(name, value)
    exec(compile(BLOCK, "<library.md>", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own page
    study = Study.objects.get()
    assert (study.state, study.dataset.instances.count()) == (StudyState.CLOSED, 1514)
    assert PreferenceResponse.objects.count() == 14
    assert not study.memberships.get(number=3).is_active
    assert len(capsys.readouterr().out.strip()) > 20, "the answer is a sentence"
    assert Path("responses.zip").read_bytes().startswith(b"PK")
    assert Path("report.pdf").read_bytes().startswith(b"%PDF")


def test_it_takes_forty_lines_that_can_be_read() -> None:
    compile(BLOCK, "<library.md>", "exec")
    lines = [line for line in BLOCK.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) <= 40
