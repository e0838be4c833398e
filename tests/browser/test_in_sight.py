"""Step 2 stands still: text, question, both sides, answers, certainty and Submit are in sight together.

How it is for 2,000 lists of labels, and for every length of list, says `python -m tests.benchmarks.in_sight`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotations.designing.presets import wordings
from annotations.importing.memory.tables import Segment
from annotations.models import Layout, User
from tests.browser.conftest import Look, OpenPage
from tests.browser.sight import LAPTOPS, MEASURE, SIZES, Seen, Showing, look_at, look_at_many
from tests.worlds.comparisons import REAL, Pair, demo_tasks, drawn_pairs, in_each_layout, real_pairs, task_for

pytestmark = pytest.mark.long
TEXTS = 28
DRAWN_OF_EACH = 100
"""Comparisons of each real dataset. If 10 of 100 were hidden, 94 of 100 such draws would have more than 5. None is."""
HARDEST = 2
"""Of each real dataset: the most rows, and the longest text. That is what fits least."""


@pytest.fixture
def demo(transactional_db: None) -> tuple[User, list[dict[str, Any]]]:
    return demo_tasks(TEXTS)


def said(seen: Iterable[Seen]) -> dict[str, list[str]]:
    return {str(one): one.flaws for one in seen if one.flaws}


def test_all_of_the_demo_is_in_sight_at_five_sizes_in_both_layouts(
    open_page: OpenPage, demo: tuple[User, list[dict[str, Any]]]
) -> None:
    user, tasks = demo
    seen = list(look_at(open_page(user, look=Look(*SIZES[0])), in_each_layout(tasks)))
    assert len(seen) == TEXTS * len(Layout.values) * len(SIZES)
    assert said(seen) == {}
    assert [str(one) for one in seen if one.scrolls or (one.folds and one.layout == Layout.ALIGNED)] == []


def test_real_datasets_are_in_sight_where_they_fit_least(
    open_page: OpenPage, demo: tuple[User, list[dict[str, Any]]], shared_data: Path
) -> None:
    user, tasks = demo
    pairs = [pair for name in REAL for pair in hardest(real_pairs(shared_data, name))]
    seen = list(
        look_at(open_page(user, look=Look(*SIZES[0])), in_each_layout(task_for(pair, tasks[0]) for pair in pairs))
    )
    assert said(seen) == {}
    assert [str(one) for one in seen if one.scrolls] == []


def test_95_of_100_comparisons_of_every_real_dataset_are_in_sight(
    open_page: OpenPage, demo: tuple[User, list[dict[str, Any]]], shared_data: Path
) -> None:
    """Of a drawn part; of all 6,649 says the benchmark, with `--most 0`.

    In one layout, for the other one takes less room with so few bars.
    """
    user, tasks = demo
    page = open_page(user, look=Look(*SIZES[0]))
    rng = np.random.default_rng(5)
    for name in REAL:
        pairs = real_pairs(shared_data, name)
        places = rng.choice(len(pairs), size=min(DRAWN_OF_EACH, len(pairs)), replace=False)
        shown = [task_for(pairs[place], tasks[0]) for place in places]
        seen = [one for size in LAPTOPS for one in look_at_many(page, shown, size=size)]
        hidden = [str(one) for one in seen if one.flaws or one.scrolls]
        assert len(hidden) <= 0.05 * len(seen), (name, hidden[:5])


@pytest.mark.parametrize("language", ["de", "ar"])
def test_longer_words_and_the_other_direction_have_room(
    open_page: OpenPage, demo: tuple[User, list[dict[str, Any]]], language: str
) -> None:
    user, tasks = demo
    largest = sorted(tasks, key=rows, reverse=True)[:8]
    spoken = {"language": language, "direction": "rtl" if language == "ar" else "ltr"}
    translated = [task | {"study": task["study"] | questions(language) | spoken} for task in largest]
    seen = list(look_at(open_page(user, look=Look(*SIZES[0])), in_each_layout(translated)))
    assert said(seen) == {}
    assert [str(one) for one in seen if one.scrolls] == []


def hardest(pairs: list[Pair]) -> list[Pair]:
    """Those of a dataset that take the most room."""
    ordered = sorted(pairs, key=lambda pair: (-int(((pair.a > 0.1) | (pair.b > 0.1)).sum()), -length(pair)))
    return [*ordered[: HARDEST - 1], max(pairs, key=length)]


def length(pair: Pair) -> int:
    return sum(len(segment.text) for segment in pair.segments)


def rows(task: dict[str, Any]) -> int:
    shown = task["assignment"]["comparison"]
    return len({bar["label"] for side in ("a", "b") for bar in shown[side]})


def questions(language: str) -> dict[str, str]:
    return wordings("multilabel", language)[-1].questions


DRAWN = """() => {
  const chart = document.querySelector('section[data-layout]');
  const box = chart.getBoundingClientRect();
  const side = name => [...chart.querySelectorAll(`[data-side=${name}]`)].flatMap(one => {
    const own = one.getBoundingClientRect();
    const within = bar => [bar.width, bar.height, bar.top - box.top].map(Math.round);
    return [...one.querySelectorAll('i')].filter(bar => bar.offsetParent).map(bar => [
      ...within(bar.getBoundingClientRect()),
      Math.round(name === 'a' ? box.right - own.right : own.left - box.left),
    ]);
  });
  return { a: side('a'), b: side('b'), scrolled: [chart.scrollHeight, chart.clientHeight], data: {...chart.dataset} };
}"""


def test_swapped_sides_are_drawn_as_the_mirror_image(
    open_page: OpenPage, demo: tuple[User, list[dict[str, Any]]]
) -> None:
    """With the same rows, as high, as many of them folded, and as much to scroll."""
    user, tasks = demo
    text = [Segment("", "A text.")]
    pairs = [*drawn_pairs([(3, 9), (24, 20), (33, 2)], seed=2, segments=text), full_of_small_ones(text)]
    page = open_page(user, look=Look(*SIZES[0]))
    showing = Showing(page)
    kinds = set()
    for layout in Layout.values:
        for pair in pairs:
            for width, height in (SIZES[0], SIZES[-1]):
                page.set_viewport_size({"width": width, "height": height})
                drawn = []
                for one in (pair, pair.swapped()):
                    task = task_for(one, tasks[0])
                    showing.show(task | {"study": task["study"] | {"layout": layout}})
                    page.evaluate(MEASURE, 2)  # two frames on
                    drawn.append(page.evaluate(DRAWN))
                first, second = drawn
                assert first["data"] == second["data"]
                assert first["scrolled"] == second["scrolled"]
                kinds.add(("folds" in first["data"], "scrolls" in first["data"]))
                for side, other in ("ab", "ba"):
                    assert [bar[:3] for bar in first[side]] == [bar[:3] for bar in second[other]], (layout, width)
                if layout == Layout.ALIGNED:
                    assert [bar[3] for bar in first["a"]] == [bar[3] for bar in second["b"]]
    assert {(False, False), (True, False), (True, True)} <= kinds  # nothing, folded, folded and scrolling


def full_of_small_ones(text: list[Segment]) -> Pair:
    (pair,) = drawn_pairs([(33, 33)], seed=3, segments=text)
    small = np.where(np.arange(33) % 3 == 0, pair.a, 0.12)
    return replace(pair, a=small, b=np.roll(small, 3))
