"""Experts looking back at their own answers, read-only. They see what they were shown then, and nothing more.

Only an expert's own completed assignments, including the pilot's; still after they have left the study, whether their
answers stayed in it or not. Withdrawn texts are hidden from everybody. If a study repeats texts to see how consistent
answers are, nobody can look back before it is closed: they could answer a repeat by copying the first answer.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotations.answering.assigning import expert_of
from annotations.ground.errors import Conflict, NotFound
from annotations.models import Assignment, LabelResponse, Membership, PreferenceResponse, StudyState, User
from annotations.shown.displaying import with_rows


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
