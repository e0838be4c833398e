"""An expert's look at their own answers: to read, never to change. What is shown is what was shown, and no more.

Own answers only: completed assignments of an active expert, the pilot's too. A text that was withdrawn is gone for
everybody. Where a study asks texts a second time to see how steady answers are, nobody looks back before it is
closed: a repeat would be answered with the first answer beside it.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotations.answering.assigning import expert_of
from annotations.displaying import with_rows
from annotations.errors import Conflict, NotFound
from annotations.models import Assignment, LabelResponse, Membership, PreferenceResponse, StudyState, User


class NotYet(Conflict):
    """The study asks some texts twice and is not closed."""

    code = "answers_not_yet"


@dataclass(frozen=True, slots=True)
class LookedBack:
    """One of the expert's own answers. `assignment` is one of `with_rows`, `expert` of `with_labels`."""

    expert: Membership
    assignment: Any
    labels: list[int]
    preference: PreferenceResponse


def own_answers(*, user: User, slug: str) -> tuple[Membership, QuerySet[Assignment]]:
    """The expert, and what they answered, the newest first, each with both steps as they count now.

    Raises:
        NotFound: the user is no active expert of such a study.
        NotYet.
    """
    expert = expert_of(user, study__slug=slug)
    _must_not_repeat(expert)
    return expert, _with_answers(_answered(expert)).order_by("-completed_at", "-position")


def own_answer(*, user: User, token: uuid.UUID) -> LookedBack:
    """One answer with all that was shown of its text, on the sides on which it was shown. At most four queries.

    Raises:
        NotFound: it is somebody else's, or not answered, or given up, or its text was withdrawn.
        NotYet.
    """
    expert = expert_of(user, assignments__token=token)
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
    return Assignment.objects.completed().filter(
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
