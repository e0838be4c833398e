"""Simulated experts fill a study by its seed, within its rules, marked, and never in a person's place."""

import io
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from django.core.management import CommandError, call_command

from annotations import designing
from annotations.answering.recording import check_labels
from annotations.designing.lifecycle import change_state
from annotations.exporting.rows import ResponseSource
from annotations.models import (
    Assignment,
    Event,
    EventKind,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Study,
    StudyState,
    Task,
)
from annotations.simulating.responses import (
    NotCollecting,
    PeopleAnswerHere,
    add_simulated_experts,
    give_places,
    needed_experts,
    simulate_responses,
    simulate_study,
)
from tests.worlds.datasets import make_dataset
from tests.worlds.full import make_full_dataset
from tests.worlds.studies import make_expert, make_open_study

pytestmark = pytest.mark.django_db

LATER = datetime(2027, 1, 1, tzinfo=UTC)


def open_study(slug="simulated", *, dataset=None, seed=11, **settings):
    return make_open_study(
        dataset=dataset or make_full_dataset(),
        slug=slug,
        key_name="the same",
        seed=seed,
        **{"instances_per_system": 6} | settings,
    )


@pytest.fixture
def study(db):
    return open_study()


def said(study):
    """Every answer by whom and about what; not when, and not by which row."""
    return sorted(
        (r.expert, r.comparison, r.side_order, r.labels, r.choice, r.certainty, r.labels_ms, r.preference_ms)
        for r in ResponseSource(study).rows()
    )


def test_every_place_is_filled_with_the_fewest_experts_that_the_never_twice_rule_allows(study):
    needed = needed_experts(study=study)
    done = simulate_study(study=study)
    assert (done.experts, done.free) == (needed, 0)
    assert done.answers == study.comparisons.count() * study.experts_per_comparison
    assert done.answers == study.assignments.completed().count()
    pairs = list(study.assignments.values_list("expert", "instance"))
    assert len(set(pairs)) == len(pairs)


def test_too_few_experts_fill_what_they_may_and_the_rest_stays_free(study):
    done = simulate_study(study=study, experts=2)
    assert done.experts == 2
    assert 0 < done.answers <= 2 * 12
    assert done.answers + done.free == study.comparisons.count() * study.experts_per_comparison


def test_everything_simulated_is_marked(study):
    assert not study.is_simulated
    simulate_study(study=study)
    study.refresh_from_db()
    assert study.is_simulated
    assert not Membership.objects.filter(study=study, is_simulated=False).exists()
    assert all(row.expert_is_simulated for row in ResponseSource(study).rows())
    assert Event.objects.filter(study=study, kind=EventKind.SIMULATED).count() == 1


def test_nobody_can_sign_in_as_a_simulated_expert(study):
    for member in add_simulated_experts(study=study, count=2):
        assert not member.user.has_usable_password()
        assert not member.user.is_active


def test_the_same_seed_gives_the_same_answers_and_another_seed_others():
    dataset = make_full_dataset()
    first, second, third = (
        open_study(slug, dataset=dataset, seed=seed) for slug, seed in [("one", 11), ("two", 11), ("three", 12)]
    )
    for study in (first, second, third):
        simulate_study(study=study)
    assert said(first) == said(second)
    assert said(first) != said(third)


def test_the_order_of_work_does_not_matter(study):
    """Answered in two goes, and dated otherwise: the same answers."""
    twin = open_study("twin", dataset=study.dataset)
    simulate_study(study=study)
    experts = add_simulated_experts(study=twin, count=needed_experts(study=twin))
    give_places(study=twin, experts=experts)
    later = [expert.pk for expert in experts[::2]]
    Membership.objects.filter(pk__in=later).update(is_simulated=False)
    simulate_responses(study=twin, now=LATER)
    Membership.objects.filter(pk__in=later).update(is_simulated=True)
    simulate_responses(study=twin)
    assert said(twin) == said(study)


def test_running_again_adds_nothing(study):
    simulate_study(study=study)
    before = PreferenceResponse.objects.count()
    assert simulate_study(study=study).answers == 0
    assert PreferenceResponse.objects.count() == before


def test_step_1_is_stored_before_step_2_is_shown_and_answered(study):
    simulate_study(study=study, experts=3)
    for assignment in study.assignments.completed():
        step_1 = LabelResponse.objects.get(assignment=assignment)
        step_2 = PreferenceResponse.objects.get(assignment=assignment)
        assert assignment.claimed_at < step_1.created_at == assignment.comparison_shown_at < step_2.created_at
        assert step_2.created_at == assignment.completed_at


def test_an_expert_answers_in_the_own_order_and_one_at_a_time(study):
    simulate_study(study=study)
    for member in study.memberships.experts():
        times = list(member.assignments.order_by("position").values_list("claimed_at", "completed_at"))
        assert all(end < begin for (_, end), (begin, _) in pairwise(times))


def test_nothing_is_answered_in_the_future(study):
    simulate_responses(study=study, now=LATER)
    add_simulated_experts(study=study, count=2)
    give_places(study=study)
    simulate_responses(study=study, now=LATER)
    assert max(study.assignments.completed().values_list("completed_at", flat=True)) == LATER


@pytest.fixture
def person(study):
    member = make_expert(study, "person@example.org")
    mine = designing.least_covered(study=study, expert=member, count=4)
    designing.assign_named(study=study, expert=member, comparisons=mine)
    return member


def test_a_study_of_people_is_not_simulated_by_mistake(study, person):
    with pytest.raises(PeopleAnswerHere):
        simulate_study(study=study)
    assert not Membership.objects.filter(study=study, is_simulated=True).exists()


def test_beside_people_their_own_assignments_stay_untouched(study, person):
    simulate_study(study=study, beside_people=True)
    assert person.assignments.count() == 4
    assert not Assignment.objects.filter(expert=person, claimed_at__isnull=False).exists()
    assert not LabelResponse.objects.filter(assignment__expert=person).exists()


def test_a_study_that_is_not_open_takes_no_answers(study):
    change_state(study=study, to=StudyState.PAUSED)
    study = Study.objects.get(pk=study.pk)
    with pytest.raises(NotCollecting, match=r"open.*pilot"):
        simulate_study(study=study)


def test_system_vs_system_studies_are_simulated_too():
    study = open_study("pairs", compares="system_vs_system", instances_per_system=4)
    assert simulate_study(study=study).free == 0


@pytest.mark.parametrize("task", [Task.MULTICLASS, Task.ORDINAL])
def test_where_one_label_is_right_every_expert_chooses_exactly_one(task):
    dataset = make_dataset(task=task, instances=12)
    study = open_study("one-label", dataset=dataset)
    assert simulate_study(study=study).answers
    assert {len(row.labels) for row in ResponseSource(study).rows()} == {1}


def test_what_simulated_experts_choose_people_could_choose_too(study):
    labels = list(study.dataset.labels.all())
    simulate_study(study=study)
    for response in LabelResponse.objects.filter(assignment__study=study):
        assert check_labels(response.labels, labels, task=study.dataset.task) == response.labels


def test_the_command_says_what_it_did(study):
    out = io.StringIO()
    call_command("simulate_responses", "simulated", stdout=out)
    assert "places are still free" in out.getvalue()
    assert str(study.assignments.completed().count()) in out.getvalue()


def test_the_command_explains_what_it_cannot_do(study):
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        call_command("simulate_responses", "nowhere")
    change_state(study=study, to=StudyState.CLOSED)
    with pytest.raises(CommandError, match=r"open.*pilot"):
        call_command("simulate_responses", "simulated")
