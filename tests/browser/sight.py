"""What of step 2 is in sight: the page is given comparison after comparison, and says where everything stands."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from playwright.sync_api import Page, expect

from tests.browser.answering import ANNOTATE

SIZES = [(1366, 657), (1280, 800), (1440, 900), (1920, 1080), (390, 844)]
LAPTOPS = SIZES[:3]

# Where everything stands; what is covered, cut or scrolled away is not in sight.
MEASURE = """async frames => {
  for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame);
  const box = element => { const b = element.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom] };
  const one = selector => document.querySelector(selector);
  const chart = one('section[data-layout]');
  const rows = [...chart.querySelectorAll('[data-largest]')];
  const heads = [...chart.querySelectorAll('[data-side] h2, thead th[data-side]')];
  const labels = [...chart.querySelectorAll('tbody th, li > span:first-child')].filter(label => label.offsetParent);
  const page = document.scrollingElement;
  return {
    found: {
      aside: box(one('section[aria-label] section[tabindex]').parentElement.parentElement),
      question: box(one('#question')),
      chart: box(chart),
      answers: box(one('#answers')),
      certainty: box(one('#certainty')),
      submit: box(one('footer button[type=submit]')),
    },
    header: box(one('header'))[3],
    footer: box(one('footer')),
    page: [innerWidth, innerHeight],
    scrolled: page.scrollHeight - innerHeight + page.scrollTop,
    sideways: page.scrollWidth - innerWidth,
    density: Number(chart.dataset.density),
    rows: rows.length,
    folded: rows.filter(row => row.hasAttribute('data-folded')).length,
    over: chart.scrollHeight - chart.clientHeight,
    top: chart.scrollTop,
    heads: heads.map(box),
    same: !!one('#same'),
    wide: chart.scrollWidth - chart.clientWidth,
    cut: labels.filter(label => label.scrollWidth > label.clientWidth + 1).length,
  };
}"""


@dataclass(frozen=True)
class Seen:
    """What was found of one comparison in one layout at one size."""

    task: dict[str, Any]
    size: tuple[int, int]
    found: dict[str, Any]

    @property
    def layout(self) -> str:
        return str(self.task["study"]["layout"])

    @property
    def flaws(self) -> list[str]:
        """What is not as it was promised, in words."""
        return flaws(self.found)

    @property
    def scrolls(self) -> bool:
        """Not all of the chart is in sight: it scrolls in itself."""
        return bool(self.found["over"] > 0)

    @property
    def folds(self) -> bool:
        return bool(self.found["folded"])

    def __str__(self) -> str:
        width, height = self.size
        bars = " and ".join(str(len(self.task["assignment"]["comparison"][side])) for side in ("a", "b"))
        return f"{bars} bars, {self.layout}, {width} x {height}"


def flaws(seen: dict[str, Any]) -> list[str]:
    """What is not in sight, or stands where it must not."""
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
    beside = found["aside"][2] < found["question"][0] or found["aside"][0] > found["question"][2]
    if not beside and found["aside"][3] > found["question"][1] + 0.5:
        said.append("the text covers the question")
    if seen["scrolled"] > 0:
        said.append(f"the page scrolls by {seen['scrolled']}")
    if seen["sideways"] > 0 or seen["wide"] > 0 or seen["cut"]:
        said.append("something is wider than its place")
    if seen["top"] or any(top < found["chart"][1] - 0.5 for _, top, _, _ in seen["heads"]):
        said.append("a head is scrolled away")
    if len(seen["heads"]) < (1 if seen["same"] else 2):
        said.append("a side has no head")
    return said


# Stands in the server's place: hands out `fed`, and takes whatever is answered to go on.
FEED = """task => {
  window.fed = task;
  const server = window.fetch;
  const answer = body => new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json" } });
  window.fetch = async (asked, options) => {
    const { pathname } = new URL(asked.url ?? asked, location.href);
    if (pathname.endsWith("/next/")) return answer(fed);
    if (pathname.endsWith("/preference/"))
      return answer({ saved_at: "2026-01-01T12:00:00Z", progress: fed.progress, instrument_version: 0, next: null });
    return server(asked, options);
  };
}"""

# Answers what is shown, with neither side, and goes on to this task.
GO_ON = """async task => {
  const until = async so => { while (!so()) await new Promise(done => setTimeout(done)); };
  const one = selector => document.querySelector(selector);
  const press = key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  window.fed = task;
  press('n');
  press('3');
  await until(() => one('#answers :checked') && !one('footer [type=submit][data-muted]'));
  one('footer [type=submit]').click();
  await until(() => one('#answers') && !one('#answers :checked'));
}"""

# Puts each task in the place of the one in hand, where the page keeps what the server sent, and measures what it draws:
# nothing has to be answered, sent and stored in between, which takes many times as long.
REPLACE_AND_MEASURE = f"""async tasks => {{
  const measure = {MEASURE}, found = [], one = selector => document.querySelector(selector);
  const root = document.getElementById('root');
  const clientIn = fiber => fiber && (fiber.memoizedProps?.client?.setQueryData
    ? fiber.memoizedProps.client : clientIn(fiber.child) ?? clientIn(fiber.sibling));
  const client = clientIn(root[Object.keys(root).find(key => key.startsWith('__reactContainer'))].stateNode.current);
  const [held] = client.getQueryCache().findAll({{ queryKey: ['task'] }});
  for (const task of tasks) {{
    const before = one('section[data-layout]');
    client.setQueryData(held.queryKey, task);
    while ((one('section[data-layout]') ?? before) === before) await new Promise(done => setTimeout(done));
    found.push(await measure(0));
  }}
  return found;
}}"""


def look_at(page: Page, tasks: Iterable[dict[str, Any]], *, sizes: Iterable[tuple[int, int]] = SIZES) -> Iterator[Seen]:
    """Give the page these tasks one after the other, as their expert would get them, and look at each at every size."""
    showing = Showing(page)
    for task in tasks:
        showing.show(task)
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            yield Seen(task, (width, height), page.evaluate(MEASURE, 2))


def look_at_many(
    page: Page, tasks: Sequence[dict[str, Any]], *, size: tuple[int, int], at_once: int = 50
) -> Iterator[Seen]:
    """The same of very many tasks, at one size, without going back and forth between the page and the program."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    Showing(page).show(fresh(tasks[0]))
    for start in range(0, len(tasks), at_once):
        some = [fresh(task) for task in tasks[start : start + at_once]]
        for task, found in zip(some, page.evaluate(REPLACE_AND_MEASURE, plain(some)), strict=True):
            yield Seen(task, size, found)


def fresh(task: dict[str, Any]) -> dict[str, Any]:
    """The task as another assignment: what was answered is not shown again."""
    return task | {"assignment": task["assignment"] | {"token": str(uuid.uuid4())}}


def plain(value: Any) -> Any:
    """As JSON has it."""
    return json.loads(json.dumps(value, cls=DjangoJSONEncoder))


class Showing:
    """Hands a page whatever task is next, in the server's place, and answers the one before it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.language: str | None = None

    def show(self, task: dict[str, Any]) -> None:
        language = task["study"]["language"]
        if language == self.language:
            self.page.evaluate(GO_ON, plain(task))
            return
        self.language = language
        self.page.add_init_script(f"({FEED})({json.dumps(task, cls=DjangoJSONEncoder)})")
        self.page.goto(ANNOTATE)
        expect(self.page.locator("#certainty")).to_be_visible()
        self.page.evaluate("document.fonts.ready.then(() => null)")
