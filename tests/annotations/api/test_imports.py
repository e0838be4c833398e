"""Importing over the API: who may, what is refused at once, and what a real worker makes of an upload."""

import json
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection

from annotations.background import jobs
from annotations.background.sweeping import sweep
from annotations.importing.datasets import import_dataset
from annotations.importing.jobs import clean_name, execute_import
from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet
from annotations.importing.reading.files import SourceFile
from annotations.importing.writing.datasets import write_dataset
from annotations.models import Dataset, Event, ImportFile, ImportJob, JobState, Study, System, Task, User
from tests.conftest import wait_until

LONG = "instance,label,probability\na,tax,0.25\na,family,0.75\nb,tax,1\nb,family,0\n"
WIDE = "instance,tax,family\na,1,0\nb,0.5,0.5\n"


@pytest.fixture
def importer(make_user):
    """A researcher who may import, as an API client sees them."""
    user = make_user("importer@example.org")
    user.user_permissions.add(Permission.objects.get(codename="add_dataset"))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def api(client, importer):
    client.force_login(importer)
    return client


@pytest.fixture
def no_bell(monkeypatch):
    """Jobs wait: no worker is called."""
    monkeypatch.setattr(jobs, "ring", lambda job: None)


def upload(client, *files, **fields):
    fields = {"kind": "dataset", "dataset": "small"} | fields
    named = [SimpleUploadedFile(name, content.encode()) for name, content in files]
    return client.post("/api/imports/", {"files": named, **fields})


def kept_files():
    return [name for name in ImportFile.objects.values_list("content", flat=True) if name]


def work(answer):
    """Do what a worker would do with the job of an answer. What keeps its lease looks from a connection of its own, so
    that the test has to commit."""
    assert not connection.in_atomic_block
    jobs.run(ImportJob, answer.json()["id"])
    return ImportJob.objects.get(pk=answer.json()["id"])


class TestWhoMay:
    def test_without_the_permission_there_is_nothing_here(self, client, make_user):
        client.force_login(make_user())
        for address in ("import-formats", "imports", "datasets", "datasets/x"):
            assert client.get(f"/api/{address}/").status_code == 404
        assert upload(client, ("a.csv", LONG)).status_code == 404
        assert not ImportJob.objects.exists()

    def test_nobody_gets_anything_without_signing_in(self, client, db):
        assert client.get("/api/imports/").status_code in (401, 403)
        assert upload(client, ("a.csv", LONG)).status_code in (401, 403)

    def test_an_import_belongs_to_whoever_started_it(self, api, no_bell, client, make_user):
        job = upload(api, ("a.csv", LONG)).json()
        other = make_user("other@example.org")
        other.user_permissions.add(Permission.objects.get(codename="add_dataset"))
        client.force_login(other)
        assert client.get(f"/api/imports/{job['id']}/").status_code == 404
        assert client.post(f"/api/imports/{job['id']}/cancel/").status_code == 404
        assert client.get("/api/imports/").json() == []

    def test_predictions_go_only_into_datasets_that_one_may_see(self, api, no_bell):
        table = DatasetTable(labels=LabelSet(("x",), Task.MULTILABEL), instances=[InstanceRow("a")], gold=EYE)
        write_dataset(table=table, slug="secret", title="Secret")
        answer = upload(api, ("p.csv", WIDE), kind="predictions", dataset="secret")
        assert answer.status_code == 400
        assert answer.json()["data"] == {"dataset": ["This dataset does not exist."]}
        assert api.get("/api/datasets/secret/").status_code == 404
        assert api.get("/api/datasets/").json() == []


class TestRefusedAtOnce:
    def test_too_many_bytes(self, api, settings):
        settings.HLV_MAX_UPLOAD_BYTES = 100
        answer = upload(api, ("a.csv", LONG * 10))
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert not ImportJob.objects.exists()

    def test_a_length_that_is_too_large_before_anything_is_read(self, api, settings):
        settings.HLV_MAX_UPLOAD_BYTES = 100
        answer = api.generic(
            "POST", "/api/imports/", b"x", content_type="multipart/form-data; boundary=x", CONTENT_LENGTH=str(1 << 40)
        )
        assert answer.status_code == 413

    @pytest.mark.parametrize(
        ("fields", "code"),
        [
            ({"kind": "odd"}, "invalid"),
            ({"dataset": "no slug!"}, "invalid"),
            ({"options": "[1]"}, "invalid"),
            ({"options": "{broken"}, "invalid"),
            ({"format": "odd"}, "unknown_name"),
            ({"format": "table", "options": '{"odd": 1}'}, "bad_option"),
            ({"format": "table", "options": '{"task": "odd"}'}, "bad_option"),
            ({"label_names": "tax"}, "invalid"),
            ({"options": '{"label_names": "tax"}'}, "invalid"),
        ],
    )
    def test_what_cannot_be_meant(self, api, fields, code):
        answer = upload(api, ("a.csv", LONG), **fields)
        assert answer.status_code in (400, 404)
        assert answer.json()["code"] == code
        assert not ImportJob.objects.exists()

    def test_no_file(self, api):
        assert upload(api).status_code == 400

    def test_more_unfinished_imports_of_one_person_than_allowed(self, api, no_bell, settings):
        settings.HLV_JOBS_PER_PERSON = 2
        first = upload(api, ("a.csv", LONG)).json()["id"]
        assert upload(api, ("a.csv", LONG)).status_code == 202
        before = uploaded()
        answer = upload(api, ("a.csv", LONG))
        assert (answer.status_code, answer.json()["code"]) == (409, "too_many_jobs")
        assert uploaded() == before
        api.post(f"/api/imports/{first}/cancel/")
        assert upload(api, ("a.csv", LONG)).status_code == 202

    def test_nothing_stays_on_disk_when_the_job_cannot_be_stored(self, api, monkeypatch):
        def fail(*_args, **_kwargs):
            raise IntegrityError

        before = uploaded()
        monkeypatch.setattr(ImportFile.objects, "bulk_create", fail)
        with pytest.raises(IntegrityError):
            upload(api, ("a.csv", LONG))
        assert uploaded() == before
        assert not ImportJob.objects.exists()


def uploaded():
    folder = Path(default_storage.path("imports"))
    return sorted(folder.iterdir()) if folder.is_dir() else []


EYE = np.eye(1)


@pytest.mark.django_db(transaction=True)
class TestTheJob:
    """Its rows are committed, for a thread beside the work looks whether the job is still its own."""

    def test_a_dry_run_reports_and_writes_nothing(self, api, no_bell):
        answer = upload(api, ("a.csv", LONG), dry_run="true")
        assert (answer.status_code, answer.json()["state"], answer.json()["files"]) == (202, "queued", ["a.csv"])
        job = work(answer)
        assert (job.state, job.report["instances"], job.report["changed"]) == ("succeeded", 2, True)
        assert not Dataset.objects.exists()
        assert kept_files() == []

    def test_its_complaints_are_in_the_language_of_who_asked(self, api, no_bell):
        api.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
        job = work(upload(api, ("a.csv", "instance,label,probability\na,tax,7\n")))
        assert job.error == "a.csv, Zeile 2, probability: der Wert liegt nicht in [0, 1] (gefunden: 7.0). " + (
            "Geben Sie eine Zahl von 0 bis 1 an."
        )
        assert job.report["problems"][0]["reason"] == "der Wert liegt nicht in [0, 1]"
        table = next(one for one in api.get("/api/import-formats/").json() if one["name"] == "table")
        help_text = table["options"]["properties"]["exclusive"]["description"]
        assert help_text == "Die Kategorie, die nicht mit anderen kombinierbar ist."

    def test_an_import_writes_and_leaves_an_event(self, api, no_bell, importer):
        job = work(upload(api, ("a.csv", LONG), title="Small", options=json.dumps({"task": "multilabel"})))
        dataset = Dataset.objects.get(slug="small")
        assert (job.state, dataset.title, dataset.task, dataset.created_by) == (
            "succeeded",
            "Small",
            "multilabel",
            importer,
        )
        event = Event.objects.get(dataset=dataset)
        assert (event.actor, event.data["files"], event.data["instances"]) == (importer, ["a.csv"], 2)
        work(upload(api, ("p.csv", WIDE), kind="predictions", options=json.dumps({"model": "M"})))
        assert System.objects.get().name == "M"

    def test_a_tools_export_is_imported_with_other_names_for_its_labels(self, api, no_bell):
        export = (settings.BASE_DIR / "tests/fixtures/tools/label_studio/export.json").read_text(encoding="utf-8")
        fields = {"options": json.dumps({"criterion": "urgent"}), "label_names": "yes=urgent\nno=later\nunsure=later"}
        job = work(upload(api, ("export.json", export), **fields))
        assert (job.state, job.report["format"]) == (JobState.SUCCEEDED, "label-studio")
        dataset = Dataset.objects.get(slug="small")
        assert list(dataset.labels.values_list("name", flat=True)) == ["urgent", "later"]
        assert dataset.gold.tolist() == [[2 / 3, 1 / 3], [0, 1], [1 / 2, 1 / 2], [1, 0]]
        assert any(note.startswith("3 answers ") for note in job.report["notes"])

    def test_predictions_get_no_names_of_labels(self, api, no_bell):
        work(upload(api, ("a.csv", LONG)))
        answer = upload(api, ("p.csv", LONG), kind="predictions", label_names="tax=t")
        assert answer.json()["data"] == {"label_names": ["Labels can only be renamed when importing a dataset."]}

    def test_what_nothing_uses_is_replaced_where_that_is_asked_for(self, api, no_bell):
        work(upload(api, ("a.csv", LONG)))
        other = LONG.replace("0.25", "0.5").replace("0.75", "0.5")
        assert work(upload(api, ("a.csv", other))).state == JobState.FAILED
        answer = upload(api, ("a.csv", other), replace="true")
        assert answer.json()["replace"] is True
        job = work(answer)
        assert (job.state, job.report["changed"]) == (JobState.SUCCEEDED, True)
        assert "The existing dataset was replaced." in job.report["notes"]
        assert Dataset.objects.get().gold[0].tolist() == [0.5, 0.5]

    def test_a_refused_import_fails_with_its_report(self, api, no_bell):
        job = work(upload(api, ("../../bad.csv", LONG.replace("0.25", "7"))))
        assert (job.state, job.report["problem_count"], job.report["problems"][0]["line"]) == ("failed", 1, 2)
        assert job.error.startswith("bad.csv, line 2, probability: the value is not in [0, 1]")
        assert not Dataset.objects.exists()
        assert kept_files() == []

    def test_a_second_delivery_finds_everything_done(self, api, no_bell):
        answer = upload(api, ("a.csv", LONG))
        done = ImportJob.objects.get(pk=answer.json()["id"])
        execute_import(done, jobs.JobProgress())
        report = execute_import(done, jobs.JobProgress())["report"]
        assert (Dataset.objects.count(), report["changed"]) == (1, False)

    def test_the_files_go_whatever_the_end(self, api, no_bell, monkeypatch):
        before = uploaded()
        waiting, given_up, broken = (upload(api, ("a.csv", LONG)).json()["id"] for _ in range(3))
        assert len(uploaded()) == len(before) + 3
        api.post(f"/api/imports/{waiting}/cancel/")
        assert len(uploaded()) == len(before) + 2
        ImportJob.objects.filter(pk=given_up).update(
            state=JobState.RUNNING, attempts=settings.JOB_MAX_ATTEMPTS, lease_until="2020-01-01T00:00:00Z"
        )
        sweep()
        assert ImportJob.objects.get(pk=given_up).state == JobState.FAILED
        assert len(uploaded()) == len(before) + 1
        monkeypatch.setattr("annotations.importing.datasets.import_dataset", lambda **_: 1 / 0)
        jobs.run(ImportJob, broken)
        assert ImportJob.objects.get(pk=broken).error.startswith("An internal error occurred (ZeroDivisionError)")
        assert uploaded() == before

    def test_who_lost_the_permission_meanwhile_imports_nothing(self, api, no_bell, importer):
        answer = upload(api, ("a.csv", LONG))
        importer.user_permissions.clear()
        assert (work(answer).state, Dataset.objects.count()) == ("failed", 0)


class TestReading:
    def test_formats_come_with_the_schema_of_their_options(self, api):
        formats = {(entry["kind"], entry["name"]): entry for entry in api.get("/api/import-formats/").json()}
        assert {name for _, name in formats} >= {"table", "matrix", "chaosnli"}
        assert formats["predictions", "chaosnli"]["options"]["properties"]["temperature"]["description"]

    def test_datasets_are_described_in_a_fixed_number_of_queries(self, api, importer, django_assert_max_num_queries):
        for number in range(5):
            table = DatasetTable(
                labels=LabelSet(("x", "y"), Task.MULTILABEL), instances=[InstanceRow("a")], gold=np.array([[1.0, 0.5]])
            )
            write_dataset(table=table, slug=f"set-{number}", title="Set", actor=importer)
        with django_assert_max_num_queries(9):
            answer = api.get("/api/datasets/").json()
        assert [entry["slug"] for entry in answer] == [f"set-{number}" for number in range(5)]
        assert (answer[0]["labels"], answer[0]["instances"], answer[0]["annotations"]) == (["x", "y"], 1, 0)
        assert api.get("/api/datasets/set-3/").json() == answer[3]

    @pytest.mark.django_db(transaction=True)
    def test_a_dataset_says_how_many_votes_and_judges_it_holds(self, api):
        row = '{{"instance": "a", "first": "x", "second": "y", "judge": "{}", "outcome": "tie"}}\n'
        job = work(upload(api, ("votes.jsonl", row.format("ann") * 2 + row.format("gpt4_pair")), dataset="votes"))
        assert (job.state, job.report["votes"], job.report["judges"]) == ("succeeded", 3, 2)
        shown = api.get("/api/datasets/votes/").json()
        assert (shown["votes"], shown["judges"], shown["machine_judges"]) == (3, 2, 1)
        assert (shown["labels"], shown["systems"], shown["predicted_annotations"]) == ([], [], [])

    def test_imports_are_listed_in_a_fixed_number_of_queries(self, api, no_bell, django_assert_max_num_queries):
        for _ in range(5):
            upload(api, ("a.csv", LONG), ("b.csv", LONG))
        with django_assert_max_num_queries(8):
            assert len(api.get("/api/imports/").json()) == 5


@pytest.mark.django_db(transaction=True)
def test_a_real_worker_imports_an_upload_and_stops_when_asked(celery_worker_process, api):
    job = upload(api, ("a.csv", LONG)).json()
    wait_until(lambda: api.get(f"/api/imports/{job['id']}/").json()["state"] == "succeeded")
    shown = api.get(f"/api/imports/{job['id']}/").json()
    assert (shown["report"]["changed"], shown["finished_at"] is not None, shown["worker_alive"]) == (True, True, True)
    assert Dataset.objects.filter(slug="small").exists()

    rows = "".join(f'{{"instance": "i{n}", "segments": {{"a": "x"}}, "tax": 0.5}}\n' for n in range(400_000))
    long = upload(api, ("long.jsonl", rows), dataset="long").json()
    wait_until(lambda: api.get(f"/api/imports/{long['id']}/").json()["progress"]["done"] > 0)
    api.post(f"/api/imports/{long['id']}/cancel/")
    wait_until(lambda: api.get(f"/api/imports/{long['id']}/").json()["state"] == "cancelled")
    assert not Dataset.objects.filter(slug="long").exists()
    wait_until(lambda: kept_files() == [])


def test_names_of_files_are_made_harmless():
    assert clean_name("a/b\\c/\x00evil\n.csv") == "evil.csv"
    assert len(clean_name("x" * 500 + ".csv")) == 255


@pytest.mark.django_db(transaction=True)
class TestUndoing:
    def undo(self, api, job):
        return api.post(f"/api/v1/imports/{job.pk}/undo/")

    def test_an_import_is_undone_with_what_was_computed_of_it(self, api, no_bell):
        made = work(upload(api, ("a.csv", LONG)))
        assert api.get("/api/v1/imports/").json()["results"][0]["made"] == "small"
        answer = self.undo(api, made)
        assert (answer.status_code, answer.json()["made"]) == (200, None)
        assert answer.json()["undone_at"] is not None
        assert not Dataset.objects.exists()
        again = self.undo(api, made)
        assert (again.status_code, again.json()["code"]) == (409, "cannot_be_undone")

    def test_undoing_predictions_leaves_what_was_there_before(self, api, no_bell):
        work(upload(api, ("a.csv", LONG)))
        work(upload(api, ("first.csv", WIDE), kind="predictions"))
        both = work(upload(api, ("first.csv", WIDE), ("second.csv", WIDE), kind="predictions"))
        assert System.objects.count() == 2
        assert self.undo(api, both).status_code == 200
        assert [system.name for system in System.objects.all()] == ["first"]

    def test_checks_and_what_came_again_since_are_not_undone(self, api, no_bell):
        first = work(upload(api, ("a.csv", LONG)))
        check = work(upload(api, ("a.csv", LONG), dry_run="true"))
        assert self.undo(api, check).json()["code"] == "cannot_be_undone"
        Dataset.objects.get().delete()
        work(upload(api, ("a.csv", LONG)))
        assert self.undo(api, first).json()["code"] == "cannot_be_undone"
        assert Dataset.objects.exists()

    def test_what_a_study_uses_stays(self, api, no_bell):
        made = work(upload(api, ("a.csv", LONG)))
        Study.objects.create(dataset=Dataset.objects.get(), slug="uses-it", title="Uses it")
        answer = self.undo(api, made)
        assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
        made.refresh_from_db()
        assert made.undone_at is None


def test_a_wrong_short_name_is_told_as_that(api):
    answer = upload(api, ("a.csv", LONG), dataset="no slug!")
    (sentence,) = answer.json()["fields"]["dataset"]
    assert sentence.startswith("The short name can contain only letters")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "this is an image (PNG), not a table"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "this is an image (JPEG), not a table"),
        (b"a,b\n\x00\x01\x02\n", "this is binary data, not text (it contains zero bytes)"),
    ],
)
def test_what_is_no_table_is_told_as_what_it_is(tmp_path, content, what):
    (tmp_path / "scan.csv").write_bytes(content)
    report = import_dataset(files=[SourceFile.at(tmp_path / "scan.csv")], slug="d", dry_run=True)
    (problem,) = report.problems
    assert (problem["file"], problem["reason"]) == ("scan.csv", what)
    assert problem["remedy"].startswith("Provide the file that contains the data")
