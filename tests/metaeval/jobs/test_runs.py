"""Analysis runs as background jobs, also in a real worker process."""

import re

import pytest
from django.db import IntegrityError, transaction

from annotations.background import jobs
from annotations.models import Assignment, Event, EventKind, JobState
from metaeval.analyses.base.registry import InvalidParameters
from metaeval.analyses.inputs.gathering import Subject, gather_study
from metaeval.analyses.study_quality.result import STEPS
from metaeval.jobs import sharding
from metaeval.jobs.executing import execute_run
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import CannotCancel, CannotRetry, NotFinished, cancel_run, result_of, retry_run, start_run
from metaeval.metrics.registry import Metric
from metaeval.stats.agreement import AgreementWithRest
from tests.conftest import wait_until
from tests.metaeval.studies import answered_study


@pytest.fixture
def silent(monkeypatch):
    """No worker is called: a real one is tested below."""
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


def start(study, **options):
    asked = {"permutations": 300, "metrics": ["po_jsd"]}
    options = {"analysis": "preference_correlation", "parameters": asked, **options}
    return start_run(subject=Subject.of_study(study), **options)


SECRET = "the text of somebody"


def failure(study, analysis, parameters):
    """The run of an analysis that meets an error of ours, whose own words nobody reads."""
    run = start(study, analysis=analysis, parameters=parameters)
    jobs.run(AnalysisRun, run.pk)
    failed = AnalysisRun.objects.get(pk=run.pk)
    assert failed.state == JobState.FAILED
    assert "ZeroDivisionError" in failed.error
    assert SECRET not in failed.error + failed.lines.last().text
    return failed


@pytest.mark.django_db
@pytest.mark.usefixtures("silent")
class TestStarting:
    def test_all_parameters_are_stored_with_their_defaults_and_the_study_s_seed(self, study):
        run = start(study)
        assert run.state == JobState.QUEUED
        assert run.seed == study.seed
        assert run.parameters["permutations"] == 300
        assert run.parameters["two_sided"] == "double"
        event = Event.objects.get(kind=EventKind.ANALYSED)
        assert event.data == {"analysis": "preference_correlation", "run": str(run.pk), "seed": study.seed}

    def test_invalid_parameters_start_nothing(self, study):
        with pytest.raises(InvalidParameters):
            start(study, parameters={"permutations": 1})
        assert not AnalysisRun.objects.exists()

    def test_a_success_without_a_result_cannot_be_stored(self, study):
        run = start(study)
        with pytest.raises(IntegrityError), transaction.atomic():
            AnalysisRun.objects.filter(pk=run.pk).update(state=JobState.SUCCEEDED)

    def test_a_waiting_run_is_cancelled_at_once_and_can_be_tried_again(self, study):
        run = cancel_run(run=start(study))
        assert run.state == JobState.CANCELLED
        with pytest.raises(CannotCancel):
            cancel_run(run=run)
        again = retry_run(run=run)
        assert again.state == JobState.QUEUED
        with pytest.raises(CannotRetry):
            retry_run(run=again)

    def test_a_run_without_a_result_says_so(self, study):
        with pytest.raises(NotFinished):
            result_of(start(study))


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("silent")
class TestWorking:
    def test_a_run_stores_its_result_figures_and_fingerprint(self, answered):
        run = start(answered.study, seed=3)
        assert jobs.run(AnalysisRun, run.pk)
        run = AnalysisRun.objects.get(pk=run.pk)
        assert (run.state, run.error) == (JobState.SUCCEEDED, "")
        assert result_of(run)["seed"] == 3
        assert run.fingerprint == run.result["fingerprint"]
        assert run.figures[0] == "scatter"
        assert (run.progress_done, run.progress_total) == (run.progress_total, run.progress_total)

    def test_a_failure_has_a_readable_reason(self, answered):
        Assignment.objects.update(is_pilot=True)
        run = start(answered.study)
        jobs.run(AnalysisRun, run.pk)
        run.refresh_from_db()
        assert run.state == JobState.FAILED
        assert run.error.startswith("No responses count yet")
        assert "AnalysisError" in run.error_detail

    def test_an_error_that_nobody_foresaw_says_which_step_and_expert_of_which_study_met_it(self, answered, monkeypatch):
        def planted(data, person, distance):
            if (person, distance) == (1, "nominal"):
                raise ZeroDivisionError(SECRET)
            return AgreementWithRest(data, person, distance)

        monkeypatch.setattr("metaeval.analyses.study_quality.agreement.AgreementWithRest", planted)
        failed = failure(answered.study, "study_quality", {})
        named = f"study {answered.study.slug}, study_quality, Answers, {STEPS['preferences']}, Expert 1"
        assert named in failed.error
        assert named in failed.lines.last().text

    def test_an_error_in_a_metric_says_which_system_and_metric_met_it(self, answered, monkeypatch):
        def planted(metric, pair):
            if metric.name == "po_jsd":
                raise ZeroDivisionError(SECRET)
            return of(metric, pair)

        of = Metric.of
        monkeypatch.setattr(Metric, "of", planted)
        failed = failure(answered.study, "system_scores", {"metrics": ["soft_micro_f1", "po_jsd"]})
        first = gather_study(answered.study).systems[0]
        assert f"study {answered.study.slug}, system_scores, " in failed.error
        assert f"{first}, po_jsd" in failed.error

    def test_cancelling_works_within_a_block_of_permutations(self, answered, monkeypatch):
        # On a slow machine, the work would be distributed after a block, which only the run's holder may do.
        monkeypatch.setattr(sharding, "MEASURE_SECONDS", 3600.0)
        run = start(answered.study, parameters={"permutations": 10_000_000, "coefficients": ["kendall"]})
        seen = []

        class Watched(jobs.JobProgress):
            def __call__(self, done, total, message=""):
                seen.append(message)
                if message.startswith("Permutations and resamples: block 3 "):
                    self.cancelled.set()
                super().__call__(done, total, message)

        with pytest.raises(jobs.JobCancelled):
            execute_run(run, Watched())
        assert seen[-1].startswith("Permutations and resamples: block 3 ")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("celery_worker_process")
class TestInARealWorker:
    def test_it_ends_in_the_numbers_of_this_process_or_in_a_reason_that_people_can_read(self):
        study = answered_study().study
        hopeless = start(answered_study("two", systems=2).study)
        # Of so many systems, not all orders are listed.
        asked = {
            "permutations": 20_000,
            "metrics": ["po_jsd"],
            "exchangeable": "systems",
        }
        runs = [start(study, seed=seed, parameters=asked) for seed in (7, 7, 8)]
        wait_until(lambda: all(run.is_final for run in AnalysisRun.objects.all()), seconds=60)
        first, second, other = (AnalysisRun.objects.get(pk=run.pk).result for run in runs)
        assert first == second
        assert first["correlations"] != other["correlations"]
        here = execute_run(start(study, seed=7, parameters=asked), jobs.JobProgress())
        assert here["result"] == first
        failed = AnalysisRun.objects.get(pk=hopeless.pk)
        assert failed.state == JobState.FAILED
        assert re.findall(r"\d", failed.error) == ["2", "3"]

    def test_its_progress_can_be_watched_and_it_can_be_stopped(self):
        study = answered_study(systems=24, experts=1).study  # too many to enumerate: it takes ten seconds and more
        asked = {"permutations": 10_000_000, "exchangeable": "systems", "coefficients": ["kendall"]}
        run = start(study, parameters=asked)

        def watched():
            run.refresh_from_db(fields=["state", "progress_done", "progress_total", "progress_message"])
            return run.progress_done

        # Before the first block it only says what is done in blocks.
        wait_until(lambda: watched() > 10 and ": block" in run.progress_message, seconds=60)
        assert run.state == JobState.RUNNING
        assert run.progress_message.startswith("Permutations and resamples: block")
        before = run.progress_done
        wait_until(lambda: watched() > before)
        cancel_run(run=run)
        wait_until(lambda: watched() and run.state == JobState.CANCELLED)
        assert run.progress_done < run.progress_total
