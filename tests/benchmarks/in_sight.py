"""How much of step 2 is in sight when it opens, at five sizes of a page and in both layouts.

    python -m tests.benchmarks.in_sight [--lists 2000] [--most 60] [--sets demo real any lists]

In sight: the text's beginning, the question, the whole chart, the answers, the certainty and Submit, with nothing
scrolled. *Folded*: some small rows stand behind "7 more, none above 14%". Where the chart scrolls in itself, it is not
counted as in sight.

Looked at are 28 comparisons of the demo, `--most` of each real dataset (0: all), `--lists` lists of labels with as many
bars on each side as a comparison has that is drawn from the demo and the real datasets, every set as likely; and
lists whose bars on each side are any number from 1 to 33. The lists' shares are any above the threshold, so that little
can be folded, which is less kind than real comparisons are. Of the demo all have to be in sight, of each real dataset
95 of 100 at the sizes of laptops.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._timing import machine
from .pages import _free_port, prepare, serve

TEXTS = 28
ENOUGH = 0.95
SETS = ["demo", "real", "any", "lists"]
# As it was measured before step 2 was one chart on a page that stands still.
BEFORE = {(1366, 657): 0, (1280, 800): 9, (1440, 900): 19, (390, 844): 0}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lists", type=int, default=2000)
    parser.add_argument("--uniform", type=int, default=330)
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--layouts", nargs="+", default=["aligned", "separate"])
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="hlvstudy-in-sight-"))
    try:
        port = _free_port()
        prepare(folder, port)
        server = serve(port)
        try:
            holds = measured(f"http://127.0.0.1:{port}", options)
        finally:
            server.terminate()
            server.wait(timeout=15)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if holds else 1


def measured(url: str, options: argparse.Namespace) -> bool:
    """Print a row for each set and layout as soon as it is measured; False when a promise is missed."""
    import numpy as np
    from django.conf import settings
    from django.test import Client
    from playwright.sync_api import sync_playwright

    from annotations.models import Study
    from tests.browser.conftest import chromium
    from tests.browser.sight import LAPTOPS, SIZES, look_at_many
    from tests.conftest import SHARED
    from tests.worlds.comparisons import REAL, bar_counts, demo_tasks, drawn_pairs, real_pairs, task_for

    Study.objects.all().update(slug="another")
    user, demo = demo_tasks(TEXTS)
    client = Client()
    client.force_login(user)
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}
    text = real_pairs(SHARED / "data", "DICES-350")[0].segments
    real = {name: real_pairs(SHARED / "data", name) for name in REAL}
    rng = np.random.default_rng(1)
    counts = [[shown(task) for task in demo], *(bar_counts(pairs) for pairs in real.values())]
    like_real = [
        one[rng.integers(len(one))] for one in (counts[rng.integers(len(counts))] for _ in range(options.lists))
    ]
    uniform = [(int(a), int(b)) for a, b in rng.integers(1, 34, size=(options.uniform, 2))]
    sets: list[tuple[str, str, float, Iterable[Any]]] = [
        ("demo", "the demo", 1, demo),
        *(("real", name, ENOUGH, evenly(pairs, options.most)) for name, pairs in real.items()),
        ("any", "any number of bars from 1 to 33", 0, drawn_pairs(uniform, seed=3, segments=text)),
        ("lists", "lists with bars as in all of these", 0, drawn_pairs(like_real, seed=2, segments=text)),
    ]

    print(f"\nWhat of step 2 is in sight\n{machine()}\n")
    print("| comparisons | layout | of | " + " | ".join(f"{width} x {height}" for width, height in SIZES) + " |")
    print("|---|---|---:|" + "---:|" * len(SIZES))
    print(
        f"| the demo, before | two lists | {TEXTS} | " + " | ".join(str(BEFORE.get(size, "")) for size in SIZES) + " |"
    )
    holds = True
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium(), args=["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        )
        for kind, name, least, found in sets:
            ready = list(found) if kind in options.sets else []
            for layout in options.layouts if ready else []:
                tasks = [one if isinstance(one, dict) else task_for(one, demo[0]) for one in ready]
                tasks = [task | {"study": task["study"] | {"layout": layout}} for task in tasks]
                context = browser.new_context(base_url=url, reduced_motion="reduce")
                context.add_cookies([{"name": cookie["name"], "value": cookie["value"], "url": url}])
                page, cells = context.new_page(), []
                for size in SIZES:
                    here = list(look_at_many(page, tasks, size=size))
                    whole = [one for one in here if not one.flaws and not one.scrolls]
                    folded = sum(one.folds for one in whole)
                    missed = len(whole) < least * len(here) and (least == 1 or size in LAPTOPS)
                    holds = holds and not missed
                    cells.append(cell(len(whole), folded, len(here)) + (" MISSED" if missed else ""))
                context.close()
                print(f"| {name} | {layout} | {len(ready):,} | " + " | ".join(cells) + " |", flush=True)
        browser.close()
    return holds


def shown(task: dict[str, Any]) -> tuple[int, int]:
    """How many bars each side of a task has."""
    sides = task["assignment"]["comparison"]
    return len(sides["a"]), len(sides["b"])


def evenly(pairs: list[Any], most: int) -> list[Any]:
    """At most so many, from the whole length of the list; 0: all."""
    return pairs[:: max(1, -(-len(pairs) // most))] if most else pairs


def cell(whole: int, folded: int, of: int) -> str:
    """As a number where there are few, as a share where there are many.

    >>> cell(28, 0, 28), cell(1900, 100, 2000)
    ('28', '95.0 % (5.0 % folded)')
    """
    if of < 100:
        return f"{whole}" + (f" ({folded} folded)" if folded else "")
    return f"{whole / of:.1%}".replace("%", " %") + (
        f" ({folded / of:.1%} folded)".replace("%", " %") if folded else ""
    )


if __name__ == "__main__":
    sys.exit(main())
