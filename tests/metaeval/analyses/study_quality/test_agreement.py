"""Experts by what they said about themselves, in the analysis of a study's quality."""

import pytest

from annotations.models import Leaving
from annotations.people.membership.leaving import leave
from annotations.shown.profiles import PRESETS
from metaeval.analyses.inputs.gathering import Subject, gather
from metaeval.analyses.inputs.studies import StudyInputs
from tests.metaeval.analyses.study_quality.quality import quality
from tests.worlds.answering import complete_all
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Two civil lawyers and a criminal lawyer answer twelve texts; a fourth expert has said nothing."""
    study = make_open_study(
        dataset=make_dataset(instances=12, systems=2, labels=6),
        experts=4,
        instances_per_system=6,
        experts_per_comparison=3,
        leaving=Leaving.LEFT_OUT,
    )
    experts = list(study.memberships.experts().order_by("number"))
    for expert in experts[:3]:
        complete_all(expert.user)
    type(study).objects.update(profile_questions=[one.stored for one in PRESETS])
    for expert, specialism, years in zip(
        experts, ("Private law", "Private law", "Criminal law"), (3, 20, None), strict=False
    ):
        expert.profile = {"specialism": specialism, "years_of_experience": years}
        expert.save()
    return type(study).objects.get()


def test_each_group_has_its_answers_and_its_agreement_or_the_reason_why_not(study):
    result = quality(study)
    groups = {(row["question"], row["group"]): row for row in result["groups"]}
    assert set(groups) == {
        ("specialism", "Private law"),
        ("specialism", "Criminal law"),
        ("years_of_experience", "3"),
        ("years_of_experience", "20"),
    }
    private, criminal = groups["specialism", "Private law"], groups["specialism", "Criminal law"]
    assert (private["experts"], private["answers"]) == (2, 24)
    assert private["preference_agreement"] is not None
    assert 0 <= private["people_chosen"] <= 1
    assert (criminal["experts"], criminal["answers"], criminal["label_agreement"]) == (1, 12, None)
    assert "fewer than two experts" in criminal["reason"]
    assert "groups" in [table["name"] for table in result["tables"]]


def test_who_took_their_answers_along_is_in_no_group(study):
    leave(member=study.memberships.get(number=2))
    inputs = gather(Subject.of_study(study))
    assert isinstance(inputs, StudyInputs)
    assert {number for number, _, _ in inputs.profiles} == {0, 1}
    assert ("specialism", "Criminal law") not in [(row["question"], row["group"]) for row in quality(study)["groups"]]


def test_a_study_that_asks_nothing_has_no_groups(study):
    before = gather(Subject.of_study(study)).fingerprint
    type(study).objects.update(profile_questions=[])
    study = type(study).objects.get()
    assert quality(study)["groups"] == []
    assert gather(Subject.of_study(study)).fingerprint != before
