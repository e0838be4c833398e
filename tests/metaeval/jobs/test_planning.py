"""The analysis plan: changeable until the study opens, then fixed, and stated by every result."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from annotations.background import jobs
from annotations.designing import lifecycle
from annotations.models import Event, EventKind, Role, Study, StudyState
from metaeval.analyses.base.registry import InvalidParameters, analyses
from metaeval.analyses.base.result import plan_digest
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun, PlannedAnalysis, StampedPlan
from metaeval.jobs.planning import PlanIsFixed, set_plan, standing
from metaeval.jobs.runs import rerun, start_run
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db(transaction=True)

ASKED = {"analysis": "preference_correlation", "parameters": {"permutations": 200}, "note": "PO-JSD wins."}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


@pytest.fixture
def draft(db):
    return answered_study("drafted", state=StudyState.DRAFT).study


def opened(study):
    return lifecycle.change_state(study=study, to=StudyState.OPEN)


def test_a_plan_is_replaced_as_a_whole_with_all_parameters_and_a_seed_of_its_own(draft):
    before, _ = set_plan(study=draft, planned=[ASKED, {**ASKED, "seed": 9}])
    assert before.seed != draft.seed
    (row,) = set_plan(study=draft, planned=[ASKED])
    assert PlannedAnalysis.objects.get() == row
    assert (row.seed, row.parameters["two_sided"], row.note) == (before.seed, "double", "PO-JSD wins.")
    event = Event.objects.filter(kind=EventKind.ANALYSES_PLANNED).first()
    assert event.data == {"analyses": ["preference_correlation"]}
    with pytest.raises(InvalidParameters):
        set_plan(study=draft, planned=[{**ASKED, "parameters": {"permutations": 1}}])
    assert PlannedAnalysis.objects.count() == 1


def test_opening_stamps_the_plan_with_its_digest_and_time_once(draft):
    set_plan(study=draft, planned=[ASKED])
    study = opened(draft)
    stamped = StampedPlan.objects.get(study=study)
    assert stamped.sha256 == plan_digest(stamped.content)
    assert stamped.content[0]["note"] == "PO-JSD wins."
    event = Event.objects.get(kind=EventKind.PLAN_STAMPED)
    assert event.data == {"sha256": stamped.sha256, "analyses": 1}
    lifecycle.change_state(study=study, to=StudyState.PAUSED)
    lifecycle.change_state(study=study, to=StudyState.OPEN)
    assert StampedPlan.objects.get().at == stamped.at


def test_a_study_without_a_plan_opens_without_a_stamp(draft):
    opened(draft)
    assert not StampedPlan.objects.exists()


def test_an_opening_that_fails_stamps_nothing(draft, monkeypatch):
    set_plan(study=draft, planned=[ASKED])
    monkeypatch.setattr("metaeval.jobs.planning.plan_digest", lambda content: None)
    with pytest.raises(IntegrityError):
        opened(draft)
    assert Study.objects.get(pk=draft.pk).state == StudyState.DRAFT


def test_what_is_fixed_stays(draft):
    set_plan(study=draft, planned=[ASKED])
    study = opened(draft)
    with pytest.raises(PlanIsFixed):
        set_plan(study=study, planned=[])
    for change in (
        lambda: PlannedAnalysis.objects.update(seed=1),
        lambda: PlannedAnalysis.objects.create(study=study, position=5, analysis="x", seed=1),
        lambda: StampedPlan.objects.update(sha256="0" * 64),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()
    study.refresh_from_db()


def test_results_say_planned_or_exploratory(draft):
    set_plan(study=draft, planned=[ASKED])
    study = opened(draft)

    def plan_of(**changes):
        asked = {"parameters": ASKED["parameters"], "seed": None, **changes}
        run = start_run(subject=Subject.of_study(study), analysis="preference_correlation", **asked)
        jobs.run(AnalysisRun, run.pk)
        return AnalysisRun.objects.defer(None).get(pk=run.pk).result["plan"]

    planned = plan_of()
    stamped = StampedPlan.objects.get()
    assert planned == {"status": "planned", "sha256": stamped.sha256, "stamped_at": stamped.at.isoformat()}
    assert plan_of(seed=1)["status"] == "exploratory"
    assert plan_of(parameters={"permutations": 201})["status"] == "exploratory"


def test_a_plan_that_was_stamped_before_a_parameter_existed_counts_what_it_meant_as_planned(draft):
    """As version 1 of the analysis stamped it: without intervals, because it knew none."""
    set_plan(study=draft, planned=[ASKED])
    row = PlannedAnalysis.objects.get()
    later = ("exchangeable", "paired", "identical", "values")
    for name in ("resamples", "over", "interval", "level", "exchanges", *later):
        del row.parameters[name]
    row.save()
    content = [{"analysis": row.analysis, "parameters": row.parameters, "seed": row.seed, "note": row.note}]
    StampedPlan.objects.create(study=draft, content=content, sha256=plan_digest(content))

    def stands(**parameters):
        full = analyses.get(row.analysis).validated(ASKED["parameters"] | parameters).model_dump(mode="json")
        return standing(study=draft, analysis=row.analysis, parameters=full, seed=row.seed)["status"]

    as_published = {"exchangeable": "systems", "interval": "bca", "paired": "exchange systems"}
    assert stands(resamples=0, exchanges=0, **as_published) == "planned"
    assert stands(resamples=0, exchanges=0) == "exploratory"
    assert stands() == "exploratory"
    assert standing(study=draft, analysis=row.analysis, parameters=row.parameters, seed=row.seed)["status"] == "planned"


def test_what_was_planned_before_a_parameter_existed_is_stamped_in_full_with_what_it_meant(draft):
    set_plan(study=draft, planned=[ASKED])
    row = PlannedAnalysis.objects.get()
    del row.parameters["resamples"]
    row.save()
    opened(draft)
    assert StampedPlan.objects.get().content[0]["parameters"]["resamples"] == 0


def test_a_run_that_was_stored_before_a_parameter_existed_is_repeated_as_it_was(draft):
    study = opened(draft)
    run = start_run(
        subject=Subject.of_study(study), analysis="preference_correlation", parameters={"permutations": 200}
    )
    del run.parameters["resamples"]
    run.save()
    jobs.run(AnalysisRun, run.pk)
    result = AnalysisRun.objects.defer(None).get(pk=run.pk).result
    assert result["parameters"]["resamples"] == 0
    assert rerun(run=run).parameters["resamples"] == 0


def test_without_a_plan_everything_is_exploratory_and_without_a_study_there_is_no_such_thing(draft):
    opened(draft)
    assert standing(study=draft, analysis="preference_correlation", parameters={}, seed=1) == {
        "status": "exploratory",
        "sha256": None,
        "stamped_at": None,
    }
    assert standing(study=None, analysis="power", parameters={}, seed=1) is None


class TestOverTheAPI:
    @pytest.fixture
    def researcher(self, draft):
        client = APIClient()
        client.force_login(
            make_member(draft, Role.RESEARCHER, "researcher@example.org").user,
            "django.contrib.auth.backends.ModelBackend",
        )
        return client

    def test_a_plan_is_written_read_and_fixed(self, researcher, draft):
        path = f"/api/studies/{draft.slug}/analysis-plan/"
        assert researcher.get(path).json() == {
            "planned": [],
            "can_change": True,
            "sha256": None,
            "stamped_at": None,
        }
        written = researcher.put(path, {"planned": [ASKED]}, format="json").json()
        assert written["planned"][0]["seed"] not in {draft.seed, 0}
        opened(draft)
        fixed = researcher.get(path).json()
        assert (fixed["can_change"], fixed["planned"]) == (False, written["planned"])
        assert fixed["sha256"] == StampedPlan.objects.get().sha256
        refused = researcher.put(path, {"planned": []}, format="json")
        assert (refused.status_code, refused.json()["code"]) == (409, "plan_is_fixed")

    def test_too_long_or_wrong_plans_are_refused(self, researcher, draft):
        path = f"/api/studies/{draft.slug}/analysis-plan/"
        assert researcher.put(path, {"planned": [ASKED] * 51}, format="json").status_code == 400
        wrong = [{"analysis": "magic"}]
        assert researcher.put(path, {"planned": wrong}, format="json").json()["code"] == "unknown_name"

    def test_experts_see_no_plan(self, draft):
        client = APIClient()
        client.force_login(draft.memberships.first().user, "django.contrib.auth.backends.ModelBackend")
        path = f"/api/studies/{draft.slug}/analysis-plan/"
        assert client.get(path).status_code == 404
        assert client.put(path, {"planned": []}, format="json").status_code == 404


class TestFromTheCommandLine:
    def run(self, *arguments):
        out = StringIO()
        call_command("plan_analyses", *map(str, arguments), stdout=out)
        return out.getvalue()

    def test_a_plan_goes_out_as_a_file_and_comes_back(self, draft, tmp_path):
        assert "Nothing planned." in self.run(draft.slug)
        file, back = tmp_path / "plan.json", tmp_path / "back.json"
        file.write_text(json.dumps([ASKED]))
        printed = self.run(draft.slug, "--set", file, "--out", back)
        content = json.loads(back.read_text())
        assert f"Not fixed yet; its current content: sha256:{plan_digest(content)}" in printed
        opened(draft)
        assert f"sha256:{plan_digest(content)}" in self.run(draft.slug)
        with pytest.raises(CommandError, match="was fixed when it opened"):
            self.run(draft.slug, "--set", back)

    def test_a_file_that_is_no_plan_says_so(self, draft, tmp_path):
        file = tmp_path / "plan.json"
        for content in ("{", '{"analysis": "x"}', "[1]"):
            file.write_text(content)
            with pytest.raises(CommandError, match=r"plan\.json (could not be read|must hold)"):
                self.run(draft.slug, "--set", file)
