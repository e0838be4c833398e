"""What can be answered now, and why the rest cannot: true of every analysis, and cheap."""

import pytest

from annotations.ground.errors import HLVError
from annotations.models import Assignment
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.readiness import NOBODY, PILOT_ONLY, Holdings
from metaeval.jobs.runs import compute
from tests.metaeval.datasets import annotated_dataset
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


def nobody_answered():
    return Subject.of_study(make_study(slug="empty"))


def only_the_pilot():
    study = answered_study("pilot").study
    Assignment.objects.filter(study=study).update(is_pilot=True)
    return Subject.of_study(study)


WORLDS = {
    "nobody answered": nobody_answered,
    "only the pilot": only_the_pilot,
    "two systems": lambda: Subject.of_study(answered_study("few", systems=2).study),
    "everything": lambda: Subject.of_study(answered_study().study),
    "no systems": lambda: Subject.of_dataset(annotated_dataset(systems=0)),
    "dataset": lambda: Subject.of_dataset(annotated_dataset()),
}


@pytest.mark.parametrize("world", WORLDS)
def test_what_is_said_to_be_possible_is_and_what_is_not_is_not(world):
    subject = WORLDS[world]()
    holdings = Holdings(subject)
    for entry in analyses:
        if subject.kind not in entry.subjects:
            continue
        reason = holdings.lacking(entry)
        failed = ""
        try:
            compute(subject=subject, analysis=entry.name, parameters=entry.example, seed=1, progress=lambda *_: None)
        except HLVError as error:
            failed = error.message
        assert bool(reason) == bool(failed), f"{entry.name}: {reason!r}, but {failed!r}"
        assert not reason or reason.endswith("."), reason


def test_the_reasons_are_plain():
    of_experts, of_systems = analyses.get("preference_correlation"), analyses.get("metric_relationship")
    assert Holdings(nobody_answered()).lacking(of_experts) == NOBODY
    assert Holdings(only_the_pilot()).lacking(of_experts) == PILOT_ONLY
    few = Holdings(WORLDS["two systems"]()).lacking(of_experts)
    assert few == "The study compares 2 of the 3 systems that a correlation needs."
    none = Holdings(WORLDS["no systems"]()).lacking(of_systems)
    assert none == "There are no predictions of systems yet. Import some."


def test_it_takes_a_few_queries_however_many_questions_there_are(django_assert_max_num_queries):
    holdings = Holdings(Subject.of_study(answered_study().study))
    with django_assert_max_num_queries(6):
        for entry in analyses:
            holdings.lacking(entry)
