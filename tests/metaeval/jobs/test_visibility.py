"""Who may see which runs and documents, for every kind of person: two studies on two datasets."""

import pytest

from annotations.designing.lifecycle import add_member
from annotations.models import Dataset, Membership, Role, User
from metaeval.documents.models import DocumentKind, StudyDocument
from metaeval.jobs.models import AnalysisRun, Subjects
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db

ROLES = {
    "expert": {"a": Role.EXPERT},
    "researcher": {"a": Role.RESEARCHER},
    "admin": {"a": Role.ADMIN},
    "former researcher": {"a": Role.RESEARCHER},
    "researcher of b": {"b": Role.RESEARCHER},
    "researcher of both": {"a": Role.RESEARCHER, "b": Role.RESEARCHER},
    "answering operator": {"a": Role.EXPERT},
    "importer": {},
    "stranger": {},
    "operator": {},
}
RUNS = ["dataset a", "dataset b", "datasets a", "datasets ab", "nothing", "study a", "study b", "votes a"]


@pytest.fixture
def people():
    """Everyone, by role; a run about each possible subject, and a document of each study."""
    found = {name: User.objects.create_user(f"{name.replace(' ', '-')}@example.org") for name in ROLES}
    User.objects.filter(email__contains="operator").update(is_superuser=True)
    studies = {letter: make_study(dataset=make_dataset(slug=f"data-{letter}"), slug=letter) for letter in "ab"}
    for name, roles in ROLES.items():
        for letter, role in roles.items():
            add_member(study=studies[letter], user=found[name], role=role)
    Membership.objects.filter(user=found["former researcher"]).update(is_active=False)
    Dataset.objects.filter(slug="data-a").update(created_by=found["importer"])
    for letter, study in studies.items():
        AnalysisRun.objects.create(analysis=f"study {letter}", study=study, seed=0)
        AnalysisRun.objects.create(
            analysis=f"dataset {letter}", subject=Subjects.DATASET, dataset=study.dataset, seed=0
        )
        StudyDocument.objects.create(study=study, kind=DocumentKind.BUNDLE)
    AnalysisRun.objects.create(analysis="votes a", subject=Subjects.VOTES, dataset=studies["a"].dataset, seed=0)
    for letters in ("a", "ab"):
        several = AnalysisRun.objects.create(analysis=f"datasets {letters}", subject=Subjects.DATASETS, seed=0)
        several.datasets.set([studies[letter].dataset for letter in letters])
    AnalysisRun.objects.create(analysis="nothing", subject=Subjects.NOTHING, owner=found["researcher"], seed=0)
    return {name: User.objects.get(pk=one.pk) for name, one in found.items()}


def test_runs_are_for_who_sees_all_that_they_are_about(people):
    visible = {
        who: sorted(AnalysisRun.objects.visible_to(one).values_list("analysis", flat=True))
        for who, one in people.items()
    }
    of_a = ["dataset a", "datasets a", "study a", "votes a"]
    assert visible == {
        "expert": [],
        "researcher": sorted([*of_a, "nothing"]),
        "admin": of_a,
        "former researcher": [],
        "researcher of b": ["dataset b", "study b"],
        "researcher of both": [name for name in RUNS if name != "nothing"],
        # People who answer study a see no sources of its texts, whatever else they may do.
        "answering operator": [name for name in RUNS if name not in {*of_a, "datasets ab"}],
        "importer": ["dataset a", "datasets a", "votes a"],
        "stranger": [],
        "operator": RUNS,
    }


def test_documents_are_for_who_sees_the_sources_of_their_study(people):
    visible = {
        who: "".join(sorted(StudyDocument.objects.visible_to(one).values_list("study__slug", flat=True)))
        for who, one in people.items()
    }
    assert {who: studies for who, studies in visible.items() if studies} == {
        "researcher": "a",
        "admin": "a",
        "researcher of b": "b",
        "researcher of both": "ab",
        "answering operator": "b",
        "operator": "ab",
    }


def test_what_a_run_is_about_is_read_in_a_fixed_number_of_queries(people, django_assert_num_queries):
    with django_assert_num_queries(2):
        about = {
            run.analysis: [one.slug for one in (run.study, run.dataset, *run.datasets.all()) if one]
            for run in AnalysisRun.objects.visible_to(people["operator"]).with_subject()
        }
    assert about["study b"] == ["b"]
    assert about["votes a"] == ["data-a"]
    assert sorted(about["datasets ab"]) == ["data-a", "data-b"]
    assert about["nothing"] == []
