"""An expert's own answers, seen once more: the last one can be corrected, all others only looked at.

- Corrected is step 2 of the last completed assignment, while the study takes answers. Step 1 and earlier answers stay
  locked: an expert who could go back further would answer with what later texts taught them. A correction is a new
  revision; the newest counts, and all are exported.
- Looked at are an expert's own completed assignments, including the pilot's; still after they have left the study,
  whether their answers stayed in it or not. They see what they were shown then, and nothing more. Withdrawn texts are
  hidden from everybody. If a study repeats texts to see how consistent answers are, nobody can look back before it is
  closed: they could answer a repeat by copying the first answer.
"""

import uuid
from dataclasses import dataclass, replace
from typing import Any, Unpack

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotations.answering.assigning import Handed, shown
from annotations.answering.experts import expert_of
from annotations.answering.progress import ExpertWorkload
from annotations.answering.recording import (
    CorrectionClosed,
    PreferenceGiven,
    key_used_once,
    must_accept,
    own_of,
    record_preference,
)
from annotations.ground.errors import Conflict, NotFound
from annotations.models import Assignment, Guess, LabelResponse, Membership, PreferenceResponse, StudyState, User
from annotations.shown.displaying import with_rows

MOST_MS = 2**31 - 1  # the most the column can hold


class NotTheLast(Conflict):
    """Another assignment has been completed since, or this one has not been."""


def last_answered(*, user: User, slug: str) -> Handed:
    """The expert's last completed assignment at step 2, with their newest answer to it.

    Raises:
        NotFound: the user is not an active expert in such a study, or has completed nothing.
        NotAccepting: the study is not taking answers.
        CorrectionClosed: they have since guessed which side was the human one.
    """
    expert = expert_of(user, study__slug=slug)
    must_accept(expert.study)
    last = _completed(expert.pk).first()
    if last is None:
        raise NotFound
    if Guess.objects.filter(assignment=last).exists():
        raise CorrectionClosed
    handed = shown(ExpertWorkload(expert), last.pk)
    return replace(handed, answered=PreferenceResponse.objects.filter(assignment=last).latest("revision"))


def may_correct(*, user: User, slug: str) -> bool:
    """Whether the expert's last answer can still be changed: `last_answered` would show it.

    Raises:
        NotFound: the user is not an active expert in such a study.
    """
    expert = expert_of(user, study__slug=slug)
    last = _completed(expert.pk).select_related("guess").first()
    return expert.study.accepts_responses and last is not None and not hasattr(last, "guess")


def store_correction(*, user: User, token: uuid.UUID, **answer: Unpack[PreferenceGiven]) -> PreferenceResponse:
    """Store a new answer to step 2 of the expert's last completed assignment. The same answer changes nothing.

    `active_ms` is the time of the correction alone. What is stored is the total active time of step 2, so that the
    newest revision says how long the step took, corrections included; unknown stays unknown.

    Raises:
        NotTheLast, and what `recording.record_preference` raises.
    """
    with key_used_once(PreferenceResponse, answer["key"]):
        own = own_of(user, token)
        assignment = own.assignment
        # An answer already stored under this key is acknowledged again, whatever has been completed since.
        if not PreferenceResponse.objects.filter(key=answer["key"]).exists():
            must_accept(own.expert.study)
            if _completed(assignment.expert_id).first() != assignment:
                raise NotTheLast(_("Only your last answer can be changed, and you have given another one since then."))
            before, more = assignment.preferenceresponses.latest("revision").active_ms, answer.get("active_ms")
            answer["active_ms"] = None if before is None or more is None else min(before + more, MOST_MS)
        return record_preference(own, correction=True, **answer)


def _completed(expert: int | None) -> QuerySet[Assignment]:
    """An expert's completed assignments, newest first."""
    return Assignment.objects.completed().filter(expert=expert).order_by("-completed_at", "-position")


class NotYet(Conflict):
    """The study repeats some texts and is not closed yet."""

    code = "answers_not_yet"


@dataclass(frozen=True, slots=True)
class LookedBack:
    """One of the expert's own answers. `assignment` comes from `with_rows`, `expert` from `with_labels`."""

    expert: Membership
    assignment: Any
    labels: list[int]
    preference: PreferenceResponse


def own_answers(*, user: User, slug: str) -> tuple[Membership, QuerySet[Assignment]]:
    """The expert and what they answered, newest first, each with the revisions of both steps that count.

    Raises:
        NotFound: the user is not, and was not, an expert in such a study.
        NotYet.
    """
    expert = expert_of(user, former=True, study__slug=slug)
    _must_not_repeat(expert)
    return expert, _with_answers(_answered(expert)).order_by("-completed_at", "-position")


def own_answer(*, user: User, token: uuid.UUID) -> LookedBack:
    """One answer with everything that was shown, on the same sides as then. At most four queries.

    Raises:
        NotFound: it is somebody else's, unanswered or given up, or its text was withdrawn.
        NotYet.
    """
    expert = expert_of(user, former=True, assignments__token=token)
    _must_not_repeat(expert)
    mine = _with_answers(_answered(expert)).filter(token=token)
    assignment: Any = with_rows(mine).first()
    if assignment is None:
        raise NotFound
    return LookedBack(
        expert=expert,
        assignment=assignment,
        labels=assignment.chosen_labels,
        preference=PreferenceResponse(
            a_chosen=assignment.a_chosen, b_chosen=assignment.b_chosen, certainty=assignment.certainty
        ),
    )


def _answered(expert: Membership) -> QuerySet[Assignment]:
    return Assignment.objects.answered().filter(
        expert=expert, comparison_shown_at__isnull=False, instance__withdrawn_at=None
    )


def _with_answers(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    labels = LabelResponse.objects.filter(assignment=OuterRef("pk")).order_by("-revision")
    preferences = PreferenceResponse.objects.filter(assignment=OuterRef("pk")).order_by("-revision")
    return assignments.select_related("instance").annotate(
        chosen_labels=Subquery(labels.values("labels")[:1]),
        a_chosen=Subquery(preferences.values("a_chosen")[:1]),
        b_chosen=Subquery(preferences.values("b_chosen")[:1]),
        certainty=Subquery(preferences.values("certainty")[:1]),
        answered_at=Subquery(preferences.values("created_at")[:1]),
        number=F("position") + 1,
    )


def _must_not_repeat(expert: Membership) -> None:
    if expert.study.repeats_per_expert > 0 and expert.study.state != StudyState.CLOSED:
        raise NotYet(_("Some texts of this study come twice. You can look at your answers once it is closed."))
