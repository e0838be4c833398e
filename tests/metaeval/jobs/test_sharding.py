"""Shards: whoever computes them, in whatever order and however often, the result is that of one process."""

import itertools
import threading
import uuid
from datetime import timedelta

import numpy as np
import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotations.background import jobs
from annotations.background.sweeping import sweep
from annotations.ground.errors import HLVError
from annotations.models import JobState, PreferenceResponse, User
from metaeval.analyses.base.parameters import Parameters
from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.base.result import AnyResult, Findings
from metaeval.analyses.base.table import column, table
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs import sharding
from metaeval.jobs.executing import execute_run
from metaeval.jobs.models import AnalysisRun, AnalysisShard
from metaeval.jobs.runs import cancel_run, compute, retry_run, start_run, subject_of
from metaeval.sampling import ResamplingPlan
from tests.worlds.answering import unsaved_preference

pytestmark = pytest.mark.django_db(transaction=True)

BLOCKS = 12


class Steps:
    """What happens at certain blocks, so that a test controls the order of events."""

    def __init__(self):
        self.drawn = []
        self.before = {}

    def draw(self, name):
        counter = itertools.count()

        def draw(stream, size):
            number = int(stream.spawn_key[-1])
            self.drawn.append((name, number))
            next(counter)
            self.before.get((name, number), lambda: None)()
            return np.random.default_rng(stream).normal(size=(size, 2))

        return draw


@pytest.fixture
def steps(monkeypatch):
    """An analysis of two plans at once and then of one that needs their answer; all work is distributed."""
    steps = Steps()

    def in_two_steps(study, parameters, seed, work):
        """Draws."""
        work.stage("First", until=0.6)
        first = work.run(
            {
                name: ResamplingPlan(
                    steps.draw(name), n_resamples=BLOCKS * 256 - 7, seed=np.random.SeedSequence([seed, place])
                )
                for place, name in enumerate(("one", "two"))
            }
        )
        work.stage("Second")
        needed = int(abs(first["one"].sum()) * 1e6) % 1000
        last = work.run(
            {
                "three": ResamplingPlan(
                    steps.draw("three"), n_resamples=BLOCKS * 256, seed=np.random.SeedSequence([needed])
                )
            }
        )
        rows = [{"name": name, "sum": float(values.sum())} for name, values in {**first, **last}.items()]
        return Findings(tables=[table("sums", "Sums", [column("name", "Name"), column("sum", "Sum")], rows)])

    analyses.names()
    words = PlainWords(question="T")
    entry = Analysis("in_two_steps", "T", "D.", ("study",), Parameters, AnyResult, (), 1, in_two_steps, words)
    monkeypatch.setitem(analyses._entries, "in_two_steps", entry)
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)
    monkeypatch.setattr(sharding, "MEASURE_SECONDS", 0.0)
    monkeypatch.setattr(sharding, "WORTH_SECONDS", -1.0)
    monkeypatch.setattr(sharding, "WORTH_TIMES", -1.0)
    monkeypatch.setattr(sharding, "SHORTEST", 1e-9)
    monkeypatch.setattr(sharding, "COUNT_SECONDS", 0.0)
    sharding._prepared.clear()
    return steps


def start(study, **options):
    return start_run(subject=Subject.of_study(study), analysis="in_two_steps", parameters={}, seed=3, **options)


def alone(run):
    """The result of one process."""
    return compute(
        subject=subject_of(run), analysis="in_two_steps", parameters={}, seed=run.seed, progress=lambda *_: None
    )


def ended(run):
    return AnalysisRun.objects.defer(None).get(pk=run.pk)


def in_thread(work):
    """Like another worker: another connection, another thread."""

    def run():
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_shared_run_is_equal_to_one_process_to_the_last_digit(study, steps):
    run = start(study)
    expected = alone(run)
    assert jobs.run(AnalysisRun, run.pk)
    assert ended(run).result == expected
    assert not AnalysisShard.objects.exists(), "shards of an ended run are gone"
    assert sharding._prepared == {}


def test_another_worker_helps_with_every_plan_and_changes_nothing(study, steps):
    run = start(study)
    expected = alone(run)
    steps.drawn.clear()
    helped = []

    def help_out():
        """What a worker does that was called for a shard in another process: it has no plan yet."""
        sharding._prepared.clear()
        for pk in list(AnalysisShard.objects.to_be_had().order_by("-plan", "-first").values_list("pk", flat=True))[:3]:
            helped.append(AnalysisShard.objects.get(pk=pk).plan)
            assert jobs.run(AnalysisShard, pk)

    # The helper comes while the run's own worker is at its second block, of the first and of the last plan.
    kept = {}

    def once(key):
        def do():
            if key not in kept:
                kept[key] = dict(sharding._prepared)
                in_thread(help_out).join()
                sharding._prepared.update(kept[key])

        return do

    steps.before = {("one", 1): once("one"), ("three", 1): once("three")}
    assert jobs.run(AnalysisRun, run.pk), ended(run).error_detail
    assert ended(run).result == expected
    assert helped == ["two"] * 3 + ["three"] * 3


def test_what_was_done_survives_the_run_s_worker(study, steps):
    run = start(study)
    expected = alone(run)

    class Killed(BaseException):
        """Nothing catches it, as nothing catches SIGKILL."""

    def die():
        raise Killed

    steps.before = {("two", 4): die}
    with pytest.raises(Killed):
        jobs.run(AnalysisRun, run.pk)
    done = AnalysisShard.objects.filter(state=JobState.SUCCEEDED).count()
    assert done > 3
    past = timezone.now() - timedelta(seconds=1)
    AnalysisRun.objects.update(lease_until=past)
    AnalysisShard.objects.filter(state=JobState.RUNNING).update(lease_until=past)
    steps.before = {}
    steps.drawn.clear()
    sharding._prepared.clear()
    assert jobs.run(AnalysisRun, run.pk)
    assert ended(run).result == expected
    again = {number for name, number in steps.drawn if name == "one"}
    assert len(again) < BLOCKS / 2, "what was done before is not done again"


def test_who_finds_other_data_gives_the_shard_back_and_the_run_ends_with_its_own(answered, steps):
    study = answered.study
    run = start(study)
    expected = alone(run)
    given_back = []

    def answers_come_in():
        if given_back:
            return
        PreferenceResponse.objects.bulk_create([unsaved_preference(answered.assignments[0], False, False, revision=1)])
        kept = dict(sharding._prepared)

        def help_out():
            sharding._prepared.clear()
            pk = AnalysisShard.objects.to_be_had().values_list("pk", flat=True).first()
            given_back.append((pk, jobs.run(AnalysisShard, pk)))
            shard = AnalysisShard.objects.get(pk=pk)
            assert (shard.state, shard.attempts, shard.lease_owner) == (JobState.QUEUED, 0, None)

        in_thread(help_out).join()
        sharding._prepared.update(kept)

    steps.before = {("one", 1): answers_come_in}
    assert jobs.run(AnalysisRun, run.pk), ended(run).error_detail
    assert [done for _, done in given_back] == [False]
    assert ended(run).result == expected


def test_a_second_attempt_on_other_data_fails_readably_and_can_be_tried_again(answered, steps):
    run = start(answered.study)
    jobs.claim(AnalysisRun, run.pk, uuid.uuid4())
    AnalysisRun.objects.update(fingerprint="0" * 64, lease_until=timezone.now() - timedelta(seconds=1))
    jobs.run(AnalysisRun, run.pk)
    assert ended(run).state == JobState.FAILED
    assert ended(run).error.startswith("The data changed while this was running")
    retry_run(run=ended(run))
    jobs.run(AnalysisRun, run.pk)
    assert ended(run).state == JobState.SUCCEEDED


def test_helpers_serve_the_runs_of_several_people_in_turn(study, steps, make_user, monkeypatch):
    """Each run was shared out by a worker that then died, so that only helpers are left."""

    def die(loop):
        raise KeyboardInterrupt

    monkeypatch.setattr(sharding.Loop, "together", die)
    people = {make_user(f"{name}@example.org", name=name).pk: name for name in ("ann", "ben")}
    for person in User.objects.filter(pk__in=people).order_by("name"):
        with pytest.raises(KeyboardInterrupt):
            jobs.run(AnalysisRun, start(study, actor=person).pk)
    helped = [jobs.take("celery") for _ in range(6)]
    assert {type(job) for job in helped} == {AnalysisShard}
    assert [people[job.owner_id] for job in helped] == ["ann", "ben"] * 3
    firsts = [job.first for job in helped if people[job.owner_id] == "ann"]
    assert firsts == sorted(firsts), "the long ones first, as they were cut"


def test_cancelling_reaches_the_run_and_its_shards(study, steps):
    run = start(study)

    def stop():
        cancel_run(run=AnalysisRun.objects.get(pk=run.pk))
        assert set(AnalysisShard.objects.values_list("cancel_requested", flat=True)) == {True}
        assert not AnalysisShard.objects.to_be_had().exists()
        steps.before = {("one", number): lambda: threading.Event().wait(0.3) for number in range(BLOCKS)}

    steps.before = {("one", 2): stop}
    jobs.run(AnalysisRun, run.pk)
    assert ended(run).state == JobState.CANCELLED
    assert not AnalysisShard.objects.exists()
    assert ("three", 0) not in steps.drawn


def test_a_worker_that_lost_the_run_gives_its_shard_back_instead_of_cancelling_it(study, steps):
    run = start(study)
    expected = alone(run)
    lost = threading.Event()

    def another_takes_over():
        if not lost.is_set():
            lost.set()
            AnalysisRun.objects.filter(pk=run.pk).update(lease_owner=uuid.uuid4())
            wait_for_the_keeper.wait(1.2)

    wait_for_the_keeper = threading.Event()
    steps.before = {("one", 2): another_takes_over}
    assert not jobs.run(AnalysisRun, run.pk)
    assert ended(run).state == JobState.RUNNING
    assert JobState.CANCELLED not in AnalysisShard.objects.values_list("state", flat=True)
    AnalysisRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    steps.before = {}
    assert jobs.run(AnalysisRun, run.pk)
    assert ended(run).result == expected


def test_a_shard_that_fails_fails_the_run_with_its_reason_and_traceback(study, steps):
    def fail():
        raise HLVError("The weights of block 5 are all 0.")

    run = start(study)
    steps.before = {("two", 5): fail}
    jobs.run(AnalysisRun, run.pk)
    assert (ended(run).state, ended(run).error) == (JobState.FAILED, "The weights of block 5 are all 0.")
    assert "in fail" in ended(run).error_detail
    assert not AnalysisShard.objects.exists()


def test_an_error_that_nobody_foresaw_names_the_study_the_analysis_the_plan_and_the_block_that_met_it(study, steps):
    def fail():
        raise ZeroDivisionError("the text of somebody")

    run = start(study)
    steps.before = {("two", 5): fail}
    jobs.run(AnalysisRun, run.pk)
    failed = ended(run)
    assert failed.state == JobState.FAILED
    for words in (f"study {study.slug}", "in_two_steps", "two, block 5", "ZeroDivisionError"):
        assert words in failed.error
    assert "somebody" not in failed.error
    assert "two, block 5" in failed.lines.last().text


def test_a_shard_that_kills_every_worker_gives_the_run_up(study, steps):
    run = start(study)

    def workers_die():
        steps.before = {}
        dead = AnalysisShard.objects.filter(plan="two").last()
        for _ in range(settings.JOB_MAX_ATTEMPTS):
            assert jobs.claim(AnalysisShard, dead.pk, uuid.uuid4())
            AnalysisShard.objects.filter(pk=dead.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        sweep()

    steps.before = {("one", 1): workers_die}
    jobs.run(AnalysisRun, run.pk)
    assert ended(run).state == JobState.FAILED
    assert "died 3 times" in ended(run).error


def test_what_takes_longer_than_the_limit_is_ended_with_a_sentence(study, steps, settings):
    settings.HLV_RUN_SECONDS = 0
    run = start(study)
    jobs.run(AnalysisRun, run.pk)
    assert ended(run).state == JobState.FAILED
    assert ended(run).error.startswith("This took longer than 0 hours, the limit of this server.")
    assert not AnalysisShard.objects.exists()


def test_short_work_is_not_shared_out(study, steps, monkeypatch):
    monkeypatch.setattr(sharding, "MEASURE_SECONDS", 60.0)
    made = []
    monkeypatch.setattr(AnalysisShard.objects, "bulk_create", made.extend)
    run = start(study)
    assert jobs.run(AnalysisRun, run.pk)
    assert made == []


@pytest.mark.parametrize(("repeated", "is_shared"), [(0.1, True), (1.4, True), (1.6, False), (60.0, False)])
def test_work_is_shared_only_if_it_takes_much_longer_than_what_each_helper_repeats(repeated, is_shared):
    """100 blocks of 0.03 seconds, less the 2 that were timed, against twice what comes before them."""
    plan = ResamplingPlan(lambda *_: np.zeros(1), n_resamples=100, block=1)
    loop = sharding.Loop(Work(), AnalysisRun(), {"p": plan}, repeated=repeated)
    loop.values["p"] = {0: np.zeros(1), 1: np.zeros(1)}
    loop.timed["p"] = [0.03, 0.03]
    assert loop._is_worth_sharing() == is_shared


def test_what_a_helper_would_repeat_is_all_that_was_not_in_loops(study, steps, monkeypatch):
    seen = []

    class Watched(sharding.Loop):
        def __init__(self, *parts, repeated):
            seen.append(repeated)
            super().__init__(*parts, repeated=repeated)

        def alone(self):
            clock.now += 100.0
            super().alone()

    class Clock:
        now = 0.0

        def monotonic(self):
            self.now += 0.001
            return self.now

        def sleep(self, _seconds):
            raise AssertionError("nothing to wait for")

    clock = Clock()
    monkeypatch.setattr(sharding, "time", clock)
    monkeypatch.setattr(sharding, "Loop", Watched)
    run = start(study)
    assert jobs.run(AnalysisRun, run.pk)
    assert len(seen) == 2
    assert all(0 < one < 1 for one in seen)


def test_progress_never_goes_back_and_ends_at_the_whole(study, steps):
    run = start(study)
    told = []

    class Watched(jobs.JobProgress):
        def __call__(self, done, total, message=""):
            told.append((done, total))
            super().__call__(done, total, message)

    claimed = jobs.claim(AnalysisRun, run.pk, uuid.uuid4())
    execute_run(run=claimed, progress=Watched())
    shares = [done / total for done, total in told if total]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(set(shares)) > BLOCKS


def test_constraints_hold_what_a_shard_is(study, steps):
    run = start(study)
    shard = AnalysisShard.objects.create(run=run, plan="one", first=0, stop=2)
    for wrong in ({"first": 0, "stop": 3}, {"first": 3, "stop": 3}, {"first": 4, "stop": 5, "state": "succeeded"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            AnalysisShard.objects.create(run=run, plan="one", **wrong)
    AnalysisShard.objects.filter(pk=shard.pk).update(state="succeeded", values=b"")


def test_shards_grow_shorter_towards_the_end_and_cover_every_block_once():
    for count, seconds in ((1, None), (40, None), (3663, 0.002), (3663, 1.0), (100_000, 0.0001), (7, 30.0)):
        loop = sharding.Loop(
            Work(), AnalysisRun(), {"p": ResamplingPlan(lambda *_: np.zeros(1), n_resamples=count, block=1)}
        )
        if seconds:
            loop.timed["p"] = [seconds]
        ranges = loop._cut("p")
        covered = [number for first, stop in ranges for number in range(first, stop)]
        assert covered == list(range(count))
        sizes = [stop - first for first, stop in ranges]
        assert sizes == sorted(sizes, reverse=True) or seconds
        if seconds:
            assert all(size * seconds <= sharding.LONGEST or size == 1 for size in sizes)
        assert len(ranges) < 400
