"""What was skipped after step 2: counted by expert and by system, with the fraction at worst and at best."""

import csv
import io
import uuid

import pytest

from annotations.models import PreferenceResponse, ReportReason
from tests.metaeval.analyses.study_quality.quality import quality
from tests.worlds import storing
from tests.worlds.answering import answer, complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.exported import written
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


def skip(assignment):
    report = {"key": uuid.uuid4(), "reason": ReportReason.OTHER, "text": "", "skip": True}
    storing.store_report(user=assignment.expert.user, token=assignment.token, **report)


@pytest.fixture
def study():
    """Of twelve texts the first expert skips three after step 2 and one before it; the second answers all."""
    study = make_open_study(
        dataset=make_dataset(instances=12, systems=2, labels=6),
        experts=2,
        instances_per_system=6,
        experts_per_comparison=2,
    )
    first, second = study.memberships.experts().select_related("user")
    for turn in range(12):
        assignment = taken(first.user)
        if turn in {2, 5, 9}:
            answer(assignment)
        if turn in {2, 5, 7, 9}:
            skip(assignment)
        else:
            complete(assignment)
    for _ in range(12):
        complete(taken(second.user))
    return study


def by_hand(study):
    """System name -> answers, chosen, skipped after step 2."""
    found = {system.name: [0, 0, 0] for system in study.dataset.systems.all()}
    for said in PreferenceResponse.objects.filter(assignment__study=study).select_related("assignment__comparison"):
        tally = found[said.assignment.comparison.second_system.name]
        tally[0] += 1
        tally[1] += said.b_chosen if said.assignment.side_order == "first_is_a" else said.a_chosen
    for given_up in study.assignments.filter(released_at__isnull=False, comparison_shown_at__isnull=False):
        found[given_up.comparison.second_system.name][2] += 1
    return found


def test_each_expert_and_system_has_its_skips_and_its_fraction_at_worst_and_at_best(study):
    result = quality(study)
    assert result["counts"]["skipped_after_step_2"] == 3
    assert [(row["expert"], row["shown"], row["skipped"]) for row in result["skips"]] == [
        ("All experts", 23, 3),
        ("Expert 0", 11, 3),
        ("Expert 1", 12, 0),
    ]
    expected = by_hand(study)
    assert sum(skipped for _, _, skipped in expected.values()) == 3
    for row in result["skipped_systems"]:
        answers, chosen, skipped = expected[row["system"]]
        assert (row["answers"], row["chosen"], row["skipped"]) == (answers, chosen, skipped)
        assert row["fraction"] == chosen / answers
        assert row["worst"] == chosen / (answers + skipped)
        assert row["best"] == (chosen + skipped) / (answers + skipped)
    assert {table["name"] for table in result["tables"]} >= {"skips", "skipped_systems"}


def test_where_nothing_was_skipped_after_step_2_nothing_is_said_of_it():
    study = make_open_study(experts=1)
    assignment = taken(study.memberships.experts().select_related("user").get().user)
    skip(assignment)
    result = quality(study)
    assert (result["skips"], result["skipped_systems"], result["counts"]["skipped_after_step_2"]) == ([], [], 0)
    assert "skips" not in {table["name"] for table in result["tables"]}


def test_the_export_says_the_same(study):
    files = written(study, "csv")
    systems = list(csv.DictReader(io.StringIO(files["systems.csv"].decode())))
    said = {row["system"]: row for row in quality(study)["skipped_systems"]}
    assert len(systems) == 2
    for row in systems:
        one = said[row["system"]]
        assert [int(row[name]) for name in ("answers", "chosen", "skipped_after_step_2")] == [
            one[name] for name in ("answers", "chosen", "skipped")
        ]
        shares = [float(row[name]) for name in ("fraction", "fraction_at_worst", "fraction_at_best")]
        assert shares == [one["fraction"], one["worst"], one["best"]]
    experts = list(csv.DictReader(io.StringIO(files["experts.csv"].decode())))
    assert [list(row.values()) for row in experts] == [["0", "8", "3"], ["1", "12", "0"]]


def test_two_systems_that_were_compared_both_miss_what_was_skipped():
    study = make_open_study(
        dataset=make_dataset(instances=6, systems=2, labels=6),
        experts=1,
        compares="system_vs_system",
        instances_per_system=6,
        experts_per_comparison=1,
    )
    user = study.memberships.experts().select_related("user").get().user
    assignment = taken(user)
    answer(assignment)
    skip(assignment)
    complete(taken(user))
    assert [(row["answers"], row["skipped"]) for row in quality(study)["skipped_systems"]] == [(1, 1), (1, 1)]
