"""What experts would be shown, for the people setting up a study: real texts and distributions. Nothing is stored.

A preview uses the same shape as an expert's next text (`Handed`), so the two cannot look different. Its expert and
assignments exist only in memory, and their sides are drawn by a key that is thrown away.
"""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils import timezone

from annotations.answering.assigning import Handed
from annotations.answering.experts import LABEL_COLUMNS, label_set
from annotations.answering.progress import ExpertProgress
from annotations.answering.recording import check_labels
from annotations.designing.pairing import Shown, read_pairs
from annotations.designing.plans import propose
from annotations.ground.display_rule import DISPLAY_RULE, DisplayRule
from annotations.ground.errors import NotFound
from annotations.ground.sides import first_is_a, new_key
from annotations.models import Assignment, Instance, Label, Membership, Role, SideOrder, Study, StudyState

MOST = 5
"""How many texts a preview has."""
LOOKED_AT = 100
"""How many comparisons they are taken from, because an expert sees no text twice."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The first texts as an expert would be given them, each in step 1."""

    texts: tuple[Handed, ...]
    comparisons: int
    is_planned: bool
    """Whether the comparisons are from the stored plan; if not, from a plan made from the current settings."""


class _Previewed(NamedTuple):
    """One comparison of a preview; `identical` is None if not yet checked."""

    shown: Shown
    identical: bool | None
    instance: Instance


def preview(*, study: Study) -> Preview:
    """Step 1 of the first texts. The study is not changed, not even in the log: no side is shown here.

    Raises:
        TooFewInstances, TooFewSystems: nothing is planned, and no plan can be made from the settings.
    """
    previewed, comparisons = _previewed(study)
    expert, total = _nobody(study), len(previewed)
    texts = (
        _handed(expert, _place(study, one.instance, place), number=place, total=total)
        for place, one in enumerate(previewed)
    )
    return Preview(tuple(texts), comparisons, is_planned=study.comparisons.exists())


def preview_step_2(*, study: Study, number: int, labels: Sequence[int]) -> Handed:
    """Step 2 of one of these texts, after choosing these labels; the sides are drawn anew each time.

    Args:
        number: the text's number in the preview, from 1.

    Raises:
        NotFound: the preview has no such text.
        UnknownLabel, ExclusiveLabel, OneLabelOnly, NothingChosen: as for experts.
    """
    (previewed, _comparisons), expert, place = _previewed(study), _nobody(study), number - 1
    if not 0 <= place < len(previewed):
        raise NotFound
    chosen = check_labels(labels, label_set(expert), task=study.dataset.task)
    shown, identical, instance = previewed[place]
    assignment = _place(study, instance, place)
    _show(assignment, study, shown, identical)
    return _handed(expert, assignment, number=place, total=len(previewed), labels=chosen)


def _previewed(study: Study) -> tuple[list[_Previewed], int]:
    """The first comparisons, each on a different text, and how many there are: of the stored plan, or else of one made
    from the current settings.
    """
    compared: list[tuple[Shown, bool | None]]
    planned = study.comparisons.count()
    if planned:
        free = study.comparisons.filter(instance__withdrawn_at=None, is_paused=False).order_by("position")
        rows = free.values_list("first_system", "second_system", "instance__position", "identical")[:LOOKED_AT]
        compared = [((first, second, instance), same) for first, second, instance, same in rows]
    else:
        study.display_rule = DISPLAY_RULE  # in memory only: the rule that a plan made now would use
        plan = propose(study=study)
        planned = len(plan.draws)
        compared = [(shown, None) for shown in plan.shown[:LOOKED_AT]]
        there = Instance.objects.filter(dataset=study.dataset, withdrawn_at=None)
        positions = set(there.filter(position__in=[one[2] for one, _ in compared]).values_list("position", flat=True))
        compared = [one for one in compared if one[0][2] in positions]
    first: dict[int, tuple[Shown, bool | None]] = {}
    for shown, same in compared:
        first.setdefault(shown[2], (shown, same))
    chosen = list(first.values())[:MOST]
    instances = Instance.objects.filter(dataset=study.dataset, position__in=[shown[2] for shown, _ in chosen])
    by_position = {instance.position: instance for instance in instances}
    return [_Previewed(shown, same, by_position[shown[2]]) for shown, same in chosen], planned


def _nobody(study: Study) -> Any:
    """An expert who is not stored, with everything a page needs (`with_labels`)."""
    expert: Any = Membership(study=study, role=Role.EXPERT, number=0)
    labels = Label.objects.filter(dataset=study.dataset)
    expert.label_rows = json.dumps(list(labels.values_list(*LABEL_COLUMNS)))
    first = study.dataset.instances.order_by("position").values_list("language", "direction").first()
    expert.first_text = json.dumps(first or (None, None))
    expert.instrument_version = None
    return expert


def _place(study: Study, instance: Instance, place: int) -> Any:
    """An assignment that is not stored; its token leads nowhere."""
    return Assignment(study=study, instance=instance, token=uuid.UUID(int=place + 1))


def _show(assignment: Any, study: Study, shown: Shown, identical: bool | None) -> None:
    """Put both distributions on an assignment, on unpredictable sides."""
    pairs = read_pairs(study=study, shown=[shown])
    if identical is None and study.state == StudyState.DRAFT:
        identical = bool(pairs.identical(DisplayRule.of(study))[0])
    first = identical or first_is_a(new_key(), study=study.slug, expert=0, turn=0, lead=0)
    assignment.first_row, assignment.second_row = pairs.first[0], pairs.second[0]
    assignment.identical = identical
    assignment.side_order = SideOrder.FIRST_IS_A if first else SideOrder.SECOND_IS_A
    assignment.comparison_shown_at = timezone.now()


def _handed(expert: Any, assignment: Any, *, number: int, total: int, labels: list[int] | None = None) -> Handed:
    return Handed(
        expert=expert,
        assignment=assignment,
        labels=labels,
        finished="",
        progress=ExpertProgress(done=number, total=total, minutes_left=None),
        saved_at=None,
    )
