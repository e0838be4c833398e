"""A short name that is in use elsewhere says nothing about whose it is, nor what it holds."""

import json

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotations.designing.lifecycle import add_member
from annotations.designing.starting import StudyExists, create_study
from annotations.models import Dataset, ImportJob, Role, Study, User
from annotations.shown.short_names import own_name
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    person = User.objects.create_user("ann@example.org", "a long password")
    person.user_permissions.add(*Permission.objects.filter(codename__in=("add_dataset", "add_study")))
    return person


def ask(client: Client, slug: str, *, dry_run: bool) -> dict[str, object]:
    file = SimpleUploadedFile("a.csv", b"instance,text\n1,x\n")
    sent = {"files": file, "kind": "dataset", "dataset": slug, "dry_run": str(dry_run).lower()}
    answer = client.post("/api/v1/imports/", sent)
    assert answer.status_code == 202
    found: dict[str, object] = answer.json()
    return found


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_import_under_a_foreign_datasets_name_is_taken_like_any_other(ann, dry_run) -> None:
    make_dataset(slug="secret-contracts")
    client = Client()
    client.force_login(ann)
    ask(client, "secret-contracts", dry_run=dry_run)
    ask(client, "a-free-name", dry_run=dry_run)
    foreign, free = ImportJob.objects.order_by("created_at")
    assert foreign.dataset_slug.startswith("secret-contracts-")
    assert free.dataset_slug == "a-free-name"
    # Importing again finds the same dataset, not a further one.
    ask(client, "secret-contracts", dry_run=dry_run)
    assert set(ImportJob.objects.values_list("dataset_slug", flat=True)) == {foreign.dataset_slug, "a-free-name"}


def test_a_study_under_a_foreign_studys_name_is_created_like_any_other(ann) -> None:
    make_study(dataset=make_dataset(slug="foreign"), slug="secret-study")
    own = make_dataset(slug="own")
    Dataset.objects.filter(pk=own.pk).update(created_by=ann)
    client = Client()
    client.force_login(ann)
    answer = client.post(
        "/api/v1/studies/",
        json.dumps({"dataset": "own", "title": "Mine", "slug": "secret-study"}),
        content_type="application/json",
    )
    assert answer.status_code == 201, answer.content
    assert answer.json()["slug"].startswith("secret-study-")
    assert Study.objects.filter(slug__startswith="secret-study").count() == 2


def test_the_name_of_ones_own_study_is_taken_and_said_to_be(ann) -> None:
    study = make_study(slug="mine")
    add_member(study=study, user=ann, role=Role.RESEARCHER)
    with pytest.raises(StudyExists):
        create_study(dataset=study.dataset, slug="mine", actor=ann)


def test_two_people_get_different_names_and_each_always_the_same(ann) -> None:
    make_dataset(slug="taken")
    ben = User.objects.create_user("ben@example.org")

    def name(user: User) -> str:
        return own_name("taken", taken=Dataset.objects.all(), seen=Dataset.objects.visible_to(user), user=user)

    assert name(ann) == name(ann) != name(ben)
    assert name(User.objects.create_superuser("root@example.org")) == "taken"
