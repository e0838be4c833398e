"""The quality of a study: every number counted by hand from the rows of the database."""

import json
import uuid
from statistics import median

import numpy as np
import pytest
from django.utils import timezone

from annotations.models import (
    Assignment,
    Guess,
    Instance,
    LabelResponse,
    PreferenceResponse,
    Report,
    Role,
    SideOrder,
)
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.analyses.study_quality.answers import BETWEEN_SYSTEMS, NO_REPEATS, NOT_ASKED
from metaeval.stats.agreement import Annotations, agreement_with_rest
from tests.metaeval.analyses.study_quality.quality import measure, quality, row
from tests.metaeval.studies import answered_study
from tests.worlds.answering import put_on_sides, unsaved_preference
from tests.worlds.full import make_full_study
from tests.worlds.original import make_two_experts, restored_original

pytestmark = pytest.mark.django_db


def newest(model, study):
    """The newest answer of every place that was kept."""
    found = {}
    rows = model.objects.filter(assignment__study=study, assignment__released_at=None).select_related(
        "assignment__expert"
    )
    for said in rows.order_by("revision"):
        found[said.assignment_id] = said
    return found


def say_again(assignment, *, a, b, labels=(0,), first_is_a=True):
    """A deliberate repeat of an assignment, answered."""
    last = Assignment.objects.count()
    again = Assignment.objects.create(
        study=assignment.study,
        comparison=assignment.comparison,
        instance=assignment.instance,
        place=100 + last,
        places=200 + last,
        expert=assignment.expert,
        position=1000 + last,
        claimed_at=timezone.now(),
        repeat_of=assignment,
    )
    LabelResponse.objects.bulk_create(
        [LabelResponse(assignment=again, labels=list(labels), key=uuid.uuid4(), created_at=timezone.now())]
    )
    put_on_sides(again, SideOrder.FIRST_IS_A if first_is_a else SideOrder.SECOND_IS_A)
    again.completed_at = timezone.now()
    again.save()
    PreferenceResponse.objects.bulk_create([unsaved_preference(again, a, b)])


@pytest.fixture
def full(db):
    """Revised, piloted, unfinished, reported and skipped places, and guesses."""
    return make_full_study()


class TestCounting:
    def test_sides_are_those_of_the_newest_answers(self, full):
        result = quality(full, pilot="include")
        said = [(one.a_chosen, one.b_chosen) for one in newest(PreferenceResponse, full).values()]
        found = row(result, "sides")
        assert {key: found[key] for key in ("a", "b", "both", "neither")} == {
            "a": said.count((True, False)),
            "b": said.count((False, True)),
            "both": said.count((True, True)),
            "neither": said.count((False, False)),
        }
        assert found["value"] == found["a"] / (found["a"] + found["b"])
        bias = measure(result, "position_bias")
        assert bias["value"] == found["value"]
        assert bias["low"] <= bias["value"] <= bias["high"]
        assert sum(one["answers"] for one in result["sides"][1:]) == found["answers"]

    @pytest.mark.parametrize(("step", "model"), [("labels", LabelResponse), ("preferences", PreferenceResponse)])
    def test_times_are_medians_of_what_is_known(self, full, step, model):
        result = quality(full, pilot="include", quick_seconds=20)
        for expert in [None, *full.memberships.filter(role=Role.EXPERT)]:
            given = [
                one.active_ms
                for one in newest(model, full).values()
                if expert is None or one.assignment.expert == expert
            ]
            known = [ms / 1000 for ms in given if ms is not None]
            found = row(result, "times", "All experts" if expert is None else f"Expert {expert.number}", step)
            assert (found["answers"], found["unknown"]) == (len(given), len(given) - len(known))
            assert found["median"] == (pytest.approx(median(known)) if known else None)
            assert found["quick"] == sum(seconds < 20 for seconds in known)

    def test_guesses_are_right_where_people_stood(self, full):
        result = quality(full, pilot="include")
        right = wrong = unsure = 0
        for guess in Guess.objects.filter(assignment__study=full).select_related("assignment"):
            people = "a" if guess.assignment.side_order == SideOrder.FIRST_IS_A else "b"
            unsure += guess.side == "unknown"
            right += guess.side == people
            wrong += guess.side not in {people, "unknown"}
        found = row(result, "guesses")
        assert (found["right"], found["wrong"], found["unsure"]) == (right, wrong, unsure)
        index = measure(result, "blinding")
        assert index["value"] == pytest.approx((right - wrong) / (right + wrong + unsure))
        assert sum(one["right"] for one in result["guesses"][1:]) == right

    def test_reports_and_places_are_all_counted(self, full):
        result = quality(full, pilot="include")
        other = next(one for one in result["reports"] if one["reason"] == "something else")
        reports = Report.objects.filter(assignment__study=full)
        assert other["reports"] == reports.count() > 0
        assert other["left"] == reports.filter(skipped=True).count() > 0
        assert sum(one["reports"] for one in result["people"]) == reports.count()
        assert sum(one["reports"] for one in result["reported_instances"]) == reports.count()
        taken = full.assignments.filter(expert__isnull=False)
        for one in result["people"]:
            mine = taken.filter(expert__number=int(one["expert"].split()[1]))
            assert one["answered"] == mine.completed().count()
            assert one["skipped"] == mine.filter(released_at__isnull=False).count()
            assert one["half"] + one["waiting"] == mine.filter(released_at=None, completed_at=None).count()
        assert result["counts"]["places"] == taken.count()

    def test_nobody_is_known_by_name(self, full):
        text = json.dumps(quality(full))
        for member in full.memberships.select_related("user"):
            assert member.user.email not in text
        assert "example.org" not in text


class TestRepeats:
    def test_the_same_answer_is_the_same_source_whichever_side_it_stood_on(self):
        made = answered_study(experts=2, instances=6)
        kept, turned, other = made.assignments[:3]
        PreferenceResponse.objects.bulk_create(
            unsaved_preference(one, True, False, revision=1) for one in (kept, turned, other)
        )
        for one, same_side, a in ((kept, True, True), (turned, False, False), (other, True, False)):
            is_first_a = (one.side_order == SideOrder.FIRST_IS_A) == same_side
            say_again(one, a=a, b=not a, first_is_a=is_first_a, labels=(0,) if one is kept else (0, 1))
        result = quality(made.study)
        again = measure(result, "consistency_preferences")
        assert (again["value"], again["n"]) == (pytest.approx(2 / 3), 3)
        assert measure(result, "consistency_labels")["value"] == pytest.approx(1 / 3)
        assert row(result, "sides")["answers"] == 12  # repeats do not count there
        assert {"what": "responses", "count": 3}.items() <= result["exclusions"][0].items()

    def test_of_a_text_beside_two_systems_the_first_labels_count_and_later_ones_are_repeats(self, tmp_path):
        """Counted by hand: see the world."""
        result = quality(restored_original(make_two_experts(tmp_path)), least_common=1)
        # Labels 0 1 2 0 and 0 1 0 0: one of 4 differs; five 0, two 1, one 2: 1 - 1/4 / (1 - (5*4 + 2*1) / (8*7))
        # Preferences: 2 of 5 differ; six people, two system, two both: 1 - 2/5 / (1 - (6*5 + 2*1 + 2*1) / (10*9))
        alphas = {"labels": (4, 3 / 4, 10 / 17), "preferences": (5, 3 / 5, 5 / 14)}
        for step, (items, equal, alpha) in alphas.items():
            assert measure(result, f"agreement_{step}")["value"] == pytest.approx(alpha, abs=1e-12)
            for expert in ("Expert 0", "Expert 1"):
                mine = row(result, "agreement", expert, step)
                assert (mine["n_items"], mine["equal"]) == (items, pytest.approx(equal))
                assert mine["value"] == pytest.approx(alpha, abs=1e-12)
        labels, preferences = (measure(result, f"consistency_{step}") for step in ("labels", "preferences"))
        assert (labels["value"], labels["n"]) == (3 / 4, 4)
        assert (preferences["value"], preferences["n"]) == (1, 1)
        assert [left["count"] for left in result["exclusions"]] == [1, 3]
        assert result["exclusions"][1]["of"] == "Step 1: labels"

    def test_a_text_that_an_expert_had_twice_was_had_by_one_expert(self, full):
        report = Report.objects.filter(assignment__study=full, skipped=False).select_related("assignment")[0]

        def experts():
            name = report.assignment.instance.external_id
            found = quality(full, pilot="include")["reported_instances"]
            return next(one["experts"] for one in found if one["instance"] == name)

        before = experts()
        say_again(report.assignment, a=True, b=False)
        assert experts() == before

    def test_without_repeats_it_says_so(self):
        again = measure(quality(answered_study(instances=6).study), "consistency_labels")
        assert again["value"] is None
        assert again["reason"] == NO_REPEATS


class TestAgreement:
    def test_it_is_that_of_the_library_and_shows_who_differs(self):
        made = answered_study(experts=4, instances=30)
        odd = made.experts[2]
        rng = np.random.default_rng(4)
        for one in made.assignments:
            first_is_better = one.comparison.position % 2 == 0
            choice = bool(rng.random() < 0.5) if one.expert == odd else first_is_better
            a = choice == (one.side_order == SideOrder.FIRST_IS_A)
            PreferenceResponse.objects.bulk_create([unsaved_preference(one, a, not a, revision=1)])
        result = quality(made.study)
        found = {r["expert"]: r for r in result["agreement"] if r["step"] == "preferences"}
        assert min(found, key=lambda name: found[name]["value"]) == f"Expert {odd.number}"
        assert found[f"Expert {odd.number}"]["others"] == 1
        answers = gather_study(made.study).answers
        data = Annotations.from_columns(answers.comparison, answers.expert, answers.first_chosen.astype(int))
        for place, number in enumerate(data.annotators):
            library = agreement_with_rest(data, place)
            mine = found[f"Expert {number}"]
            assert mine["value"] == pytest.approx(library.value, abs=1e-12)
            assert mine["equal"] == pytest.approx(1 - library.observed, abs=1e-12)
            assert mine["low"] <= mine["value"] <= mine["high"]

    def test_too_few_common_items_are_undefined_with_their_number(self):
        made = answered_study(experts=3, instances=4)
        result = quality(made.study, least_common=5)
        found = row(result, "agreement", "Expert 0", "preferences")
        assert found["value"] is None
        assert found["reason"] == "4 items that others judged too; at least 5 are needed"
        assert row(quality(made.study, least_common=4), "agreement", "Expert 0", "preferences")["n_items"] == 4

    def test_labels_that_never_differ_say_why_there_is_no_alpha(self):
        result = quality(answered_study().study)  # everyone always chooses the first label
        found = measure(result, "agreement_labels")
        assert (found["value"], found["reason"][:26]) == (None, "all annotations are equal,")


class TestBlinding:
    def test_of_systems_against_systems_there_is_none(self):
        result = quality(make_full_study(compares="system_vs_system"))
        found = measure(result, "blinding")
        assert (found["value"], found["reason"]) == (
            None,
            BETWEEN_SYSTEMS,
        )
        assert "guesses" not in {table["name"] for table in result["tables"]}

    def test_a_study_that_does_not_ask_says_so(self):
        assert measure(quality(answered_study().study), "blinding")["reason"] == NOT_ASKED


def test_places_of_withdrawn_texts_are_not_waiting(full):
    open_place = full.assignments.filter(expert__isnull=False, completed_at=None, released_at=None).first()
    before = row(quality(full, pilot="include"), "people", f"Expert {open_place.expert.number}")
    Instance.objects.filter(pk=open_place.instance_id).update(withdrawn_at=timezone.now())
    after = row(quality(full, pilot="include"), "people", f"Expert {open_place.expert.number}")
    assert after["withdrawn"] == before["withdrawn"] + 1
    assert after["half"] + after["waiting"] == before["half"] + before["waiting"] - 1
