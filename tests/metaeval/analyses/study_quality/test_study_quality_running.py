"""The quality of a running study: before anyone answers, in the pilot, halfway, and at its end."""

import pytest

from annotations.designing.lifecycle import change_state
from annotations.models import Assigning, Assignment, Role, Study, StudyState
from metaeval import figures
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.inputs.answers import PILOT
from metaeval.analyses.study_quality.analysis import NO_PART, NO_PLACES, NOBODY_ANSWERED, PILOT_ONLY
from tests.metaeval.analyses.study_quality.quality import measure, quality, row
from tests.metaeval.studies import answered_study
from tests.worlds.answering import complete, taken
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


class TestWhileItRuns:
    def test_before_anybody_answers_everything_is_undefined_with_its_reason(self):
        study = make_open_study(experts=2, asks_guess=True)
        result = quality(study)
        assert all(one["value"] is None and one["reason"] for one in result["measures"])
        assert measure(result, "blinding")["reason"].startswith("nobody has guessed yet")
        assert result["notes"] == [NOBODY_ANSWERED]
        assert {one["state"] for one in result["people"]} == {"never began"}
        entry = analyses.get("study_quality")
        for name in entry.figures:
            assert figures.image(entry.draw(name, result), "svg")

    def test_a_study_without_experts_says_what_to_do(self):
        with pytest.raises(AnalysisError, match="has no experts yet"):
            quality(make_open_study())

    def test_the_pilot_is_looked_at_until_there_are_other_answers(self):
        made = answered_study(instances=8)
        Assignment.objects.filter(study=made.study).update(is_pilot=True)
        Study.objects.filter(pk=made.study.pk).update(state=StudyState.PILOT)
        result = quality(made.study)
        assert (result["scope"], row(result, "sides")["answers"]) == ("only", 32)
        assert PILOT_ONLY in result["notes"]
        assert measure(result, "drop_out")["reason"] == NO_PART
        nothing = quality(made.study, pilot="leave_out")
        assert row(nothing, "sides")["answers"] == 0
        Assignment.objects.filter(pk__in=[one.pk for one in made.assignments[:5]]).update(is_pilot=False)
        result = quality(made.study)
        assert (result["scope"], row(result, "sides")["answers"]) == ("leave_out", 5)
        assert result["exclusions"] == [{"what": "places", "count": 27, "reason": PILOT}]
        assert sum(one["answered"] for one in result["people"]) == 32  # the pilot's places are part of the plan

    @pytest.fixture
    def begun(self, db):
        """Six comparisons for two experts each: the first expert did their part of four, the second half of it."""
        study = make_open_study(experts=3)
        users = [member.user for member in study.memberships.filter(role=Role.EXPERT).order_by("number")]
        for user, places in zip(users, (4, 2, 0), strict=True):
            for _ in range(places):
                complete(taken(user))
        return study

    def test_who_may_still_go_on_has_not_dropped_out(self, begun):
        result = quality(begun)
        assert [(one["state"], one["answered"], one["part"]) for one in result["people"]] == [
            ("done", 4, 4),
            ("under way", 2, 4),
            ("never began", 0, 4),
        ]
        found = measure(result, "drop_out")
        assert (found["value"], found["reason"]) == (None, "the study is open, and 1 of 2 experts may still go on")
        assert result["notes"][0].startswith("The study is open: these are the answers so far")

    def test_after_the_end_who_began_and_did_not_finish_has_dropped_out(self, begun):
        change_state(study=begun, to=StudyState.CLOSED)
        result = quality(begun)
        assert [one["state"] for one in result["people"]] == ["done", "stopped", "never began"]
        found = measure(result, "drop_out")
        assert (found["value"], found["n"], found["reason"]) == (0.5, 2, "")
        assert result["notes"] == []

    def test_who_does_not_take_part_any_more_has_stopped_though_the_study_goes_on(self, begun):
        begun.memberships.filter(number=result_number(begun, 1)).update(is_active=False)
        result = quality(begun)
        assert result["people"][1]["state"] == "stopped"
        assert result["people"][0]["part"] == 6  # two are left to share twelve places
        assert result["people"][0]["state"] == "under way"

    def test_with_named_places_everybody_s_part_is_what_they_were_given(self, begun):
        Study.objects.filter(pk=begun.pk).update(assigning=Assigning.NAMED)
        result = quality(begun)
        assert (result["people"][0]["state"], result["people"][0]["part"]) == ("done", 4)
        assert result["people"][2]["reason"] == NO_PLACES


def result_number(study, place):
    """The number of the expert at that place."""
    return list(study.memberships.filter(role=Role.EXPERT).order_by("number").values_list("number", flat=True))[place]
