"""While people answer, and while others erase: an answer is refused or erased, whole; two erasures come to one."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, F, Q

from annotations.answering.assigning import next_assignment
from annotations.erasing.executing import erase_rows
from annotations.ground.errors import HLVError
from annotations.models import (
    Assignment,
    Erased,
    Erasure,
    Event,
    EventKind,
    LabelResponse,
    PreferenceResponse,
    Report,
    ReportReason,
    Study,
    User,
)
from tests.worlds import storing
from tests.worlds.answering import complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS, EXPERTS = 8, 3


@pytest.fixture
def study() -> Study:
    return make_open_study(dataset=make_dataset(instances=TEXTS), experts=EXPERTS, instances_per_system=TEXTS)


class Together:
    """Threads that begin at once; an erasure that begins in the midst of answering."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.wrong: list[BaseException] = []
        self.threads: list[threading.Thread] = []

    def add(self, job: Callable[[], object]) -> None:
        def work() -> None:
            try:
                job()
            except BaseException as error:  # shown by `run`
                self.wrong.append(error)
            finally:
                connection.close()

        self.threads.append(threading.Thread(target=work))

    def answering(self, user: User, slug: str) -> list[int]:
        """Answer, report and skip until the server refuses; returns the keys of what it acknowledged."""
        acknowledged: list[int] = []

        def work() -> None:
            try:
                while assignment := next_assignment(user=user, slug=slug).assignment:
                    if len(acknowledged) % 4 == 3:
                        key = assignment.token
                        storing.store_report(
                            user=user, token=assignment.token, key=key, reason=ReportReason.OTHER, skip=True
                        )
                    else:
                        complete(assignment)
                    acknowledged.append(assignment.pk)
                    if len(acknowledged) == 2:
                        self.begun.set()
            except HLVError:
                pass
            finally:
                self.begun.set()

        self.add(work)
        return acknowledged

    def erasing(self, what: str, target: int, *, with_answers: bool = True) -> None:
        erasure = Erasure.objects.create(what=what, target=target, with_answers=with_answers)

        def work() -> None:
            self.begun.wait()
            erase_rows(erasure)

        self.add(work)

    def run(self) -> None:
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join(timeout=60)
        assert not any(thread.is_alive() for thread in self.threads)
        assert self.wrong == []


def expert(study: Study, number: int) -> User:
    return study.memberships.experts().select_related("user").get(number=number).user


def assert_nothing_is_half(study: Study) -> None:
    """No step without the one before it, none that says done and is not, and no place given twice."""
    places = Assignment.objects.filter(study=study)
    counted = places.annotate(
        one=Count("labelresponses", distinct=True), two=Count("preferenceresponses", distinct=True)
    )
    half = counted.filter(
        Q(comparison_shown_at=None, one__gt=0)
        | Q(completed_at=None, two__gt=0)
        | Q(completed_at__isnull=False, two=0)
        | Q(comparison_shown_at__isnull=False, one=0)
    )
    assert not half.exists()
    assert not places.filter(expert=None, claimed_at__isnull=False).exists()
    cap = places.filter(released_at=None).values("comparison").annotate(places=Count("pk"))
    assert not cap.exclude(places=F("comparison__study__experts_per_comparison")).exists()


@pytest.mark.parametrize("with_answers", [False, True], ids=["answers stay", "answers go"])
def test_a_person_who_answers_while_being_erased(study: Study, with_answers: bool) -> None:
    user = expert(study, 0)
    together = Together()
    acknowledged = together.answering(user, study.slug)
    others = [together.answering(expert(study, number), study.slug) for number in range(1, EXPERTS)]
    together.erasing(Erased.PERSON, user.pk, with_answers=with_answers)
    together.run()
    user.refresh_from_db()
    assert user.erased_at is not None
    theirs = Q(assignment__expert__user=user)
    kept = set(PreferenceResponse.objects.filter(theirs).values_list("assignment", flat=True))
    kept |= set(Report.objects.filter(theirs).values_list("assignment", flat=True))
    assert kept == (set() if with_answers else set(acknowledged))
    if with_answers:
        assert not Assignment.objects.filter(expert__user=user).exists()
    assert_nothing_is_half(study)
    for number, done in enumerate(others, start=1):
        assert len(done) == TEXTS, number


def test_a_text_that_is_answered_while_being_erased(study: Study) -> None:
    instance = study.dataset.instances.order_by("position").last()
    assert instance is not None
    together = Together()
    for number in range(EXPERTS):
        together.answering(expert(study, number), study.slug)
    together.erasing(Erased.TEXT, instance.pk)
    together.run()
    for model in (LabelResponse, PreferenceResponse, Report):
        assert not model._default_manager.filter(assignment__instance=instance).exists()
    instance.refresh_from_db()
    assert instance.segments[0]["text"] == ""
    assert_nothing_is_half(study)


@pytest.mark.parametrize("what", [Erased.STUDY, Erased.DATASET])
def test_a_study_or_dataset_that_is_answered_while_being_erased(study: Study, what: str) -> None:
    together = Together()
    for number in range(EXPERTS):
        together.answering(expert(study, number), study.slug)
    together.erasing(what, study.pk if what == Erased.STUDY else study.dataset_id)
    together.run()
    for model in (Study, Assignment, LabelResponse, PreferenceResponse, Report):
        assert not model._default_manager.exists(), model


def pairs(study: Study) -> dict[str, list[tuple[Erased, int]]]:
    person, text = expert(study, 0).pk, study.dataset.instances.order_by("position").first()
    assert text is not None
    all_of = {
        "person": (Erased.PERSON, person),
        "text": (Erased.TEXT, text.pk),
        "study": (Erased.STUDY, study.pk),
        "dataset": (Erased.DATASET, study.dataset_id),
    }
    return {"of all": list(all_of.values())} | {name: [one] * 3 for name, one in all_of.items()}


@pytest.mark.parametrize("which", ["person", "text", "study", "dataset", "of all"])
def test_erasures_at_once_come_to_one_each(study: Study, which: str) -> None:
    for number in range(2):
        for _ in range(3):
            assignment = next_assignment(user=expert(study, number), slug=study.slug).assignment
            assert assignment is not None
            complete(assignment)
    asked = pairs(study)[which]
    together = Together()
    together.begun.set()
    for what, target in asked:
        together.erasing(what, target)
    together.run()
    assert not Erasure.objects.filter(erased_at=None).exists()
    events = Event.objects.filter(kind=EventKind.ERASED)
    counted: list[dict[str, Any]] = [one.data["counts"] for one in events.order_by("pk")]
    if which == "of all":
        assert not Study.objects.exists()
        assert not PreferenceResponse.objects.exists()
    else:
        assert len([one for one in counted if one]) == 1
        assert_nothing_is_half(study)


def test_one_erasure_that_two_workers_took_is_done_once(study: Study) -> None:
    erasure = Erasure.objects.create(what=Erased.PERSON, target=expert(study, 0).pk, with_answers=True)
    together = Together()
    for _ in range(3):
        together.add(partial(erase_rows, erasure))
    together.run()
    assert Event.objects.filter(kind=EventKind.ERASED).count() == 1
