"""Subjects of analyses other than studies: datasets, votes, several datasets, nothing."""

import numpy as np
import pytest

from annotations.models import Label, LabelResponse, Report, ReportReason, System
from metaeval.analyses.base.options import options_of
from metaeval.analyses.inputs import DatasetsInputs, InputsError, NoInputs
from metaeval.analyses.inputs.datasets import OUTCOMES
from metaeval.analyses.inputs.gathering import Subject, gather, gather_dataset, gather_study, gather_votes
from tests.metaeval.datasets import LABELS, annotated_dataset, voted_dataset
from tests.metaeval.studies import answered_study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("task", ["multiclass", "ordinal", "multilabel"])
def test_a_dataset_s_annotations_give_its_own_distributions(task):
    inputs = gather_dataset(annotated_dataset(task=task))
    annotations = inputs.annotations
    assert annotations.annotators.tolist() == ["p0", "p1", "p2", "p3", "p4"]
    people = np.bincount(annotations.item, minlength=20)
    for place in range(3):
        if task == "multilabel":
            chose = annotations.members[annotations.chosen][:, place]
        else:
            chose = annotations.label == place
        assert np.bincount(annotations.item[chose], minlength=20) / people == pytest.approx(inputs.P[:, place])
    assert inputs.instances[:2] == ("item0", "item1")


def test_the_points_of_a_scale_are_the_labels_of_ordinal_annotations():
    inputs = gather_dataset(annotated_dataset(task="ordinal"))
    assert inputs.values == (1.0, 2.0, 3.0)
    assert inputs.annotations.labels == (1.0, 2.0, 3.0)


def test_people_of_whom_one_is_not_known_are_all_not_known_and_stored_counts_are_as_many_people(shared_gold):
    inputs = gather_dataset(annotated_dataset(known=False))
    assert inputs.annotations.annotator is None
    assert len(inputs.annotations.label) == 100
    assert gather_dataset(shared_gold).annotations is None


@pytest.fixture
def shared_gold(db):
    """A dataset for which only P was imported."""
    return answered_study("bare").study.dataset


def test_the_same_dataset_has_the_same_fingerprint_and_another_system_another_one():
    first, second = annotated_dataset("one"), annotated_dataset("two")
    assert gather_dataset(first).fingerprint == gather_dataset(second).fingerprint
    System.objects.filter(dataset=second).first().delete()
    assert gather_dataset(first).fingerprint != gather_dataset(second).fingerprint


def test_two_systems_whose_names_read_alike_are_refused():
    dataset = annotated_dataset()
    matrix = gather_dataset(dataset).P
    System.objects.create(dataset=dataset, model="X", method="Y", run="Z", predictions=matrix, fingerprint="0" * 64)
    System.objects.create(dataset=dataset, model="X / Y", method="Z", predictions=matrix, fingerprint="0" * 64)
    with pytest.raises(InputsError, match="'X / Y / Z'"):
        gather_dataset(dataset)


def test_votes_come_as_recorded():
    dataset = voted_dataset()
    votes = gather_votes(dataset)
    assert votes.systems == ("gpt", "llama", "vicuna")
    assert votes.judges == ("h0", "h1", "h2", "m0")
    assert votes.is_machine.tolist() == [False, False, False, True]
    assert votes.counts == {"systems": 3, "instances": 12, "judges": 4, "votes": 144}
    stored = list(dataset.votes.order_by("position").select_related("judge", "instance"))
    for place in (0, 77, 143):
        row = stored[place]
        assert votes.systems[votes.first[place]] == row.first
        assert votes.systems[votes.second[place]] == row.second
        assert votes.judges[votes.judge[place]] == row.judge.code
        assert votes.instances[votes.instance[place]] == row.instance.external_id
        assert OUTCOMES[votes.outcome[place]] == row.outcome
    with pytest.raises(InputsError, match="has no pairwise votes"):
        gather_votes(annotated_dataset())


def test_several_datasets_come_together_and_nothing_is_nothing():
    one, two = annotated_dataset("one"), annotated_dataset("two", items=9, seed=4)
    both = gather(Subject.of_datasets([one, two]))
    assert isinstance(both, DatasetsInputs)
    assert [dataset.slug for dataset in both.datasets] == ["one", "two"]
    assert both.counts == {"datasets": 2, "systems": 4, "instances": 29}
    assert both.fingerprint == gather(Subject.of_datasets([two, one])).fingerprint, "whatever is named first"
    assert isinstance(gather(Subject.nothing()), NoInputs)
    assert gather(Subject.nothing()).is_simulated


def test_all_that_experts_did_is_there_marked_and_not_left_out(answered):
    assignments = answered.assignments
    assignments[1].repeat_of = assignments[0]
    assignments[1].released_at = assignments[1].claimed_at
    for assignment in assignments[:2]:
        assignment.save(update_fields=["repeat_of", "released_at"])
    Report.objects.create(
        assignment=assignments[1],
        key="00000000-0000-0000-0000-000000000001",
        reason=ReportReason.DISTRESSING,
        text="a text that must not be here",
        skipped=True,
        created_at=assignments[1].claimed_at,
    )
    inputs = gather_study(answered.study)
    answers = inputs.answers
    assert len(answers) == len(assignments) == 96
    place = int(np.flatnonzero(answers.repeat_of >= 0)[0])
    again = answers.repeat_of[place]
    assert answers.instance[again] == assignments[0].instance.position
    assert answers.is_skipped.sum() == 1
    assert (inputs.reports.reason, inputs.reports.answer.tolist()) == (("distressing",), [place])
    assert answers.labels[:, 0].all()
    assert not answers.labels[:, 1:].any()
    assert answers.counting(answers.is_labelled).kept.sum() == 95
    assert inputs.experts == (0, 1, 2, 3)
    assert "must not be here" not in str(vars(inputs.reports))
    few = answers.of(answers.instance < 3)
    assert set(few.instance) == {0, 1, 2}


def test_the_newest_labels_count(answered):
    first = LabelResponse.objects.order_by("pk").first()
    place = gather_study(answered.study).answers
    assert place.labels_revisions.max() == 1
    # The trigger locks step 1 once step 2 was shown: a second revision can only be stored before.
    assert first.revision == 0


def test_options_are_those_of_the_subject(answered):
    study = options_of(Subject.of_study(answered.study))
    assert dict(study("metrics"))["po_jsd"] == "PO-JSD"
    assert "accuracy" not in dict(study("metrics"))
    assert [name for name, _ in study("labels")] == list(
        Label.objects.filter(dataset=answered.study.dataset).values_list("name", flat=True)
    )
    assert [name for name, _ in study("models")] == ["Alpha", "Beta"]
    data = options_of(Subject.of_dataset(annotated_dataset()))
    assert [name for name, _ in data("labels")] == list(LABELS)
    assert [name for name, _ in data("methods")] == ["M0", "M1"]
    assert "accuracy" in dict(data("metrics"))
    votes = options_of(Subject.of_dataset(voted_dataset(), kind="votes"))
    assert [name for name, _ in votes("systems")] == ["gpt", "llama", "vicuna"]
    assert [name for name, _ in votes("judges")] == ["h0", "h1", "h2", "m0"]


def test_reading_takes_as_many_queries_for_much_as_for_little(django_assert_max_num_queries):
    for size in (6, 40):
        dataset = annotated_dataset(f"d{size}", items=size)
        with django_assert_max_num_queries(5):
            inputs = gather_dataset(dataset)
            assert inputs.annotations is not None
        votes = voted_dataset(f"v{size}", items=size)
        with django_assert_max_num_queries(3):
            gather_votes(votes)
