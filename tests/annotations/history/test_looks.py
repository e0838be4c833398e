"""Who has looked at distributions answers on none of their texts, and who answers looks at none."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone

from annotations.answering import assigning
from annotations.answering.progress import texts_left
from annotations.designing import reassigning
from annotations.designing.applying import InstanceTwice, assign_named
from annotations.designing.lifecycle import add_member, change_state
from annotations.designing.starting import begin_study
from annotations.erasing.subjects import erase_text
from annotations.ground.fingerprints import text_digest
from annotations.history.looks import AnswersTheseTexts, KnowsTheSides, after_looking, look
from annotations.importing.memory.tables import (
    DatasetTable,
    InstanceRow,
    LabelSet,
    PredictionTable,
    Segment,
    SystemTable,
)
from annotations.importing.writing.datasets import write_dataset
from annotations.importing.writing.predictions import write_predictions
from annotations.models import (
    Dataset,
    Look,
    Membership,
    Role,
    Study,
    StudyState,
    Task,
    TextSet,
    User,
)
from annotations.people.invitations import inviting
from annotations.people.invitations.arrivals import accept
from annotations.people.membership.addresses import BadAddresses, read_addresses
from annotations.people.membership.leaving import accept_role, come_back, decline_role, leave
from annotations.people.membership.members import add_accounts, change_role
from annotations.shown.consent import consent_text, version_of
from annotations.storing.mail_addresses import OF_DEMO
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.setups import copy_study
from tests.conftest import Tried
from tests.permissions import operations
from tests.worlds.answering import complete, complete_all, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.history import with_pool
from tests.worlds.studies import make_member, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery staple"


def person(name: str = "ann", **fields: object) -> User:
    return User.objects.create_user(f"{name}@example.org", PASSWORD, **fields)


def again(slug: str = "again", *, change: Callable[[str], str] = str, actor: User | None = None) -> Dataset:
    """The texts of `some-dataset`, imported once more under another name with other judgements."""
    rows = [InstanceRow(f"x{i}", (Segment("", change(f"This is text number {i}.")),), "en", "ltr") for i in range(6)]
    table = DatasetTable(labels=LabelSet(("a", "b"), Task.MULTILABEL), instances=rows, gold=np.full((6, 2), 0.5))
    return write_dataset(table=table, slug=slug, title=slug, actor=actor).dataset


def ways_in(study: Study, admin: User) -> dict[str, Callable[[User], object]]:
    """Every way in which somebody becomes an expert."""

    def by_link(user: User) -> object:
        link = inviting.invite(study=study, addresses=read_addresses("new@example.org"), role=Role.EXPERT)[0]
        link.invitation.email = user.email
        link.invitation.save()
        return accept(token=link.token, signed_in=user, consent=version_of(consent_text(study)))

    def back(user: User) -> object:
        member = make_left(study, user, Role.EXPERT)
        return come_back(member=member, actor=admin)

    def offered(user: User) -> object:
        make_left(study, user, Role.EXPERT, is_pending=True)
        return accept_role(user=user, slug=study.slug)

    return {
        "added with an account": lambda user: add_accounts(
            study=study, addresses=read_addresses(user.email), role=Role.EXPERT, actor=admin
        ),
        "added at the shell": lambda user: call_command("add_member", study.slug, user.email),
        "invited": lambda user: inviting.invite(
            study=study, addresses=read_addresses(user.email), role=Role.EXPERT, actor=admin
        ),
        "accepting a link made before": by_link,
        "coming back": back,
        "accepting a role given before": offered,
    }


def make_left(study: Study, user: User, role: Role, *, is_pending: bool = False) -> Membership:
    left = {"number": 90, "is_active": False, "is_pending": is_pending, "left_at": timezone.now()}
    return Membership.objects.get_or_create(study=study, user=user, role=role, defaults=left)[0]


ONLOOKERS: dict[str, Callable[[Study], User]] = {
    "looked at the dataset": lambda study: looked(study.dataset),
    "looked at the same texts in another dataset": lambda study: looked(again(change=lambda text: f" {text.upper()} ")),
    "looked, and the dataset is deleted": lambda study: looked(again(), deleted=True),
    "imported the texts": lambda study: importer(),
    "researches another study of the dataset": lambda study: (
        make_member(make_study(dataset=study.dataset, slug="b"), Role.RESEARCHER, "ann@example.org", PASSWORD).user
    ),
}


def importer() -> User:
    user = person()
    again(actor=user)
    return user


def looked(dataset: Dataset, *, deleted: bool = False) -> User:
    user = person()
    look(user=user, datasets=[dataset.pk], what="dataset")
    if deleted:
        dataset.delete()
    return user


@pytest.mark.parametrize("onlooker", ONLOOKERS)
@pytest.mark.parametrize("way", ways_in(Study(slug=""), User()))
def test_who_has_seen_distributions_of_the_texts_becomes_no_expert_on_any_way(
    onlooker: str, way: str, tried: Tried
) -> None:
    tried(1, "ways to become an expert on texts that one has seen distributions of")
    study = make_open_study(experts=2)
    admin = make_member(study, Role.ADMIN, "boss@example.org").user
    user = ONLOOKERS[onlooker](study)
    with pytest.raises((KnowsTheSides, BadAddresses, CommandError)):
        ways_in(study, admin)[way](user)
    assert not Membership.objects.filter(user=user, role=Role.EXPERT, is_active=True).exists()


@pytest.mark.parametrize("way", ways_in(Study(slug=""), User()))
def test_who_has_seen_none_of_them_becomes_one(way: str) -> None:
    """Else the test above could refuse for any reason."""
    study = make_open_study(experts=2)
    admin = make_member(study, Role.ADMIN, "boss@example.org").user
    user = looked(make_dataset(slug="of-other-texts"))
    ways_in(study, admin)[way](user)


WAYS_TO_LOOK: dict[str, Callable[[Study, User, User], object]] = {
    "added": lambda other, user, admin: add_accounts(
        study=other, addresses=read_addresses(user.email), role=Role.RESEARCHER, actor=admin
    ),
    "invited": lambda other, user, admin: inviting.invite(
        study=other, addresses=read_addresses(user.email), role=Role.ADMIN, actor=admin
    ),
    "promoted": lambda other, user, admin: change_role(
        member=add_member(study=other, user=user, role=Role.EXPERT), role=Role.RESEARCHER, actor=admin
    ),
    "asked back": lambda other, user, admin: come_back(member=make_left(other, user, Role.RESEARCHER), actor=admin),
    "beginning a study": lambda other, user, _: begin_study(dataset=other.dataset, actor=user, title="Mine"),
    "copying one": lambda other, user, _: copy_study(study=other, actor=user, title="Mine"),
    "importing the texts": lambda other, user, _: again("mine", actor=user),
    "looking": lambda other, user, _: look(user=user, datasets=[other.dataset_id], what="dataset"),
}


@pytest.mark.parametrize("is_copy", [False, True])
@pytest.mark.parametrize("way", WAYS_TO_LOOK)
def test_who_answers_looks_at_no_distributions_of_the_texts_until_the_study_is_closed(
    way: str, is_copy: bool, tried: Tried
) -> None:
    tried(1, "ways to see distributions of texts that one answers on")
    study = make_open_study(experts=2)
    user = study.memberships.experts().earliest("number").user
    other = make_study(dataset=again() if is_copy else study.dataset, slug="b", systems=[])
    admin = make_member(other, Role.ADMIN, "boss@example.org").user
    with pytest.raises((AnswersTheseTexts, BadAddresses)):
        WAYS_TO_LOOK[way](other, user, admin)
    assert not Look.objects.filter(user=user).exists()
    change_state(study=study, to=StudyState.CLOSED)
    if way != "promoted":  # in a study that is not closed, the expert's own answers still keep them
        WAYS_TO_LOOK[way](other, user, admin)


def test_a_server_admin_who_answers_finds_no_other_study_or_dataset_of_the_texts() -> None:
    study, root = make_open_study(experts=1), User.objects.create_superuser("root@example.org", PASSWORD)
    other, same = make_study(dataset=study.dataset, slug="b"), again()
    client = Client()
    client.force_login(root)
    addresses = [
        *(f"/api/v1/studies/b/{part}/" for part in ("comparisons", "plan", "assignments", "responses")),
        *(f"/api/v1/datasets/{one.slug}/instances/" for one in (study.dataset, same)),
        f"/api/v1/datasets/{same.slug}/distributions/",
        "/api/v1/studies/study/comparisons/",
    ]
    add_member(study=study, user=root, role=Role.EXPERT)
    assert {address: client.get(address).status_code for address in addresses} == dict.fromkeys(addresses, 404)
    assert not Study.objects.unblinded_for(root).filter(pk=other.pk).exists()
    assert not Look.objects.exists()


def test_no_address_tells_who_answers_what_people_said_of_the_texts(tried: Tried) -> None:
    """Every GET of the API, about each study and dataset of the texts, as an admin of the server who answers in one."""
    study, root = make_open_study(experts=1), User.objects.create_superuser("root@example.org", PASSWORD)
    other = make_open_study(dataset=study.dataset, slug="b")
    shares = {repr(float(value))[:12] for value in Dataset.objects.get(pk=study.dataset_id).gold.ravel()}
    names = {"position": "0", "number": "1", "name": "ModelName / Method0 / 0", "format_name": "csv", "id": "1"}
    addresses = [
        re.sub(r"\{(\w+)\}", lambda part: names.get(part[1], "x"), address.replace("{slug}", slug))
        for method, address in operations()
        if method == "GET"
        for slug in (study.slug, other.slug, study.dataset.slug)
    ]
    client = Client()
    client.force_login(root)

    def telling() -> set[str]:
        answers = {address: client.get(f"/api/v1/{address}") for address in addresses}
        told = {address: answer.getvalue().decode(errors="replace") for address, answer in answers.items()}
        return {address for address, text in told.items() if any(share in text for share in shares)}

    assert {address.split("/")[0] for address in telling()} == {"datasets"}, "else nothing is searched for"
    Look.objects.all().delete()  # as if they had not looked
    add_member(study=study, user=root, role=Role.EXPERT)
    assert telling() == set()
    tried(len(addresses), "addresses asked by an admin who answers")


@pytest.mark.parametrize(
    ("address", "study"),
    [
        ("/api/v1/datasets/some-dataset/instances/", None),
        ("/api/v1/datasets/some-dataset/instances/0/", None),
        ("/api/v1/datasets/some-dataset/distributions/", None),
        ("/api/v1/studies/study/comparisons/", "study"),
        ("/api/v1/studies/study/assignments/", "study"),
        ("/api/v1/studies/study/responses/", "study"),
    ],
)
def test_what_gives_distributions_out_leaves_one_look(address: str, study: str | None) -> None:
    researcher = make_member(make_open_study(experts=2), Role.RESEARCHER, "ann@example.org").user
    client = Client()
    client.force_login(researcher)
    for _ in range(2):
        assert client.get(address).status_code == 200
    assert Look.objects.filter(user=researcher).count() == 1


def test_previews_and_the_demo_s_people_leave_none(settings: Any) -> None:
    study = make_open_study(experts=2)
    researcher = make_member(study, Role.RESEARCHER, OF_DEMO["researcher"]).user
    client = Client()
    client.force_login(researcher)
    assert client.get("/api/v1/studies/study/preview/").status_code == 200
    assert not Look.objects.exists()
    settings.HLV_DEMO = True
    assert client.get("/api/v1/studies/study/comparisons/").status_code == 200
    assert not Look.objects.exists(), "in a demo, one visitor steps into every role"
    settings.HLV_DEMO = False
    assert client.get("/api/v1/studies/study/comparisons/").status_code == 200
    assert Look.objects.get().user == researcher


def test_nobody_gets_a_text_that_they_had_in_another_study_of_the_dataset() -> None:
    dataset = make_dataset(instances=12)
    first = make_open_study(dataset=dataset, experts=1, slug="first")
    user = first.memberships.experts().get().user
    had = {one.instance_id for one in complete_all(user, "first")}
    second = make_study(dataset=dataset, slug="second", instances_per_system=6, seed=9)
    expert = add_member(study=second, user=user, role=Role.EXPERT)
    planned = plan(second)
    assert had & planned, "else there is nothing to keep back"
    counted = with_pool(Membership.objects.filter(pk=expert.pk)).get()
    assert counted.pool_instances == texts_left(expert, most=99, with_paused=False) == len(planned - had)
    assert {one.instance_id for one in complete_all(user, "second")} == planned - had


def plan(study: Study) -> set[int]:
    plan_and_open(study)
    return set(study.comparisons.values_list("instance", flat=True))


def test_nor_one_imported_again_under_another_name() -> None:
    first = make_open_study(experts=1, slug="first")
    user = first.memberships.experts().get().user
    had = {one.instance.segments[0]["text"] for one in complete_all(user, "first")}
    dataset = again(change=lambda text: text.replace(" ", "  ").lower())
    make_systems(dataset)
    second = make_study(dataset=dataset, slug="second", instances_per_system=6)
    add_member(study=second, user=user, role=Role.EXPERT)
    plan(second)
    got = {one.instance.segments[0]["text"] for one in complete_all(user, "second")}
    everything = {f"This is text number {i}." for i in range(6)}
    assert {text_digest([text]) for text in got} == {text_digest([text]) for text in everything - had}


def make_systems(dataset: Dataset) -> None:
    write_predictions(dataset=dataset, table=PredictionTable((SystemTable("M", np.full((6, 2), 0.3), "", ""),)))


def test_a_closed_study_counts_no_more_if_the_researcher_says_why() -> None:
    dataset = make_dataset()
    first = make_open_study(dataset=dataset, experts=1, slug="first", instances_per_system=6)
    user = first.memberships.experts().get().user
    complete_all(user, "first")
    second = make_study(dataset=dataset, slug="second", known_texts="The same experts, a year later.")
    expert = add_member(study=second, user=user, role=Role.EXPERT)
    plan(second)
    handed = assigning.next_assignment(user=user, slug="second")
    assert (handed.assignment, texts_left(expert, most=9, with_paused=False)) == (None, 0)
    change_state(study=first, to=StudyState.CLOSED)
    assert texts_left(expert, most=9, with_paused=False) > 0
    assert with_pool(Membership.objects.filter(pk=expert.pk)).get().pool_instances > 0
    taken(user, "second")


def test_a_text_had_elsewhere_is_not_given_by_name_either() -> None:
    dataset = make_dataset()
    first = make_open_study(dataset=dataset, experts=1, slug="first", instances_per_system=6)
    user = first.memberships.experts().get().user
    complete_all(user, "first")
    second = make_open_study(dataset=dataset, slug="second", experts=0)
    expert = add_member(study=second, user=user, role=Role.EXPERT)
    comparison = second.comparisons.first()
    with pytest.raises(InstanceTwice):
        assign_named(study=second, expert=expert, comparisons=[comparison])
    with pytest.raises(reassigning.Refused):
        reassigning.give(study=second, expert=expert, comparisons=[comparison.position])
    assert reassigning.share_evenly(study=second, experts=[expert]).changed == 0


def test_an_expert_who_has_looked_finishes_what_is_in_hand_and_gets_no_more() -> None:
    study = make_open_study(experts=1)
    user = study.memberships.experts().get().user
    complete(taken(user))
    in_hand = taken(user)
    Look.objects.create(user=user, text_set=study.dataset.text_set, what="role")
    assert taken(user).pk == in_hand.pk
    complete(in_hand)
    handed = assigning.next_assignment(user=user, slug="study")
    assert (handed.assignment, handed.finished, handed.more) == (None, "has_looked", 0)
    assert assigning.ask_for_more(user=user, slug="study").assignment is None
    assert list(after_looking(study)) == [in_hand]


def test_who_is_both_already_keeps_their_own_study_and_answers_no_more() -> None:
    """As in a database from before there was a gate: nothing is kept from who has seen it."""
    study = make_open_study(experts=1)
    user = study.memberships.experts().get().user
    mine = make_study(dataset=study.dataset, slug="mine")
    Membership.objects.create(study=mine, user=user, role=Role.ADMIN, number=0)
    assert not Study.objects.unblinded_for(user).exists()
    Look.objects.create(user=user, text_set=study.dataset.text_set, what="role")
    assert list(Study.objects.unblinded_for(user)) == [mine]
    assert assigning.next_assignment(user=user, slug="study").finished == "has_looked"


def test_a_role_from_somebody_else_waits_for_a_yes_and_takes_nothing_away() -> None:
    study = make_open_study(experts=1)
    admin = make_member(study, Role.ADMIN, "boss@example.org").user
    root = User.objects.create_superuser("root@example.org", PASSWORD)
    client, boss = Client(), Client()
    client.force_login(root)
    boss.force_login(admin)
    added = boss.post(
        "/api/v1/studies/study/members/", {"addresses": root.email, "role": "expert"}, content_type="application/json"
    ).json()
    assert [(one["is_pending"], one["is_active"]) for one in added] == [(True, False)]
    for address in ("studies/study/comparisons/", "datasets/some-dataset/instances/"):
        assert client.get(f"/api/v1/{address}").status_code == 200, "they have not accepted, so they may look"
    offered = client.get("/api/v1/roles/offered/").json()["results"]
    assert [(one["slug"], one["role"], one["is_return"]) for one in offered] == [("study", "expert", False)]
    refused = client.post("/api/v1/studies/study/role/accept/")
    assert (refused.status_code, refused.json()["code"]) == (409, "knows_the_sides"), "they have just looked"
    assert client.post("/api/v1/studies/study/role/decline/").status_code == 200
    assert client.get("/api/v1/roles/offered/").json()["count"] == 0
    assert client.get("/api/v1/former-studies/").json()["count"] == 0, "they were never there"


def test_accepting_begins_the_role_and_declining_leaves_all_as_it_was() -> None:
    study, user = make_open_study(experts=1), person()
    admin = make_member(study, Role.ADMIN, "boss@example.org").user
    add_accounts(study=study, addresses=read_addresses(user.email), role=Role.RESEARCHER, actor=admin)
    assert not Study.objects.visible_to(user).exists()
    accept_role(user=user, slug="study")
    assert Study.objects.unblinded_for(user).exists()
    leave(member=study.memberships.get(user=user), actor=user)
    come_back(member=study.memberships.get(user=user), actor=admin)
    assert not Study.objects.visible_to(user).exists(), "nobody is back by somebody else's act"
    decline_role(user=user, slug="study")
    member = study.memberships.get(user=user)
    assert (member.is_pending, member.is_active) == (False, False)
    assert member.left_at is not None
    assert Membership.objects.ended().filter(user=user).exists()


def test_erasing_a_text_takes_its_digest_out_of_every_set() -> None:
    dataset = make_dataset()
    instance = dataset.instances.get(position=2)
    digest = instance.text_digest
    assert digest in dataset.text_set.numbers
    erase_text(instance=instance)
    instance.refresh_from_db()
    assert instance.text_digest is None
    assert digest not in TextSet.objects.get(pk=dataset.text_set_id).numbers


def test_sets_overlap_where_they_have_a_text_in_common_and_only_there() -> None:
    first, other = make_dataset(), make_dataset(slug="of-other-texts")
    same = again()
    overlaps = {
        name: set(one.text_set.overlaps.values_list("datasets__slug", flat=True))
        for name, one in (("first", first), ("other", other), ("same", same))
    }
    assert overlaps == {
        "first": {"some-dataset", "again"},
        "other": {"of-other-texts"},
        "same": {"some-dataset", "again"},
    }


@pytest.mark.django_db(transaction=True)
def test_a_database_of_before_knows_who_has_looked_and_who_is_both() -> None:
    """Roles, imports and events are the looks of the past; nobody's answers or studies are lost."""
    study = make_open_study(experts=2)
    both, other = (one.user for one in study.memberships.experts().order_by("number"))
    complete(taken(both))
    mine = make_study(dataset=again(), slug="mine")
    Membership.objects.create(study=mine, user=both, role=Role.ADMIN, number=0)
    Membership.objects.filter(user=both, study=mine).update(created_at=study.opened_at)
    complete(taken(both))
    complete(taken(other))
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    executor.migrate([("annotations", "0102_tallies_counted")])
    try:
        assert "annotations_look" not in connection.introspection.table_names()
    finally:
        MigrationExecutor(connection).migrate(leaves)
    assert Dataset.objects.exclude(text_set=None).count() == 2
    assert study.dataset.instances.filter(text_digest=text_digest(["This is text number 3."])).count() == 1
    assert set(Look.objects.values_list("user", flat=True)) == {both.pk}
    assert after_looking(study).filter(expert__user=both).count() == 2
    assert not after_looking(study).filter(expert__user=other).exists()
    assert assigning.next_assignment(user=both, slug="study").finished == "has_looked"
    assert list(Study.objects.unblinded_for(both)) == [mine]
    assert taken(other)
    client = Client()
    client.force_login(make_member(study, Role.ADMIN, "boss@example.org").user)
    members = client.get("/api/v1/studies/study/members/").json()["results"]
    assert [one["answers_after_looking"] for one in members] == [2, 0, 0]
    inputs = gather_study(Study.objects.get(pk=study.pk))
    assert (inputs.onlookers, inputs.of_onlookers, inputs.counts["answers_after_looking"]) == ((0,), 2, 2)
    assert len(inputs.notes) == 1
