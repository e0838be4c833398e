"""After an expert's last answer: which side was the human one? The guesses show whether the blinding held.

Sides are drawn anew for every assignment, so "was it mostly A?" would be meaningless. Instead, each expert is
shown up to `GUESSES` of their own answered comparisons again, exactly as they were, and guesses about each: A, B,
or "cannot say".

- They are drawn by the study's seed, half with the human side as A and half as B (as far as possible), so that
  always saying A is right exactly half the time. Swapping the two sources does not change which are asked about.
- Experts are asked only when nothing is left to answer, so that the question influences no answer, and never about
  the pilot or repeats.
- A guess is stored once, never changed, and closes the comparison: its answer can no longer be corrected.
- Experts are never told whether a guess was right; the export says so.
"""

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.answering.progress import current_progress
from annotations.answering.recording import AlreadyAnswered, KeyReused, own_of
from annotations.ground.errors import Conflict, NotFound
from annotations.ground.seeding import RandomChoice, generator
from annotations.models import Assigning, Assignment, Compares, Guess, GuessedSide, Membership, Role, SideOrder, User
from annotations.shown.displaying import with_rows

GUESSES = 4


class NotAsked(Conflict):
    """This guess was not asked for: not now, or not about this comparison."""


def open_guesses(*, expert: Membership) -> list[Assignment]:
    """The comparisons the expert still has to guess about, in order; none while there is anything else to do.

    `expert` is loaded with its study. At most three queries; one if the study does not ask for guesses.
    """
    if not _may_ask(expert):
        return []
    return [assignment for assignment in _chosen(expert) if not hasattr(assignment, "guess")]


def guesses_of(*, user: User, slug: str) -> list[Assignment]:
    """The same for a signed-in expert, with everything shown of a comparison.

    Raises:
        NotFound: the user is not an active expert in such a study.
    """
    expert = Membership.objects.filter(user=user, study__slug=slug, role=Role.EXPERT, is_active=True)
    mine = expert.select_related("study").first()
    if mine is None:
        raise NotFound
    keys = [assignment.pk for assignment in open_guesses(expert=mine)]
    shown = with_rows(Assignment.objects.select_related("instance", "study__dataset")).in_bulk(keys)
    return [shown[pk] for pk in keys]


@transaction.atomic
def store_guess(*, user: User, token: uuid.UUID, key: uuid.UUID, side: GuessedSide) -> Guess:
    """Store a guess; sending it twice stores it once.

    Raises:
        NotFound, KeyReused, AlreadyAnswered (another guess was given), NotAsked.
    """
    # The same lock that a correction takes: it either comes before the guess or is refused.
    assignment = own_of(user, token).assignment
    if assignment.released_at is not None or assignment.expert is None:
        raise NotFound
    stored = Guess.objects.filter(key=key).first()
    if stored is not None:
        if stored.assignment_id != assignment.pk or stored.side != side:
            raise KeyReused
        return stored
    before = Guess.objects.filter(assignment=assignment).first()
    if before is not None:
        if before.side == side:
            return before
        raise AlreadyAnswered(
            _("This text has already been answered, perhaps in another tab. Your first answer counts.")
        )
    if assignment.pk not in {guess.pk for guess in open_guesses(expert=assignment.expert)}:
        raise NotAsked(_("This question cannot be answered at the moment."))
    return Guess.objects.create(assignment=assignment, key=key, side=side, created_at=timezone.now())


def _may_ask(expert: Membership) -> bool:
    study = expert.study
    if not study.asks_guess or study.compares != Compares.HUMAN_VS_SYSTEM or not study.accepts_responses:
        return False
    if Assignment.objects.taken().filter(expert=expert, completed_at=None, instance__withdrawn_at=None).exists():
        return False
    if study.assigning == Assigning.NAMED and not study.repeats_per_expert:
        return True
    progress = current_progress(expert.pk)
    return progress.total <= progress.done  # nothing is unfinished


def _chosen(expert: Membership) -> list[Assignment]:
    """The comparisons to ask about, drawn once from those answered before the first guess."""
    answered = list(
        Assignment.objects.completed()
        .filter(expert=expert, repeat_of=None, is_pilot=False, instance__withdrawn_at=None)
        .exclude(comparison__identical=True)
        .select_related("guess")
        .order_by("position")
    )
    begun = min((assignment.guess.created_at for assignment in answered if hasattr(assignment, "guess")), default=None)
    if begun is not None:
        answered = [
            assignment
            for assignment in answered
            if assignment.completed_at is not None and assignment.completed_at <= begun
        ]

    def rank(assignment: Assignment) -> tuple[bool, float]:
        # Drawn for each text separately, so that adding or removing one moves no other; earlier guesses stay.
        drawn = generator(expert.study.seed, RandomChoice.GUESSING, expert.number, assignment.position or 0).random()
        return not hasattr(assignment, "guess"), drawn

    return balanced(sorted(answered, key=rank), GUESSES)


def balanced(shuffled: Sequence[Assignment], count: int) -> list[Assignment]:
    """The first `count`, half with each side order if there are enough, in the given order."""
    halves = [
        [assignment for assignment in shuffled if assignment.side_order == order][: count // 2]
        for order in SideOrder.values
    ]
    taken = {assignment.pk for half in halves for assignment in half}
    rest = [assignment.pk for assignment in shuffled if assignment.pk not in taken]
    taken |= set(rest[: count - len(taken)])
    return [assignment for assignment in shuffled if assignment.pk in taken]
