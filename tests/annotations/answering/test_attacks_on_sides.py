"""What somebody could try who wants to know whose side is which, before the study closes: each attack must fail."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from annotations.exporting.exports import export_responses
from annotations.ground.seeding import RandomChoice, generator
from annotations.models import Membership, ReportReason, SideOrder, Study
from tests.worlds import storing
from tests.worlds.answering import answer, complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study, plan_and_open

pytestmark = pytest.mark.django_db

TURNS = 28
LUCK = 23
"""Of 28 sides; a coin names more of them in 1 of 5,000 tries, and the tests' keys are not drawn anew each time."""


def one_expert(*, slug: str = "study", **settings: Any) -> tuple[Study, Membership]:
    dataset = make_dataset(instances=TURNS, systems=1, slug=f"data-of-{slug}")
    numbers = {"instances_per_system": TURNS, "experts_per_comparison": 1}
    study = make_study(dataset=dataset, experts=1, slug=slug, **numbers, **settings)
    return plan_and_open(study), study.memberships.experts().select_related("user").get()


def sides_of(study: Study) -> list[bool]:
    """Whether people were A, in the order in which the expert saw step 2."""
    shown = study.assignments.filter(comparison_shown_at__isnull=False).order_by("position")
    return [order == SideOrder.FIRST_IS_A for order in shown.values_list("side_order", flat=True)]


def skip(membership: Membership, token: uuid.UUID) -> None:
    storing.store_report(
        user=membership.user, token=token, key=uuid.uuid4(), reason=ReportReason.OTHER, text="", skip=True
    )


def in_blocks_of_four(seed: int, expert: int) -> list[bool]:
    """Sides as they followed from the study's seed until there were keys."""
    blocks = ("aabb", "abab", "abba", "baab", "baba", "bbaa")
    drawn = [
        blocks[generator(seed, RandomChoice.SIDES, expert, block).integers(len(blocks))] for block in range(TURNS // 4)
    ]
    return [letter == "a" for letter in "".join(drawn)]


def numbers_in(content: Any) -> Iterator[int]:
    """Every whole number in a JSON value that could be a seed."""
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        for one in content:
            yield from numbers_in(one)
    elif isinstance(content, int) and not isinstance(content, bool) and content >= 0:
        yield content


@pytest.mark.parametrize("assigning", ["open_pool", "named"])
def test_no_number_of_the_export_and_the_plan_gives_the_sides_before_the_study_closes(assigning: str) -> None:
    study, expert = one_expert(assigning=assigning)
    for _ in range(TURNS):
        complete(taken(expert.user))
    files = {
        file.name: b"".join(file.chunks()) for file in export_responses(study=study, format_name="study_responses")
    }
    told = [json.loads(files["study.json"]), *map(json.loads, files["comparisons.jsonl"].splitlines())]
    seeds = {study.seed, *numbers_in(told), *numbers_in([event.data for event in study.events.all()])}
    sides = sides_of(study)
    assert len(sides) == TURNS
    for seed in seeds:
        right = sum(guess == side for guess, side in zip(in_blocks_of_four(seed, expert.number), sides, strict=True))
        assert 0 < right < TURNS, f"{right} of {TURNS} sides recomputed from {seed}"
        assert seed != study.seed or TURNS - LUCK <= right <= LUCK


@pytest.mark.parametrize("assigning", ["open_pool", "named"])
def test_a_text_that_is_skipped_after_step_2_uses_up_its_turn_so_that_skipping_shows_no_side_twice_on_purpose(
    assigning: str,
) -> None:
    study, expert = one_expert(assigning=assigning)
    for _ in range(TURNS):
        assignment = taken(expert.user)
        answer(assignment)
        skip(expert, assignment.token)
    sides = sides_of(study)
    assert len(sides) == TURNS
    assert TURNS - LUCK <= sum(sides) <= LUCK


def test_past_sides_alone_do_not_give_the_next_one() -> None:
    """Two guessers: one thinks of blocks of four (right in 71% once), one knows that no lead grows beyond three."""
    right, turns = np.zeros(2), 0
    for number in range(6):
        study, expert = one_expert(slug=f"study-{number}", seed=number)
        for _ in range(TURNS):
            complete(taken(expert.user, study.slug))
        sides = sides_of(study)
        for turn in range(TURNS):
            block = sides[turn - turn % 4 : turn]
            right += [guessed(part, sides[turn], limit) for part, limit in ((block, 0), (sides[:turn], 3))]
            turns += 1
    assert (right / turns < 0.64).all(), right / turns


def guessed(past: list[bool], side: bool, limit: int) -> float:
    """Whether the side that came less often is right, or half a hit where the lead is not above the limit."""
    lead = 2 * sum(past) - len(past)
    return 0.5 if abs(lead) < max(limit, 1) else float(side == (lead < 0))
