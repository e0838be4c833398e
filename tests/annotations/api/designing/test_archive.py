"""A study is put away and taken out again, and deleted as long as nobody has answered it."""

import pytest

from annotations import designing
from annotations.designing.applying import StudyClosed
from annotations.models import Event, EventKind, Membership, Role, Study, System
from tests.annotations.api.designing.test_setup import in_study, post, signed_in
from tests.worlds.answering import complete, taken
from tests.worlds.datasets import make_dataset, store_dataset
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db


def slugs(client, query: str = "") -> list[str]:
    return [one["slug"] for one in client.get(f"/api/v1/studies/{query}").json()["results"]]


def as_expert(study: Study, number: int = 0):
    user = study.memberships.get(number=number).user
    return signed_in(user.email)


def test_lists_leave_an_archived_study_out_unless_they_are_asked_for_it():
    study = make_open_study(experts=2)
    admin = in_study(study, Role.ADMIN)
    assert slugs(admin) == ["study"]
    answer = post(admin, "studies/study/archive/")
    assert answer.json()["archived_at"] is not None
    for client in (admin, as_expert(study), signed_in("root@example.org", is_superuser=True)):
        assert slugs(client) == []
        assert slugs(client, "?archived=true") == ["study"]
    assert post(admin, "studies/study/unarchive/").json()["archived_at"] is None
    assert slugs(admin) == ["study"]
    kinds = list(Event.objects.filter(study=study).order_by("pk").values_list("kind", flat=True))
    assert kinds[-2:] == [EventKind.ARCHIVED, EventKind.UNARCHIVED]


def test_doing_it_twice_changes_nothing():
    study = make_open_study(experts=1)
    admin = in_study(study, Role.ADMIN)
    first = post(admin, "studies/study/archive/").json()
    assert post(admin, "studies/study/archive/").json() == first
    assert Event.objects.filter(kind=EventKind.ARCHIVED).count() == 1


def test_an_archived_study_hands_out_nothing_takes_no_answers_and_does_not_move():
    study = make_open_study(experts=2)
    expert = as_expert(study)
    in_hand = post(expert, "studies/study/next/").json()["assignment"]
    admin = in_study(study, Role.ADMIN)
    post(admin, "studies/study/archive/")
    told = post(expert, "studies/study/next/").json()
    assert (told["assignment"], told["finished"]) == (None, "closed")
    body = {"key": "0" * 32, "labels": [], "active_ms": 1}
    refused = post(expert, f"assignments/{in_hand['token']}/labels/", **body)
    assert refused.status_code >= 400
    assert not study.assignments.filter(labelresponses__isnull=False).exists()
    moved = post(admin, "studies/study/transition/", to="paused")
    assert (moved.status_code, moved.json()["code"]) == (409, "study_archived")
    member = Membership.objects.get(study=study, number=0)
    with pytest.raises(StudyClosed, match="archived"):
        designing.assign_named(study=study, expert=member, comparisons=[])
    post(admin, "studies/study/unarchive/")
    assert post(expert, "studies/study/next/").json()["assignment"]["token"] == in_hand["token"]


def test_only_admins_archive_and_delete():
    study = make_open_study(experts=1)
    clients = {403: in_study(study, Role.RESEARCHER), 404: in_study(study, Role.EXPERT)}
    for status, client in clients.items():
        assert post(client, "studies/study/archive/").status_code == status
        assert post(client, "studies/study/unarchive/").status_code == status
        assert client.delete("/api/v1/studies/study/?confirm=study").status_code == status
    assert Study.objects.filter(archived_at=None).count() == 1


def test_a_study_that_nobody_has_answered_goes_with_its_plan_and_the_log_stays():
    study = make_open_study(experts=2)
    neighbour = make_open_study(dataset=study.dataset, slug="neighbour", experts=2)
    taken(study.memberships.get(number=0).user)  # claimed, but not answered
    admin = in_study(study, Role.ADMIN)
    for query in ("", "?confirm=", "?confirm=neighbour"):
        answer = admin.delete(f"/api/v1/studies/study/{query}")
        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["confirm"])
    assert admin.delete("/api/v1/studies/study/?confirm=study").status_code == 204
    assert list(Study.objects.all()) == [neighbour]
    assert neighbour.comparisons.count() == 6
    told = Event.objects.get(kind=EventKind.DELETED)
    assert (told.subject, told.data["what"], told.data["comparisons"]) == ("study", "study", 6)
    assert admin.get("/api/v1/studies/study/").status_code == 404


def test_the_means_of_a_plan_go_with_its_study():
    import numpy as np

    from annotations.importing.memory.tables import SystemTable

    rows = np.full((6, 2), 0.5)
    runs = [SystemTable("Model", rows, "Method", run) for run in ("0", "1")]
    dataset = store_dataset(slug="runs", title="Runs", task="multiclass", gold=rows, labels=["a", "b"], systems=runs)
    study = make_study(dataset=dataset)
    designing.apply_plan(study=study)
    assert System.compared.filter(averaged_for=study).exists()
    admin = in_study(study, Role.ADMIN)
    assert admin.delete("/api/v1/studies/study/?confirm=study").status_code == 204
    assert System.compared.filter(dataset=dataset).count() == 2


def test_answers_are_kept_so_a_study_that_has_any_can_only_be_archived():
    study = make_open_study(dataset=make_dataset(), experts=2)
    complete(taken(study.memberships.get(number=0).user))
    admin = in_study(study, Role.ADMIN)
    refused = admin.delete("/api/v1/studies/study/?confirm=study")
    assert (refused.status_code, refused.json()["code"]) == (409, "study_has_answers")
    assert "Archive the study instead" in refused.json()["detail"]
    assert post(admin, "studies/study/archive/").status_code == 200
