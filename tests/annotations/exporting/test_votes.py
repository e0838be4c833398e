"""Pairwise votes go out as they came: whatever was imported is imported again to the same fingerprint."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from annotations.exporting.votes import NoVotes, VoteSource, export_votes, vote_formats
from annotations.ground.errors import NotAllowed
from annotations.importing.datasets import import_dataset
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, Event, EventKind
from tests.annotations.importing.test_properties import NAMES, TEXTS, quick
from tests.worlds.full import make_full_dataset

pytestmark = pytest.mark.django_db
FORMATS = ["csv", "jsonl"]
DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")


def bring(folder, rows, slug="votes", texts=None):
    """Import votes, written as JSON lines; `texts` beside them are the instances'."""
    folder.mkdir(exist_ok=True)
    files = [folder / "v.jsonl"]
    files[0].write_text("".join(json.dumps(row) + "\n" for row in rows))
    if texts:
        files.append(folder / "texts.jsonl")
        lines = [json.dumps({"instance": id_, "segments": {"question": text}}) for id_, text in texts.items()]
        files[1].write_text("\n".join(lines))
    import_dataset(files=[SourceFile.at(file) for file in files], slug=slug, format_name="pairwise")
    return Dataset.objects.get(slug=slug)


def vote(instance="q/1", **changes):
    row = {"instance": instance, "first": "x", "second": "=y", "judge": "ann", "outcome": "tie", "judge_kind": "person"}
    return row | changes


@pytest.fixture
def dataset(tmp_path):
    return bring(tmp_path / "in", [vote(certainty=0.25), vote(judge="bot", judge_kind="machine"), vote("r")])


def written(dataset, format_name, folder):
    call_command("export_votes", dataset.slug, format=format_name, out=folder, stdout=io.StringIO())
    return sorted(folder.iterdir())


@pytest.mark.parametrize("format_name", FORMATS)
def test_the_command_writes_the_votes_and_their_instances(dataset, tmp_path, format_name):
    files = written(dataset, format_name, tmp_path / "out")
    assert [file.name for file in files] == ["instances.jsonl", f"votes.{format_name}"]
    assert Event.objects.filter(kind=EventKind.EXPORTED, dataset=dataset).get().data["votes"] == 3


def test_the_csv_is_safe_in_spreadsheets(dataset, tmp_path):
    rows = list(csv.DictReader(written(dataset, "csv", tmp_path / "out")[1].open(newline="")))
    assert rows[0] == {
        "instance": "q/1",
        "first": "x",
        "second": "'=y",
        "judge": "ann",
        "judge_kind": "person",
        "outcome": "tie",
        "certainty": "0.25",
    }
    assert [row["judge_kind"] for row in rows] == ["person", "machine", "person"]


VOTES = st.lists(
    st.tuples(
        NAMES,
        NAMES,
        NAMES,
        NAMES,
        st.sampled_from(["first", "second", "tie", "tie_inconsistent"]),
        st.none() | st.floats(0, 1),
    ).filter(lambda row: row[1] != row[2]),
    min_size=1,
    max_size=6,
)


@quick
@given(VOTES, st.sampled_from(FORMATS), st.none() | TEXTS.filter(bool), st.sets(NAMES))
def test_what_is_taken_out_comes_back_to_the_same_fingerprint(tmp_path, rows, format_name, text, machines):
    dicts = [
        vote(i, first=a, second=b, judge=j, outcome=o, certainty=c, judge_kind="machine" if j in machines else "person")
        for i, a, b, j, o, c in rows
    ]
    with transaction.atomic():
        texts = {row["instance"]: text for row in reversed(dicts)} if text else None
        dataset = bring(tmp_path / "in", dicts, texts=texts)
        files = [tmp_path / file.name for file in vote_formats.get(format_name).files(VoteSource(dataset))]
        for path, file in zip(files, vote_formats.get(format_name).files(VoteSource(dataset)), strict=True):
            path.write_bytes(b"".join(file.chunks()))
        sources = [SourceFile.at(path) for path in files]
        assert not import_dataset(files=sources, slug="votes", format_name="pairwise").changed
        transaction.set_rollback(True)


def test_only_people_who_may_see_the_dataset_may_take_its_votes_out(dataset, make_user, client):
    owner, stranger = make_user("owner@example.org", is_superuser=True), make_user("stranger@example.org")
    with pytest.raises(NotAllowed):
        export_votes(dataset=dataset, format_name="csv", actor=stranger)
    client.force_login(stranger)
    assert client.get("/api/datasets/votes/votes/csv/").status_code == 404
    client.force_login(owner)
    answer = client.get("/api/datasets/votes/votes/jsonl/")
    assert (answer.status_code, answer["Content-Disposition"]) == (
        200,
        'attachment; filename="votes-votes-jsonl.zip"',
    )
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert archive.namelist() == ["votes.jsonl", "instances.jsonl"]
    assert Event.objects.filter(kind=EventKind.EXPORTED, actor=owner).count() == 1
    assert client.get("/api/datasets/votes/votes/odd/").status_code == 404


def test_a_dataset_without_votes_has_none_to_take_out(tmp_path):
    with pytest.raises(NoVotes):
        export_votes(dataset=make_full_dataset(), format_name="csv")
    with pytest.raises(CommandError, match="'absent'"):
        call_command("export_votes", "absent", format="csv", out=tmp_path)
    assert not Event.objects.filter(kind=EventKind.EXPORTED).exists()


def test_every_votes_format_and_file_is_documented(dataset):
    for known in vote_formats:
        assert f"| `{known.name}` | {known.description} |" in DOCUMENT
        assert all(f"`{file.name}`" in DOCUMENT for file in known.files(VoteSource(dataset)))


@pytest.mark.shared_data
def test_mt_bench_comes_back_whole(shared_data, tmp_path):
    real = [SourceFile.at(shared_data / "mtbench" / name) for name in ("human.jsonl", "gpt4_pair.jsonl")]
    import_dataset(files=real, slug="mtbench")
    for format_name in FORMATS:
        files = written(Dataset.objects.get(), format_name, tmp_path / format_name)
        assert not import_dataset(files=[SourceFile.at(file) for file in files], slug="mtbench").changed
