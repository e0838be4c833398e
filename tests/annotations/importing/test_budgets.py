"""How much work a few kilobytes can make: random Markdown, and tables as wide as they may be, measured."""

import io
import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotations.ground.bounds import RENDERED, TooMuchToRender
from annotations.importing.datasets import import_dataset
from annotations.importing.memory.limits import MAX_COLUMNS, MAX_LABELS
from annotations.importing.reading.files import SourceFile
from annotations.shown.instructions import sanitised

pytestmark = [pytest.mark.django_db, pytest.mark.long]
BOUNDS = RENDERED["markdown"]
TEXTS = 150
MOST_SECONDS = 30
"""Of a processor, on a slow one; on those of docs/security.md it is less than two."""

PARTS = [
    "> ",
    ">",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "+ ",
    "a",
    "é",
    "b\n",
    "\n\n",
    "  \n",
    "|",
    "-|",
    "[",
    "]",
    "(",
    ")",
    "![",
    "](a)",
]
PARTS += [
    "[a]",
    "[a]: b\n",
    "*",
    "**",
    "_",
    "~~",
    "`",
    "```\n",
    "<",
    "<!--",
    "<http://a>",
    "&",
    "&amp;",
    "\\",
    "    ",
    "\t",
]
PARTS += ["# ", "===\n", "---\n", '"', "'"]


def crowded(rng: random.Random) -> str:
    """Few marks, repeated until the text is as long as it may be."""
    before = "".join(rng.choices(PARTS, k=rng.randint(0, 4))) * rng.choice([0, 1, 20])
    unit = "".join(rng.choices(PARTS, k=rng.randint(1, 6)))
    return (before + unit * (BOUNDS.most_in // len(unit) + 1))[: BOUNDS.most_in]


def test_random_markdown_becomes_bounded_html_in_bounded_time(tried: Callable[[int, str], None]) -> None:
    rng = random.Random(20)
    slowest = 0.0
    for _ in range(TEXTS):
        text, begun = crowded(rng), time.process_time()
        with suppress(TooMuchToRender):
            assert len(sanitised(text)) <= BOUNDS.most_out, text[:80]
        slowest = max(slowest, time.process_time() - begun)
        assert slowest < MOST_SECONDS, text[:80]
    tried(TEXTS, f"random texts of {BOUNDS.most_in:,} characters, the slowest in {slowest:.1f} s")


def tables(labels: int) -> Iterator[tuple[str, bytes]]:
    """One row with so many columns, in each format."""
    names, values = [f"l{n}" for n in range(labels)], [1, *[0] * (labels - 1)]
    row = {"instance": "a"} | dict(zip(names, values, strict=True))
    yield "wide.csv", f"{','.join(row)}\n{','.join(map(str, row.values()))}\n".encode()
    yield "wide.jsonl", json.dumps(row).encode()
    parquet = io.BytesIO()
    pq.write_table(pa.table({name: [value] for name, value in row.items()}), parquet)
    yield "wide.parquet", parquet.getvalue()


@pytest.mark.parametrize("labels", [MAX_LABELS, MAX_COLUMNS, 4 * MAX_COLUMNS])
def test_a_wide_table_is_read_or_refused_in_bounded_time(
    tried: Callable[[int, str], None], write: Callable[[str, bytes], SourceFile], labels: int
) -> None:
    for name, content in tables(labels):
        begun = time.process_time()
        report = import_dataset(files=[write(name, content)], slug="wide", dry_run=True)
        seconds = time.process_time() - begun
        assert bool(report.problems) == (labels > MAX_LABELS), name
        assert seconds < MOST_SECONDS, name
        tried(1, f"{name.rpartition('.')[2]} of {labels + 1:,} columns in {seconds:.1f} s")
