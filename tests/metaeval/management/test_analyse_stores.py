"""The command stores what it computes like a worker, beside workers, and leaves nothing half done."""

import json
import re
import signal
import subprocess
import sys
import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotations.background import jobs
from annotations.background.sweeping import sweep
from annotations.models import Assignment, Event, EventKind, JobState, Study, StudyState, User
from metaeval.analyses.base.computing import made_with
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.documents.report.rendering import as_html
from metaeval.jobs.executing import RunCancelled, TakenOver, answer_here, execute_run
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import set_plan, stamp_plan
from metaeval.jobs.runs import cancel_run, start_run
from tests.conftest import ROOT, wait_until, worker_environment
from tests.metaeval.datasets import annotated_dataset
from tests.metaeval.studies import answered_study

pytestmark = pytest.mark.django_db(transaction=True)

FEW = ["--metrics", "po_jsd", "--coefficients", "kendall"]
QUICK = ["--permutations", "300", *FEW, "--quiet"]
LONG = {
    "permutations": 10_000_000,
    "metrics": ["po_jsd"],
    "coefficients": ["kendall"],
    "exchangeable": "systems",
}


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    """Calling a worker here fails: none is needed."""

    def refuse(*_):
        raise AssertionError("a worker was called")

    monkeypatch.setattr(jobs.run_job, "apply_async", refuse)


@pytest.fixture
def large(db):
    """Too many systems to enumerate all exchanges: an analysis takes as long as requested."""
    return answered_study(systems=12, experts=1).study


def analyse(*arguments):
    out, told = StringIO(), StringIO()
    call_command("analyse", *map(str, arguments), stdout=out, stderr=told)
    return out.getvalue(), told.getvalue()


def run_of(**fields):
    return AnalysisRun.objects.defer(None).get(**fields)


def ask(study, progress, **more):
    return answer_here(
        subject=Subject.of_study(study), analysis="preference_correlation", parameters=LONG, progress=progress, **more
    )


class TestStoring:
    def test_it_stores_what_a_worker_stores(self, study, monkeypatch):
        analyse("demo", "preference_correlation", *QUICK, "--seed", 3)
        here = run_of()
        monkeypatch.setattr(jobs, "ring", lambda job: None)
        subject = Subject.of_study(study)
        parameters = {"permutations": 300, "metrics": ["po_jsd"], "coefficients": ["kendall"]}
        start = {"subject": subject, "analysis": "preference_correlation", "parameters": parameters, "seed": 3}
        there = start_run(**start, rerun=True)
        worker = execute_run(there, jobs.JobProgress())
        assert here.state == JobState.SUCCEEDED
        assert {name: getattr(here, name) for name in worker} == worker
        assert (here.parameters, here.seed) == (there.parameters, 3)
        assert here.made_with == made_with(analyses.get("preference_correlation"))
        assert here.answer
        assert here.progress_done == here.progress_total > 0
        assert here.lease_until is None
        lines = [line.text for line in here.lines.all()]
        assert lines[0] == "Requested"
        assert lines[1].startswith("Computed by a command: ")
        assert "Permutations and resamples" in lines
        assert lines[-1].startswith("Finished with ")

    def test_asked_again_it_gives_what_is_stored_and_rerun_computes_anew(self, study, tmp_path):
        first, second, third = (tmp_path / f"{name}.json" for name in "abc")
        _, told = analyse("demo", "preference_correlation", *QUICK, "--json", first)
        assert told == ""
        _, told = analyse("demo", "preference_correlation", *QUICK, "--json", second)
        assert re.match(r"Stored on \d{4}-\d\d-\d\d \d\d:\d\d UTC \(--rerun computes it again\)", told)
        assert AnalysisRun.objects.count() == 1
        _, told = analyse("demo", "preference_correlation", *QUICK, "--rerun", "--json", third)
        assert told == ""
        assert [run.rerun for run in AnalysisRun.objects.order_by("created_at")] == [False, True]
        assert first.read_text() == second.read_text() == third.read_text()

    def test_to_look_only_stores_nothing(self, study, tmp_path):
        analyse("demo", "preference_correlation", *QUICK, "--no-store", "--json", tmp_path / "looked.json")
        assert not AnalysisRun.objects.exists()
        analyse("demo", "preference_correlation", *QUICK)
        assert json.loads((tmp_path / "looked.json").read_text()) == run_of().result

    def test_a_study_that_only_the_command_has_analysed_has_a_full_report(self, study):
        analyse("demo", "preference_correlation", *QUICK)
        analyse("demo", "system_scores", "--quiet")
        report = as_html(study).decode()
        assert "No analysis has been run yet" not in report
        for run in AnalysisRun.objects.defer(None):
            assert run.result["tables"][0]["title"] in report
        assert report.count("<figure") >= 2

    def test_datasets_and_simulations_are_stored_too(self, db):
        first, second = (annotated_dataset(slug) for slug in ("one", "two"))
        User.objects.create_user("ada@example.org")
        analyse("--dataset", "one", "agreement", "--quiet")
        calibration = ["human_calibration", "--scaling", "grid", "--sample-size", "3", "--fitted-on", "one", "--quiet"]
        analyse("--dataset", "one", "--dataset", "two", *calibration)
        simulation = ["metric_relationship", "--pairs", 5, "--instances", 20, "--quiet"]
        analyse(*simulation, "--by", "ada@example.org")
        assert run_of(analysis="agreement").dataset == first
        assert set(run_of(subject="datasets").datasets.all()) == {first, second}
        free = run_of(subject="nothing")
        assert (free.state, free.is_simulated) == (JobState.SUCCEEDED, True)
        assert AnalysisRun.objects.visible_to(User.objects.get(email="ada@example.org")).filter(pk=free.pk).exists()

    def test_what_the_plan_asks_is_planned_and_the_rest_exploratory(self, db):
        study = answered_study(state=StudyState.DRAFT).study
        parameters = {"permutations": 300, "metrics": ["po_jsd"], "coefficients": ["kendall"]}
        set_plan(
            study=study,
            planned=[{"analysis": "preference_correlation", "parameters": parameters, "seed": 99}],
        )
        stamp_plan(study=study)
        Study.objects.filter(pk=study.pk).update(state=StudyState.OPEN)
        analyse("demo", "preference_correlation", *QUICK)
        analyse("demo", "preference_correlation", "--permutations", 400, *FEW, "--quiet")
        planned, other = AnalysisRun.objects.defer(None).order_by("created_at")
        assert (planned.seed, planned.result["plan"]["status"]) == (99, "planned")
        assert (other.seed, other.result["plan"]["status"]) == (study.seed, "exploratory")


class TestTraces:
    def test_asking_leaves_an_event_with_its_run_however_it_is_answered(self, study):
        User.objects.create_user("ada@example.org")
        analyse("demo", "preference_correlation", *QUICK, "--by", "ada@example.org")
        analyse("demo", "preference_correlation", *QUICK)
        analyse("demo", "preference_correlation", *QUICK, "--rerun", "--no-store")
        asked = {"analysis": "preference_correlation", "seed": study.seed, "by": "command"}
        run = {"run": str(run_of().pk)}
        events = Event.objects.filter(kind=EventKind.ANALYSED).order_by("pk")
        assert [event.data for event in events] == [asked | run, asked | run, asked]
        assert [event.actor_email for event in events] == ["ada@example.org", "", ""]

    def test_a_result_of_a_study_that_has_not_closed_is_an_unblinded_look(self, study):
        looks = Event.objects.filter(kind=EventKind.UNBLINDED_VIEW, study=study)
        analyse("demo", "preference_correlation", *QUICK)
        assert [look.data for look in looks] == [{"what": "result of preference_correlation"}]
        analyse("demo", "preference_correlation", *QUICK)
        assert looks.count() == 1  # the same look within an hour
        Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
        analyse("demo", "system_scores", "--quiet")
        assert looks.count() == 1


class TestEnding:
    def test_a_failure_is_stored_with_its_reason_and_said(self, study):
        Assignment.objects.update(is_pilot=True)
        with pytest.raises(CommandError, match="No responses count yet"):
            analyse("demo", "preference_correlation", *QUICK)
        run = run_of()
        assert (run.state, run.lease_until) == (JobState.FAILED, None)
        assert run.error.startswith("No responses count yet")
        assert "AnalysisError" in run.error_detail

    def test_what_cannot_be_asked_stores_no_run(self, study):
        with pytest.raises(CommandError, match="permutations"):
            analyse("demo", "preference_correlation", "--permutations", 5)
        assert not AnalysisRun.objects.exists()

    def test_no_sweeper_and_no_worker_takes_it_while_it_runs_here(self, large):
        seen = []

        class Looked(Exception):
            pass

        def look(done, total, message=""):
            run = run_of()
            seen.append((run.state, sweep(), jobs.claim(AnalysisRun, run.pk, uuid.uuid4())))
            if len(seen) == 3:
                raise Looked

        with pytest.raises(Exception, match="An internal error occurred"):
            ask(large, look)
        assert seen == [(JobState.RUNNING, 0, None)] * 3
        assert run_of().attempts == 1

    def test_whoever_interrupts_it_cancels_it(self, large):
        def interrupt(done, total, message=""):
            if message.startswith("Permutations"):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ask(large, interrupt)
        run = run_of()
        assert (run.state, run.lease_until) == (JobState.CANCELLED, None)
        assert run.lines.last().text == "Stopped"
        assert sweep() == 0

    def test_cancelled_on_its_page_it_stops_here(self, large):
        def cancel(done, total, message=""):
            if message.startswith("Permutations") and not run_of().cancel_requested:
                cancel_run(run=run_of())

        with pytest.raises(RunCancelled):
            ask(large, cancel)
        assert run_of().state == JobState.CANCELLED

    def test_a_lease_that_was_lost_leaves_the_run_to_who_has_it(self, large):
        other = uuid.uuid4()

        def lose(done, total, message=""):
            if message.startswith("Permutations"):
                AnalysisRun.objects.update(lease_owner=other)

        with pytest.raises(TakenOver):
            ask(large, lose)
        run = run_of()
        assert (run.state, run.lease_owner, run.result) == (JobState.RUNNING, other, None)

    @pytest.mark.parametrize(
        ("number", "code"),
        [
            (signal.SIGTERM, 143),
            pytest.param(signal.SIGINT, 130, marks=pytest.mark.long),
            pytest.param(signal.SIGHUP, 129, marks=pytest.mark.long),
        ],
    )
    def test_a_signal_from_outside_cancels_it_too(self, large, number, code):
        asked = ["--coefficients", "kendall", "--exchangeable", "systems", "--permutations", "10000000"]
        process = subprocess.Popen(
            [sys.executable, "manage.py", "analyse", "demo", "preference_correlation", *asked],
            cwd=ROOT,
            env=worker_environment(),
            stderr=subprocess.PIPE,
            # If the tests themselves run in the background, Ctrl-C is ignored, also by everything that they start.
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - before any thread
        )
        wait_until(lambda: AnalysisRun.objects.filter(progress_message__contains=": block").exists())
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert process.returncode == code
        assert b"Traceback" not in said
        assert run_of().state == JobState.CANCELLED
