"""docs/reference/performance.md is made of what benchmarks print."""

import datetime

from tests.benchmarks import _document


def test_a_page_keeps_the_sections_that_were_not_run_anew():
    day = datetime.date(2026, 11, 20)
    sections = {
        name: _document.section(name, f"\nTitle of {name}\nx86_64, 2 cores\n\n| work |\n|---|\n\nA note.\n", day)
        for name in ("agreement", "metrics")
    }
    page = _document.written(sections)
    assert _document.read(page) == sections
    assert page.count("## Title of") == 2
    assert "`python -m tests.benchmarks.metrics`, 2026-11-20, x86_64, 2 cores" in page


def test_every_benchmark_is_run_and_no_helper():
    names = _document.available()
    assert {"metrics", "permutation"} <= set(names)
    assert not any(name.startswith("_") for name in names)
