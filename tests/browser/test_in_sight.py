"""Step 2 stands still: text, question, both sides, answers, certainty and Submit are in sight together.

How it is for 2,000 lists of labels, and for every length of list, says `python -m tests.benchmarks.in_sight`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotations.answering.assigning import in_hand, next_assignment
from annotations.answering.recording import store_labels, store_preference
from annotations.api.answering.expert import task_of
from annotations.designing.starting import settings_of_preset
from annotations.designing.wordings import wordings
from annotations.models import Layout, Role, User
from annotations.people.members import practised
from annotations.simulating.demo.loading import load_dataset
from tests.browser.conftest import Look, OpenPage
from tests.browser.sight import LAPTOPS, SIZES, Seen, look_at
from tests.worlds.comparisons import REAL, Pair, real_pairs, task_for
from tests.worlds.studies import make_member, make_study, plan_and_open

TEXTS = 28
SAMPLE = 2
"""Of each real dataset: the most rows, and the longest text. That is what fits least."""


@pytest.fixture
def demo_tasks(transactional_db: None) -> tuple[User, list[dict[str, Any]]]:
    """Step 2 of 28 of the demo's comparisons, as the server sends it to their expert."""
    dataset = load_dataset()
    settings = settings_of_preset("original", dataset=dataset)
    study = make_study(dataset=dataset, slug="areas", title="Areas of law in everyday problems (demo)", **settings)
    expert = make_member(study, Role.EXPERT, "expert@example.org")
    plan_and_open(study)
    practised(user=expert.user, slug=study.slug)
    tasks = []
    for _ in range(TEXTS):
        handed = next_assignment(user=expert.user, slug=study.slug)
        assert handed.assignment is not None
        token = handed.assignment.token
        store_labels(user=expert.user, token=token, key=uuid.uuid4(), labels=[3], active_ms=1)
        tasks.append(task_of(in_hand(user=expert.user, token=token)))
        store_preference(
            user=expert.user, token=token, key=uuid.uuid4(), a_chosen=True, b_chosen=True, certainty=0.5, active_ms=1
        )
    return expert.user, tasks


def in_each_layout(tasks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for layout in Layout.values:
        for task in tasks:
            assignment = task["assignment"] | {"token": str(uuid.uuid4())}
            yield task | {"study": task["study"] | {"layout": layout}, "assignment": assignment}


def said(seen: Iterable[Seen]) -> dict[str, list[str]]:
    return {str(one): one.flaws for one in seen if one.flaws}


def test_all_of_the_demo_is_in_sight_at_five_sizes_in_both_layouts(
    open_page: OpenPage, demo_tasks: tuple[User, list[dict[str, Any]]]
) -> None:
    user, tasks = demo_tasks
    seen = list(look_at(open_page(user, look=Look(*SIZES[0])), in_each_layout(tasks)))
    assert len(seen) == TEXTS * len(Layout.values) * len(SIZES)
    assert said(seen) == {}
    assert [str(one) for one in seen if one.scrolls or (one.folds and one.layout == Layout.ALIGNED)] == []


def test_real_datasets_are_in_sight_where_they_fit_least(
    open_page: OpenPage, demo_tasks: tuple[User, list[dict[str, Any]]], shared_data: Path
) -> None:
    user, tasks = demo_tasks
    pairs = [pair for name in REAL for pair in hardest(real_pairs(shared_data, name))]
    seen = list(
        look_at(open_page(user, look=Look(*SIZES[0])), in_each_layout(task_for(pair, tasks[0]) for pair in pairs))
    )
    assert said(seen) == {}
    assert [str(one) for one in seen if one.scrolls] == []


@pytest.mark.slow
def test_95_of_100_comparisons_of_every_real_dataset_are_in_sight(
    open_page: OpenPage, demo_tasks: tuple[User, list[dict[str, Any]]], shared_data: Path
) -> None:
    """All comparisons of all of them, 6,649; in one layout, for the other one takes less room with so few bars."""
    user, tasks = demo_tasks
    page = open_page(user, look=Look(*SIZES[0]))
    for name in REAL:
        shown = (task_for(pair, tasks[0]) for pair in real_pairs(shared_data, name))
        seen = list(look_at(page, shown, sizes=LAPTOPS))
        hidden = [str(one) for one in seen if one.flaws or one.scrolls]
        assert len(hidden) <= 0.05 * len(seen), (name, hidden[:5])


@pytest.mark.parametrize("language", ["de", "ar"])
def test_longer_words_and_the_other_direction_have_room(
    open_page: OpenPage, demo_tasks: tuple[User, list[dict[str, Any]]], language: str
) -> None:
    user, tasks = demo_tasks
    largest = sorted(tasks, key=rows, reverse=True)[:8]
    spoken = {"language": language, "direction": "rtl" if language == "ar" else "ltr"}
    translated = [task | {"study": task["study"] | questions(language) | spoken} for task in largest]
    seen = list(look_at(open_page(user, look=Look(*SIZES[0])), in_each_layout(translated)))
    assert said(seen) == {}
    assert [str(one) for one in seen if one.scrolls] == []


def hardest(pairs: list[Pair]) -> list[Pair]:
    """Those of a dataset that take the most room."""
    ordered = sorted(pairs, key=lambda pair: (-int(((pair.a > 0.1) | (pair.b > 0.1)).sum()), -length(pair)))
    return [*ordered[: SAMPLE - 1], max(pairs, key=length)]


def length(pair: Pair) -> int:
    return sum(len(segment.text) for segment in pair.segments)


def rows(task: dict[str, Any]) -> int:
    shown = task["assignment"]["comparison"]
    return len({bar["label"] for side in ("a", "b") for bar in shown[side]})


def questions(language: str) -> dict[str, str]:
    return wordings("multilabel", language)[-1].questions
