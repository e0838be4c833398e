"""Whether the time of an answer tells which side is people's: it must not, for it is the only thing left to measure.

    python -m tests.benchmarks.blinding [--requests 2000]

Step 2 of one text is fetched again and again by two experts, one with people as A and one with the system as A, in
random order within each pair, so that whatever else the machine does hits both. *Right* is how often somebody would be
right who takes two answers, one of each order, and says that the slower one has people as A: the
common-language effect of Mann and Whitney, with its 95% interval. The whole interval has to lie within 6 points of
one half.
"""

import argparse
import math
import os
import statistics
import sys
import time

import django
import numpy as np
from django.test.utils import setup_databases, setup_test_environment, teardown_databases
from scipy import stats

from ._timing import duration, machine

BOUND = 0.06
SIZES = [(60, 5), (1500, 26)]  # instances, labels


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=2000)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    setup_test_environment()
    databases = setup_databases(verbosity=0, interactive=False)
    try:
        measured = [(size, *measure(*size, requests=options.requests)) for size in SIZES]
    finally:
        teardown_databases(databases, verbosity=0)
    print(f"\nWhat the time of an answer tells\n{machine()}\n")
    print("| instances x labels | requests | people are A | system is A | right | within | p |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    holds = True
    for (instances, labels), first, second in measured:
        test = stats.mannwhitneyu(first, second)
        right = test.statistic / (len(first) * len(second))
        spread = 1.96 * math.sqrt((len(first) + len(second) + 1) / (12 * len(first) * len(second)))
        fits = abs(right - 0.5) + spread <= BOUND
        holds = holds and fits
        print(
            f"| {instances:,} x {labels} | {len(first) + len(second):,} | {duration(statistics.median(first))} "
            f"| {duration(statistics.median(second))} | {right:.1%} ± {spread:.1%} "
            f"| 50 ± {BOUND:.0%}{'' if fits else ' MISSED'} | {test.pvalue:.2f} |"
        )
    return 0 if holds else 1


def measure(instances: int, labels: int, *, requests: int) -> tuple[list[float], list[float]]:
    """Seconds of every request with people as A, and with the system as A."""
    from annotations.models import Assignment, SideOrder
    from tests.worlds.answering import Page
    from tests.worlds.datasets import make_dataset
    from tests.worlds.studies import make_open_study

    dataset = make_dataset(instances=instances, labels=labels, systems=1, slug=f"data-{instances}")
    # Sides are drawn and never changed: of eight experts some get the one text with people as A, some with the system.
    numbers = {"experts": 8, "experts_per_comparison": 8, "instances_per_system": 1}
    study = make_open_study(dataset=dataset, slug=f"study-{instances}", **numbers)
    pages: dict[str, Page] = {}
    for expert in study.memberships.experts().select_related("user"):
        page = Page(expert.user, study.slug)
        token = page.next().json()["assignment"]["token"]
        page.labels(token)
        pages.setdefault(Assignment.objects.get(token=token).side_order, page)
    rng = np.random.default_rng(1)
    times: dict[str, list[float]] = {order: [] for order in SideOrder.values}
    warm = 20
    for turn in range(requests // 2 + warm):
        for order in rng.permutation(SideOrder.values):
            page = pages[str(order)]
            start = time.perf_counter()
            answer = page.next()
            taken = time.perf_counter() - start
            if answer.json()["assignment"]["step"] != 2:
                raise RuntimeError("this is not step 2, and nothing would be measured")
            if turn >= warm:
                times[str(order)].append(taken)
    return times[SideOrder.FIRST_IS_A], times[SideOrder.SECOND_IS_A]


if __name__ == "__main__":
    sys.exit(main())
