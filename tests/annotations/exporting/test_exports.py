"""Taking responses out: for whom, with which trace, and at what cost."""

import io
import tracemalloc
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.designing.lifecycle import change_state
from annotations.exporting import rows, study_responses, tables
from annotations.exporting.exports import archive_name, export_responses
from annotations.exporting.formats import formats, zipped
from annotations.exporting.rows import ResponseSource
from annotations.ground.errors import NotAllowed
from annotations.ground.registry import UnknownName
from annotations.models import Assignment, Comparison, Event, EventKind, Role, StudyState, User
from annotations.simulating.responses import Answer, store_answers
from tests.worlds.full import NOON, make_full_dataset, make_full_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db

FORMATS = formats.names()


@pytest.fixture
def study():
    return make_full_study()


@pytest.fixture
def member(study):
    def make(role):
        return make_member(study, role, f"{role}@example.org").user

    return make


def test_the_formats_are_found_by_name():
    assert {"csv", "jsonl", "parquet", "study_responses"} <= set(FORMATS)


def test_an_unknown_format_names_those_that_exist(study):
    with pytest.raises(UnknownName, match=", ".join(FORMATS)):
        export_responses(study=study, format_name="xlsx")


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_researchers_and_admins_may_export(study, member, role):
    assert export_responses(study=study, format_name="csv", actor=member(role))


def test_an_expert_or_a_stranger_may_not_export(study, member):
    for user in (member(Role.EXPERT), User.objects.create_user("stranger@example.org")):
        with pytest.raises(NotAllowed):
            export_responses(study=study, format_name="csv", actor=user)
    assert not Event.objects.filter(kind=EventKind.EXPORTED).exists()


def test_an_export_leaves_an_event_and_before_the_end_one_for_looking(study, member):
    researcher = member(Role.RESEARCHER)
    export_responses(study=study, format_name="jsonl", actor=researcher)
    exported = Event.objects.get(kind=EventKind.EXPORTED)
    assert (exported.actor, exported.data["format"]) == (researcher, "jsonl")
    assert exported.data["responses"] == study.assignments.completed().count()
    assert Event.objects.get(kind=EventKind.UNBLINDED_VIEW).actor == researcher


def test_after_the_study_has_closed_an_export_is_no_early_look(study, member):
    closed = change_state(study=study, to=StudyState.CLOSED)
    export_responses(study=closed, format_name="csv", actor=member(Role.ADMIN))
    assert Event.objects.filter(kind=EventKind.EXPORTED).count() == 1
    assert not Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).exists()


# -- cost


def many_answers(count, slug):
    """A study with that many answers, made quickly."""
    from annotations.models import Membership, Study

    dataset = make_full_dataset(slug, instances=50)
    system = dataset.systems.first()
    study = Study.objects.create(dataset=dataset, slug=slug, title=slug, state="open", experts_per_comparison=1)
    instances = list(dataset.instances.order_by("position"))
    experts = [
        Membership(study=study, user=User.objects.create_user(f"{n}@{slug}.example.org"), role="expert", number=n)
        for n in range(-(-count // 50))
    ]
    Membership.objects.bulk_create(experts)
    systems = list(dataset.systems.all())
    assert system in systems
    comparisons = Comparison.objects.bulk_create(
        Comparison(study=study, instance=instance, second_system=systems[0], position=n)
        for n, instance in enumerate(instances)
    )
    given = Assignment.objects.bulk_create(
        (
            Assignment(
                study=study,
                comparison=comparisons[n % 50],
                instance=instances[n % 50],
                place=n // 50,
                places=len(experts),
                expert=experts[n // 50],
                position=n % 50,
                claimed_at=NOON,
            )
            for n in range(count)
        ),
        batch_size=500,
    )
    store_answers(
        study=study,
        answers=[Answer(row.pk, NOON, (0, 2), 900, NOON, True, False, 0.5, 800, NOON) for row in given],
    )
    return study


def run(study, format_name):
    return sum(len(chunk) for file in formats.get(format_name).files(ResponseSource(study)) for chunk in file.chunks())


def test_the_number_of_queries_is_the_same_for_any_number_of_responses_in_a_chunk():
    studies = [many_answers(size, f"size-{size}") for size in (40, 200)]
    for format_name in FORMATS:
        counts = []
        for study in studies:
            with CaptureQueriesContext(connection) as queries:
                run(study, format_name)
            counts.append(len(queries))
        assert counts[0] == counts[1], format_name
        assert counts[0] <= 25, format_name


def test_memory_does_not_grow_with_the_number_of_responses(monkeypatch):
    for module, name in ((rows, "CHUNK"), (study_responses, "CHUNK"), (tables, "GROUP")):
        monkeypatch.setattr(module, name, 100)
    studies = [many_answers(300, "short"), many_answers(1000, "long")]
    for format_name in FORMATS:
        run(studies[0], format_name)  # whatever is loaded and cached only once
        peaks = []
        for study in studies:
            tracemalloc.start()
            for _ in zipped(formats.get(format_name).files(ResponseSource(study))):
                pass
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert peaks[1] < 1.3 * peaks[0], format_name


# -- the archive and the command


def test_the_archive_holds_the_files_and_is_the_same_every_time(study):
    files = formats.get("study_responses").files(ResponseSource(study))
    content = b"".join(zipped(files))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        for file in files:
            assert archive.read(file.name) == b"".join(file.chunks())
    assert b"".join(zipped(files)) == content


def test_the_archive_of_simulated_data_says_so_in_its_name(study):
    assert archive_name(study, "study_responses") == "small-study-study-responses.zip"
    study.is_simulated = True
    assert archive_name(study, "csv") == "small-study-csv-SIMULATED.zip"


def test_the_command_writes_the_files_and_the_log(study, tmp_path):
    out = io.StringIO()
    call_command("export_responses", "small-study", "--format", "jsonl", "--out", str(tmp_path / "new"), stdout=out)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "dictionary.md",
        "experts.csv",
        "instrument_versions.json",
        "responses.jsonl",
        "responses.schema.json",
        "systems.csv",
    ]
    assert str(study.assignments.completed().count()) in out.getvalue()
    assert Event.objects.filter(kind=EventKind.EXPORTED).count() == 1


def test_the_command_explains_a_study_that_is_not_there(tmp_path):
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        call_command("export_responses", "nowhere", "--format", "csv", "--out", str(tmp_path))


def test_what_was_exported_can_be_imported_by_command(study, tmp_path):
    call_command("export_responses", study.slug, "--format", "study_responses", "--out", str(tmp_path))
    out = io.StringIO()
    call_command("import_responses", str(tmp_path), "--dataset", study.dataset.slug, "--study", "copy", stdout=out)
    assert "copy" in out.getvalue()
    call_command("import_responses", str(tmp_path), "--dataset", study.dataset.slug, "--study", "copy", stdout=out)
    assert "nothing was changed" in out.getvalue()
