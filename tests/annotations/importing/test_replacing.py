"""A wrong choice can be mended under the same name as long as nothing uses what was imported."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from annotations.ground.errors import NotAllowed
from annotations.importing.datasets import import_dataset, import_predictions
from annotations.importing.writing.datasets import OtherContent
from annotations.importing.writing.replacing import InUse
from annotations.models import Dataset, Event, EventKind, Study, System, User
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import start_run

pytestmark = pytest.mark.django_db

LONG = "instance,annotator,label\n" + "".join(f"i{n},p{p},{n}\n" for n in range(1, 8) for p in (1, 2))


@pytest.fixture
def wrong(write):
    """A scale that was imported as classes, with predictions."""
    owner = User.objects.create_user("owner@example.org")
    file = write("d.csv", LONG)
    import_dataset(files=[file], slug="d", actor=owner)
    dataset = Dataset.objects.get()
    header = ",".join(["instance", *map(str, range(1, 8))])
    rows = [",".join([f"i{n}", *("1" if k == n else "0" for k in range(1, 8))]) for n in range(1, 8)]
    import_predictions(files=[write("model.csv", "\n".join([header, *rows]))], dataset=dataset, actor=owner)
    return file, owner


def again(file, actor=None, **more):
    return import_dataset(files=[file], slug="d", options={"task": "ordinal"}, actor=actor, **more)


def test_another_choice_takes_the_place_of_the_wrong_one(wrong):
    file, owner = wrong
    before = Dataset.objects.get()
    with pytest.raises(OtherContent, match="you can also replace"):
        again(file)
    rehearsed = again(file, owner, replace=True, dry_run=True)
    assert (rehearsed.changed, rehearsed.problems) == (True, [])
    assert (
        "would be replaced, and the predictions of model would be deleted with it. Import them again."
    ) in rehearsed.notes[-1]
    assert Dataset.objects.get() == before
    done = again(file, owner, replace=True)
    assert "was replaced, and the predictions of model were deleted with it" in done.notes[-1]
    after = Dataset.objects.get()
    assert (after.task, after.slug, System.objects.count()) == ("ordinal", "d", 0)
    event = Event.objects.get(kind=EventKind.REPLACED)
    assert (event.actor, event.subject, event.data["before"]) == (owner, "d", before.fingerprint)
    assert event.data["systems"] == ["model"]
    assert again(file, owner, replace=True).changed is False


def test_a_dataset_that_a_study_uses_is_never_replaced(wrong):
    file, owner = wrong
    dataset = Dataset.objects.get()
    Study.objects.create(dataset=dataset, slug="mine", title="Mine")
    with pytest.raises(InUse, match=r"used by 1 study \('mine'\)"):
        again(file, owner, replace=True)
    with translation.override("de"), pytest.raises(InUse, match=r"\b1 Studie \('mine'\)"):
        again(file, owner, replace=True)
    rehearsed = again(file, owner, replace=True, dry_run=True)
    assert (rehearsed.changed, rehearsed.problem_count) == (False, 1)
    assert Dataset.objects.get() == dataset
    assert System.objects.count() == 1


@pytest.mark.parametrize("many", [False, True])
def test_a_dataset_that_an_analysis_uses_is_never_replaced(wrong, many):
    file, owner = wrong
    dataset = Dataset.objects.get()
    subject = Subject.of_datasets([dataset]) if many else Subject.of_dataset(dataset)
    start_run(subject=subject, analysis="leaderboard", parameters={"resamples": 100}, seed=1)
    with pytest.raises(InUse, match="used by 1 analysis"):
        again(file, owner, replace=True)
    assert Dataset.objects.get() == dataset


def test_nobody_replaces_what_somebody_else_imported(wrong):
    file, _ = wrong
    other = User.objects.create_user("other@example.org")
    with pytest.raises(NotAllowed):
        again(file, other, replace=True)
    assert Dataset.objects.get().task == "multiclass"


def test_predictions_are_replaced_alike(wrong, write):
    _, owner = wrong
    dataset = Dataset.objects.get()
    header = ",".join(["instance", *map(str, range(1, 8))])
    rows = [",".join([f"i{n}", *("1" if k == 1 else "0" for k in range(1, 8))]) for n in range(1, 8)]
    file = write("model.csv", "\n".join([header, *rows]))
    with pytest.raises(OtherContent, match="you can also replace"):
        import_predictions(files=[file], dataset=dataset, actor=owner)
    rehearsed = import_predictions(files=[file], dataset=dataset, actor=owner, replace=True, dry_run=True)
    assert (rehearsed.changed, rehearsed.problems) == (True, [])
    done = import_predictions(files=[file], dataset=dataset, actor=owner, replace=True)
    assert done.changed
    assert System.objects.get().predictions[:, 0].tolist() == [1.0] * 7
    assert Event.objects.get(kind=EventKind.REPLACED).data == {"what": "predictions", "systems": ["model"]}
    Study.objects.create(dataset=dataset, slug="mine", title="Mine")
    same = import_predictions(files=[file], dataset=dataset, actor=owner, replace=True)
    assert not same.changed
    other = write("model.csv", "\n".join([header, *reversed(rows)]).replace("i7,1,0", "i7,0,1"))
    with pytest.raises(InUse):
        import_predictions(files=[other], dataset=dataset, actor=owner, replace=True)


def test_the_command_has_the_option(wrong):
    file, _ = wrong
    out = io.StringIO()
    with pytest.raises(CommandError, match="you can also replace"):
        call_command("import_dataset", "d", str(file.path), task="ordinal", stdout=out, stderr=out)
    call_command("import_dataset", "d", str(file.path), "--replace", task="ordinal", stdout=out, stderr=out)
    assert "The existing dataset was replaced" in out.getvalue()
    assert Dataset.objects.get().task == "ordinal"
