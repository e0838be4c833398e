"""The Python client: against a live server, with a token and nothing else."""

import subprocess
import sys

import pytest

from annotations.designing.lifecycle import add_member
from annotations.models import ImportJob, Role, User
from annotations.people.access import tokens
from hlvstudy.client import ApiError, Client, JobFailed, Rows
from tests.conftest import ROOT
from tests.worlds.full import make_full_study

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(live_server):
    person = User.objects.create_superuser("ann@example.org", "a long password")
    first = make_full_study(slug="a")
    for study in (first, *(make_full_study(first.dataset, slug=slug, experts=0) for slug in ("b", "c"))):
        add_member(study=study, user=person, role=Role.ADMIN)
    return Client(live_server.url + "/", tokens.make(user=person, name="notebook").secret)


def test_a_list_is_read_to_its_end_and_is_a_table(server):
    rows = server.pages("studies/", limit=2)
    assert isinstance(rows, Rows)
    assert sorted(row["slug"] for row in rows) == ["a", "b", "c"]
    assert set(rows.to_frame().columns) >= {"slug", "state", "progress.done"}
    assert [row["slug"] for row in server.pages("studies/", role="expert")] == []


def test_answers_comparisons_and_distributions_are_tables(server):
    answers = server.responses("a", pilot="exclude").to_frame()
    assert not answers.empty
    assert not answers["pilot"].any()
    assert set(answers["comparison"]) <= set(server.comparisons("a").to_frame()["position"])
    people = server.distributions("small").to_frame().set_index("instance")
    system = server.distributions("small", "RoBERTa / ReL / 0").to_frame().set_index("instance")
    assert people.shape == system.shape == (12, 6)
    assert "shares.Consumer law" in people.columns


def test_every_list_is_a_table(server):
    for address in (
        "studies/a/events/",
        "studies/a/exports/",
        "studies/a/export-files/",
        "studies/a/assignments/",
        "studies/a/reports/",
        "datasets/",
        "datasets/small/instances/",
        "analyses/",
        "runs/",
        "imports/",
    ):
        rows = server.pages(address)
        assert len(rows.to_frame()) == len(rows), address


def test_what_is_there_is_read_as_it_is(server):
    assert server.get("studies/a/")["slug"] == server.get("/api/v1/studies/a/")["slug"] == "a"
    assert server.get("studies/a/exports/csv/").startswith(b"PK")


def test_what_is_refused_says_why(server):
    with pytest.raises(ApiError) as missing:
        server.get("studies/nothing/")
    assert (missing.value.status, missing.value.code) == (404, "not_found")
    with pytest.raises(ApiError, match="role: ") as wrong:
        server.get("studies/", role="cook")
    assert list(wrong.value.fields) == ["role"]
    with pytest.raises(ApiError) as login:
        server.get("tokens/")
    assert login.value.code == "needs_login"
    with pytest.raises(ApiError) as unknown:
        Client(server.url, "hlv_wrong").get("studies/")
    assert unknown.value.status == 401


def test_files_are_uploaded_and_a_job_is_waited_for(server, tmp_path):
    (tmp_path / 'some "texts".csv').write_text("id,text\n1,One\n")
    job = server.upload("imports/", tmp_path.iterdir(), kind="dataset", dataset="new", dry_run=True)
    assert job["files"] == ["some 'texts'.csv"]
    with pytest.raises(TimeoutError):
        server.wait(job, at="imports", seconds=0)
    ImportJob.objects.update(state="failed", error="It is no table.")
    with pytest.raises(JobFailed, match=r"It is no table\."):
        server.wait(job["id"], at="imports")
    ImportJob.objects.update(state="succeeded", error="")
    assert server.wait(job, at="imports")["state"] == "succeeded"


def test_a_body_is_one_object_or_fields(server):
    with pytest.raises(TypeError):
        server.post("studies/a/runs/", {}, analysis="x")


def test_it_shows_no_token(server):
    assert "hlv_" not in repr(server)


def test_it_needs_neither_settings_nor_the_project(tmp_path):
    (tmp_path / "client.py").write_bytes((ROOT / "hlvstudy" / "client.py").read_bytes())
    alone = "import client; client.Client('http://127.0.0.1', 'x')"
    subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.'); {alone}"], cwd=tmp_path, check=True
    )
    subprocess.run([sys.executable, "-c", "import hlvstudy.client"], cwd=ROOT, check=True, env={"PATH": "/usr/bin"})


def test_assignments_are_changed_with_a_token(server):
    free = server.pages("studies/b/assignments/grid/", state="free")
    assert free[0]["cells"] == []
    with pytest.raises(ApiError) as unknown:
        server.post("studies/b/assignments/give/", expert=77, comparisons=[free[0]["position"]])
    assert unknown.value.status == 404
    numbers = {one["number"] for one in server.get("studies/a/assignments/summary/")["experts"]}
    row, able = next(
        (row, able)
        for row in server.pages("studies/a/assignments/grid/", state="free")
        if (able := numbers - {cell["expert"] for cell in row["cells"]} - set(row["seen"]))
    )
    given = server.post("studies/a/assignments/give/", expert=min(able), comparisons=[row["position"]])
    assert server.post("studies/a/assignments/undo/", event=given["event"])["changed"] == 1
