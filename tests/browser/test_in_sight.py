"""Step 2 stands still: text, question, both sides, answers, certainty and Submit are in sight together."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from playwright.sync_api import Page, Route, expect

from annotations.answering.assigning import in_hand, next_assignment
from annotations.answering.recording import store_labels, store_preference
from annotations.api.answering.expert import task_of
from annotations.designing.starting import settings_of_preset
from annotations.models import Layout, Role, User
from annotations.people.members import practised
from annotations.simulating.demo.loading import load_dataset
from tests.browser.answering import ANNOTATE
from tests.browser.conftest import Look, OpenPage
from tests.worlds.studies import make_member, make_study, plan_and_open

SIZES = [(1366, 657), (1280, 800), (1440, 900), (1920, 1080), (390, 844)]
TEXTS = 28

# Where everything stands; what is covered, cut or scrolled away is not in sight.
MEASURE = """() => {
  const box = element => { const b = element.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom] };
  const one = selector => document.querySelector(selector);
  const chart = one('section[data-layout]');
  const found = {
    aside: box(one('section[aria-label=Text]').parentElement.parentElement),
    question: box(one('#question')),
    chart: box(chart),
    answers: box(one('#answers')),
    certainty: box(one('#certainty')),
    submit: box(one('footer button[type=submit]')),
  };
  const rows = [...chart.querySelectorAll('[data-largest]')];
  const heads = [...chart.querySelectorAll('[data-side] h2, thead th[data-side]')];
  return {
    found,
    header: box(one('header'))[3],
    footer: box(one('footer')),
    page: [innerWidth, innerHeight],
    scrolled: document.scrollingElement.scrollHeight - innerHeight + document.scrollingElement.scrollTop,
    sideways: document.scrollingElement.scrollWidth - innerWidth,
    density: Number(chart.dataset.density),
    rows: rows.length,
    folded: rows.filter(row => row.hasAttribute('data-folded')).length,
    over: chart.scrollHeight - chart.clientHeight,
    top: chart.scrollTop,
    heads: heads.map(box),
    same: !!one('#same'),
    wide: chart.scrollWidth - chart.clientWidth,
  };
}"""


def flaws(seen: dict[str, Any], *, is_phone: bool) -> list[str]:
    """What is not as it was promised, in words."""
    width, height = seen["page"]
    found: dict[str, list[float]] = seen["found"]
    said = []
    for name in ("question", "chart", "answers", "certainty", "submit", "aside"):
        left, top, right, bottom = found[name]
        if left < 0 or right > width + 0.5 or top < 0 or bottom > height + 0.5 or bottom - top < 10:
            said.append(f"{name} is not within the page: {found[name]}")
    if found["aside"][1] < seen["header"] - 0.5:
        said.append("the text begins under the header")
    for upper, lower in (("question", "chart"), ("chart", "answers")):
        if found[upper][3] > found[lower][1] + 0.5:
            said.append(f"{upper} covers {lower}")
    if found["answers"][3] > seen["footer"][1] + 0.5:
        said.append("the footer covers the answers")
    if is_phone and found["aside"][3] > found["question"][1] + 0.5:
        said.append("the text covers the question")
    if seen["scrolled"] > 0:
        said.append(f"the page scrolls by {seen['scrolled']}")
    if seen["sideways"] > 0 or seen["wide"] > 0:
        said.append("something is wider than its place")
    if seen["top"] or any(top < found["chart"][1] - 0.5 for _, top, _, _ in seen["heads"]):
        said.append("a head is scrolled away")
    if len(seen["heads"]) < (1 if seen["same"] else 2):
        said.append("a side has no head")
    return said


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


def show(page: Page, task: dict[str, Any]) -> None:
    """Let the page have this task, whatever the server would hand out."""

    def answer(route: Route) -> None:
        route.fulfill(body=json.dumps(task, cls=DjangoJSONEncoder), content_type="application/json")

    page.unroute_all()
    page.route("**/api/v1/studies/*/next/", answer)
    page.goto(ANNOTATE)
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    page.evaluate("document.fonts.ready.then(() => null)")


@pytest.mark.parametrize("layout", Layout.values)
def test_all_of_the_demo_is_in_sight_at_five_sizes(
    open_page: OpenPage, demo_tasks: tuple[User, list[dict[str, Any]]], layout: str
) -> None:
    user, tasks = demo_tasks
    page = open_page(user, look=Look(*SIZES[0]))
    found = {}
    for number, task in enumerate(tasks, 1):
        task["study"]["layout"] = layout
        page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
        show(page, task)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            seen = page.evaluate(MEASURE)
            if said := flaws(seen, is_phone=width < 1000):
                found[number, width, height] = said
            if layout == Layout.ALIGNED and (seen["folded"] or seen["over"] > 0):
                found[number, width, height] = [*said, f"{seen['folded']} rows folded, {seen['over']} px over"]
    assert found == {}
