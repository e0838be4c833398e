"""Which responses count, whose side was chosen, and the fingerprint of the inputs."""

import numpy as np
import pytest

from annotations.models import Assignment, Comparison, Instance, PreferenceResponse, SideOrder, System
from metaeval.analyses.inputs.answers import PILOT, REPEATS
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.analyses.inputs.studies import looked_alike
from tests.metaeval.studies import answered_study
from tests.worlds.answering import unsaved_preference

pytestmark = pytest.mark.django_db


def entries_of(answered):
    """The assignments in the order of the entries of `Answers`."""
    taken = Assignment.objects.filter(study=answered.study).order_by("expert__number", "position")
    return list(taken.values_list("pk", flat=True))


def test_matrices_and_names_come_in_one_order(answered):
    inputs = gather_study(answered.study)
    assert inputs.systems == tuple(system.name for system in System.objects.all())
    assert inputs.labels == ("Consumer law", "Family law", "Health", "Tax")
    assert np.array_equal(inputs.P, answered.P)
    by_name = {system.name: matrix for system, matrix in zip(answered.systems, answered.Q, strict=True)}
    for name, matrix in inputs.Q.items():
        assert np.array_equal(matrix, by_name[name])


def test_the_system_s_side_is_the_one_that_was_chosen(answered):
    inputs = gather_study(answered.study)
    responses = inputs.responses()
    truth = {
        response.assignment_id: (
            (response.a_chosen, response.b_chosen)
            if response.assignment.side_order == SideOrder.SECOND_IS_A
            else (response.b_chosen, response.a_chosen)
        )
        for response in PreferenceResponse.objects.select_related("assignment")
    }
    assert len(responses) == len(truth)
    entries = entries_of(answered)
    for place, entry in enumerate(responses.response):
        assignment = entries[entry]
        assert (responses.chosen[place], responses.other_chosen[place]) == truth[assignment]
        system = Assignment.objects.get(pk=assignment).comparison.second_system
        assert inputs.systems[responses.system[place]] == system.name


def test_the_newest_revision_counts(answered):
    assignment = answered.assignments[0]
    PreferenceResponse.objects.bulk_create([unsaved_preference(assignment, True, True, revision=1, certainty=0.123)])
    responses = gather_study(answered.study).responses()
    place = responses.response.tolist().index(entries_of(answered).index(assignment.pk))
    assert len(responses) == len(answered.assignments)
    assert responses.both[place]
    assert responses.certainty[place] == 0.123


def test_pilot_responses_and_repeats_are_left_out_and_listed(answered):
    Assignment.objects.filter(pk__in=[a.pk for a in answered.assignments[:3]]).update(is_pilot=True)
    Assignment.objects.filter(pk=answered.assignments[5].pk).update(repeat_of=answered.assignments[4])
    total = len(answered.assignments)
    responses = gather_study(answered.study).responses()
    assert len(responses) == total - 4
    assert [(left.count, left.reason) for left in responses.exclusions] == [
        (3, PILOT),
        (1, REPEATS),
    ]
    with_pilot = gather_study(answered.study).responses(include_pilot=True)
    assert len(with_pilot) == total - 1


def test_of_the_repeats_of_a_place_that_is_left_out_the_first_counts(answered):
    first, *again = [place for place in answered.assignments if place.expert == answered.experts[0]][:3]
    Assignment.objects.filter(pk__in=[place.pk for place in again]).update(repeat_of=first)
    answers = gather_study(answered.study).answers
    (original,) = np.unique(answers.repeat_of[answers.repeat_of >= 0])
    one, two = np.flatnonzero(answers.repeat_of == original) - 1
    rest = answers.of(np.arange(len(answers)) != original)
    assert (rest.repeat_of[one], rest.repeat_of[two]) == (-1, one)


def test_a_skipped_place_does_not_count(answered):
    assignment = answered.assignments[0]
    Assignment.objects.filter(pk=assignment.pk).update(released_at=assignment.claimed_at)
    responses = gather_study(answered.study).responses()
    assert entries_of(answered).index(assignment.pk) not in responses.response


def test_a_comparison_of_two_systems_judges_both(answered):
    first, second = answered.systems[0], answered.systems[1]
    comparison = Comparison.objects.get(pk=answered.assignments[4].comparison_id)
    assert comparison.second_system == second
    Comparison.objects.filter(pk=comparison.pk).update(first_system=first)
    inputs = gather_study(answered.study)
    responses = inputs.responses()
    mine = responses.response == entries_of(answered).index(answered.assignments[4].pk)
    assert sorted(inputs.systems[place] for place in responses.system[mine]) == [first.name, second.name]
    one, two = np.flatnonzero(mine)
    assert responses.chosen[one] == responses.other_chosen[two]
    assert responses.other_chosen[one] == responses.chosen[two]


def test_systems_that_the_study_does_not_compare_are_not_among_its_systems(answered):
    System.objects.create(
        dataset=answered.study.dataset, model="Gamma", predictions=answered.Q[0], fingerprint="0" * 64
    )
    inputs = gather_study(answered.study)
    assert "Gamma" not in inputs.systems


def test_the_fingerprint_changes_with_every_input_and_with_nothing_else(answered):
    def fingerprint():
        return gather_study(answered.study).fingerprint

    before = fingerprint()
    assert fingerprint() == before
    System.objects.filter(pk=answered.systems[2].pk).update(fingerprint="9" * 64)
    changed = fingerprint()
    assert changed != before
    PreferenceResponse.objects.bulk_create([unsaved_preference(answered.assignments[0], False, False, revision=1)])
    assert fingerprint() not in {before, changed}


def test_the_same_study_elsewhere_has_the_same_fingerprint(answered):
    elsewhere = answered_study("elsewhere")
    assert elsewhere.study.pk != answered.study.pk
    assert gather_study(elsewhere.study).fingerprint == gather_study(answered.study).fingerprint


def test_reading_a_study_takes_the_same_few_queries_whatever_its_size(django_assert_max_num_queries):
    small, large = answered_study("small", instances=12, systems=4), answered_study("large", instances=60, systems=12)
    for made in (small, large):
        with django_assert_max_num_queries(13):
            gather_study(made.study)


@pytest.mark.parametrize(("field", "value"), [("study", True), ("dataset", True), ("system", True)])
def test_one_simulated_part_makes_the_whole_simulated(answered, field, value):
    part = {"study": answered.study, "dataset": answered.study.dataset, "system": answered.systems[0]}[field]
    assert not gather_study(answered.study).is_simulated
    type(part).objects.filter(pk=part.pk).update(is_simulated=value)
    answered.study.refresh_from_db()
    assert gather_study(answered.study).is_simulated


def test_comparisons_of_which_experts_were_told_that_both_sides_look_the_same_are_marked(answered):
    made = answered_study("alike", identical={3})
    inputs = gather_study(made.study)
    alike = Comparison.objects.get(study=made.study, position=3)
    told = Assignment.objects.filter(study=made.study).order_by("expert__number", "position")
    assert inputs.answers.identical.tolist() == [place.comparison_id == alike.pk for place in told]
    assert inputs.responses().looked_alike.sum() == 4
    plain = gather_study(answered.study)
    assert not plain.answers.identical.any()
    assert not plain.responses().looked_alike.any()


def test_the_rule_says_which_sides_looked_the_same_where_nothing_is_stored(answered):
    """One system predicts what people said, another one something that looks the same."""
    for place, away in ((0, 0.0), (1, 0.01)):
        System.objects.filter(pk=answered.systems[place].pk).update(predictions=np.abs(answered.P - away))
    Instance.objects.filter(dataset=answered.study.dataset).update(parts=5)
    inputs = gather_study(answered.study)
    marked = looked_alike(inputs)
    alike = {inputs.systems.index(answered.systems[place].name) for place in (0, 1)}
    expected = np.isin(inputs.answers.second, list(alike))
    assert marked[expected].all()
    assert not marked[~expected].all()
