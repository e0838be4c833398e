"""Which distribution is A, so that every expert's sides stay balanced whatever is skipped and fetched ahead."""

from annotations.answering.progress import Past, history
from annotations.models import Assignment, Membership, SideOrder
from annotations.seeding import side_order


def next_side(expert: Membership, kept: list[Past]) -> SideOrder:
    """The side order that the expert's turns up to this one hold, and what the expert kept does not.

    Where nothing was skipped that is the order of this turn; a skipped assignment gives its order back.
    """
    turn = len(kept)
    whole = turn - turn % 4  # a block of four turns has two of each
    drawn = [side_order(seed=expert.study.seed, expert=expert.number, turn=one) for one in range(whole, turn + 1)]
    wanted = whole // 2 + drawn.count(SideOrder.FIRST_IS_A)
    had = sum(one.side_order == SideOrder.FIRST_IS_A for one in kept)
    return SideOrder.FIRST_IS_A if had < wanted else SideOrder.SECOND_IS_A


def settle_side(expert: Membership) -> None:
    """Draw the side of what was fetched ahead anew, after the assignment before it was given back.

    Otherwise an expert who gets nothing more would be left with one order more than its part. Nobody has seen the
    side of it yet: its step 2 is not shown. The caller holds the expert's lock.
    """
    past = history(expert)
    for ahead in past:
        if ahead.is_unfinished and ahead.claimed_at and ahead.labels_at is None:
            others = [one for one in past if one.counts and one.claimed_at and one.token != ahead.token]
            Assignment.objects.filter(pk=ahead.pk).update(side_order=next_side(expert, others))
