"""Who leaves a study answers no more; their answers stay, or are left out everywhere, as the study says."""

import io

import pyarrow.parquet as pq
import pytest

from annotations import designing
from annotations.answering.assigning import next_assignment
from annotations.answering.watching import watch
from annotations.designing.lifecycle import change_state
from annotations.designing.reassigning import share_evenly
from annotations.ground.errors import NotFound
from annotations.models import (
    Assigning,
    Assignment,
    Event,
    EventKind,
    LabelResponse,
    Leaving,
    Membership,
    PreferenceResponse,
    Role,
    Study,
    StudyState,
)
from annotations.people.membership.leaving import LastStudyAdmin, come_back, leave, leave_oneself
from annotations.people.membership.members import take_in
from metaeval.analyses.inputs.gathering import Subject, gather
from metaeval.analyses.inputs.studies import StudyInputs
from tests.worlds.answering import answer, complete, complete_all, taken
from tests.worlds.exported import lines, written
from tests.worlds.studies import make_member, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def study_with_answers(**settings):
    study = make_open_study(experts=3, **settings)
    experts = list(study.memberships.experts().order_by("number"))
    for expert in experts[:2]:
        complete_all(expert.user)
    return study, experts


def answered(study) -> int:
    return Assignment.objects.completed().filter(study=study).count()


@pytest.mark.parametrize("leaving", list(Leaving))
def test_what_was_not_begun_is_free_again_and_nothing_is_deleted(leaving):
    study = make_open_study(experts=3, leaving=leaving)
    expert = study.memberships.experts().first()
    first = complete(taken(expert.user)).assignment
    begun = taken(expert.user)
    answer(begun)
    ahead = Assignment.objects.free().filter(study=study).exclude(instance__in=[first.instance, begun.instance]).first()
    Assignment.objects.filter(pk=ahead.pk).update(expert=expert, position=7)
    rows = LabelResponse.objects.count(), PreferenceResponse.objects.count()
    before = study.assignments.filter(released_at=None).count()

    left = leave(member=expert)

    assert (LabelResponse.objects.count(), PreferenceResponse.objects.count()) == rows
    assert not left.is_active
    assert left.left_at
    assert left.answers_left_out == (leaving == Leaving.LEFT_OUT)
    ahead.refresh_from_db()
    assert ahead.expert is None
    assert ahead.position is None
    assert study.assignments.filter(released_at=None).count() == before, "every place that was given up has a fresh one"
    assert answered(study) == (0 if leaving == Leaving.LEFT_OUT else 1)
    event = Event.objects.get(study=study, kind=EventKind.MEMBER_LEFT)
    assert event.data["freed"] == 1
    assert event.data["given_up"] == (2 if leaving == Leaving.LEFT_OUT else 1)
    with pytest.raises(NotFound):
        next_assignment(user=expert.user, slug="study")
    assert leave(member=expert).left_at == left.left_at, "leaving twice is leaving once"


def test_in_a_study_with_named_places_they_can_be_given_to_others():
    study = make_study(experts=4, assigning=Assigning.NAMED)
    study = plan_and_open(study)
    leaver, other = list(study.memberships.experts().order_by("number"))[:2]
    held = leaver.assignments.count()
    assert held
    leave(member=leaver)
    assert Assignment.objects.free().filter(study=study).count() == held
    shared = share_evenly(study=study, experts=[other])
    assert shared.changed + shared.left == held


def inputs_of(study: Study) -> StudyInputs:
    found = gather(Subject.of_study(study))
    assert isinstance(found, StudyInputs)
    return found


def test_kept_answers_stay_in_every_export_and_analysis():
    study, (leaver, *_) = study_with_answers()
    before, table = inputs_of(study), written(study, "csv")["responses.csv"]
    leave(member=leaver)
    after = inputs_of(study)
    assert len(after.answers) == len(before.answers)
    assert after.inactive == (leaver.number,)
    assert written(study, "csv")["responses.csv"] == table


@pytest.mark.parametrize("format_name", ["csv", "jsonl", "parquet", "study_responses"])
def test_left_out_answers_are_in_no_export(format_name):
    study, (leaver, stays, _) = study_with_answers(leaving=Leaving.LEFT_OUT)
    texts = set(leaver.assignments.values_list("instance__external_id", flat=True))
    assert texts
    leave(member=leaver)
    files = written(study, format_name)
    if format_name == "parquet":
        experts = pq.read_table(io.BytesIO(files["responses.parquet"])).column("expert").to_pylist()
        assert set(experts) == {stays.number}
    elif format_name == "csv":
        rows = files["responses.csv"].decode().splitlines()
        place = rows[0].split(",").index("expert")
        assert {row.split(",")[place] for row in rows[1:]} == {str(stays.number)}
    elif format_name == "jsonl":
        assert {row["expert"] for row in lines(files["responses.jsonl"])} == {stays.number}
    else:
        assert {row["annotatorId"] for row in lines(files["responses.jsonl"])} == {stays.number}
        assert leaver.number not in {row["annotatorId"] for row in lines(files["history.jsonl"])}
    if "experts.csv" in files:
        assert not any(row.startswith(f"{leaver.number},") for row in files["experts.csv"].decode().splitlines()[1:])


def test_left_out_answers_are_in_no_input_of_an_analysis_and_in_no_count():
    study, (leaver, stays, _) = study_with_answers(leaving=Leaving.LEFT_OUT)
    done = stays.assignments.completed().count()
    leave(member=leaver)
    inputs = inputs_of(study)
    assert set(inputs.answers.expert.tolist()) == {stays.number}
    assert leaver.number not in inputs.experts
    assert watch(study).done == done
    assert answered(study) == done


def test_who_comes_back_has_their_answers_again_also_where_the_place_is_taken():
    study, (leaver, _, third) = study_with_answers(leaving=Leaving.LEFT_OUT)
    before = written(study, "csv")["responses.csv"]
    count = answered(study)
    leave(member=leaver)
    complete(taken(third.user))
    back = come_back(member=leaver)
    assert back.is_active
    assert back.left_at is None
    assert not back.answers_left_out
    assert answered(study) == count + 1
    mine = [row for row in before.decode().splitlines()[1:] if row.startswith(f"study,{leaver.number},")]
    now = written(study, "csv")["responses.csv"].decode()
    assert all(row in now for row in mine)
    free = Assignment.objects.free().filter(study=study).count()
    leave(member=leaver)
    assert Assignment.objects.free().filter(study=study).count() == free + len(mine)


def test_answers_of_a_pilot_can_be_left_out_and_come_back():
    study = change_to_pilot(make_study(experts=3, leaving=Leaving.LEFT_OUT))
    expert = study.memberships.experts().first()
    complete(taken(expert.user))
    places = study.assignments.filter(released_at=None).count()
    leave(member=expert)
    come_back(member=expert)
    assert study.assignments.filter(released_at=None).count() == places
    leave(member=expert)
    change_state(study=study, to=StudyState.OPEN)
    come_back(member=expert)
    assert study.assignments.filter(released_at=None, is_pilot=False).count() == places
    assert study.assignments.filter(released_at=None, is_pilot=True).count() == 1


def change_to_pilot(study):
    designing.apply_plan(study=study)
    return change_state(study=study, to=StudyState.PILOT)


def test_an_invitation_takes_somebody_back_with_all_that_they_did():
    study, (leaver, *_) = study_with_answers(leaving=Leaving.LEFT_OUT)
    count = answered(study)
    leave(member=leaver)
    assert take_in(study=study, user=leaver.user, role=Role.EXPERT).is_active
    assert answered(study) == count


def test_the_only_admin_stays_and_a_stranger_cannot_leave():
    study = make_study()
    admin = make_member(study, Role.ADMIN, "admin@example.org")
    with pytest.raises(LastStudyAdmin):
        leave(member=admin)
    make_member(study, Role.ADMIN, "second@example.org")
    assert not leave(member=admin).is_active
    with pytest.raises(NotFound):
        leave_oneself(user=admin.user, slug="study")
    assert Membership.objects.filter(study=study, is_active=True).count() == 1


def test_leaving_asks_no_more_queries_for_more_answers(django_assert_max_num_queries):
    _, (leaver, *_) = study_with_answers(leaving=Leaving.LEFT_OUT)
    with django_assert_max_num_queries(22):
        leave(member=leaver)
    with django_assert_max_num_queries(24):
        come_back(member=leaver)
