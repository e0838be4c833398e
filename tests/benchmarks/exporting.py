"""Exporting a study's answers against what the database needs to write the same join.

    python -m tests.benchmarks.exporting [--rounds 5] [--answers 100000]

The answers of a closed study, 20 labels, 26 systems, 104 experts, one in twenty corrected. Every table of answers is
written whole and thrown away, against `COPY (same join) TO STDOUT CSV` on PostgreSQL, and on SQLite, which has no
`COPY`, against reading the same join with Python's sqlite3 and writing it with its csv module. The join finds the
newest version of both steps, how many there are, and the names of systems, in the same order; labels stay positions.
PostgreSQL expects three rows of it and would nest loops for 100,000, which takes longer: it is kept from that. In each
round all take their turn. The memory is the peak of a fresh process that does nothing but one export; it must not grow
with the answers. The database is a fresh one beside DATABASE_URL (default: SQLite in a temporary folder).
"""

import argparse
import csv
import io
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ._timing import Row, compare, report
from .importing import fresh_database, start_django

TARGET_TIMES = 3
GROWTH = 24 << 20  # what allocators and caches may take more for ten times the answers
FEW = 10  # memory is compared with a study of so many times fewer answers
TABLES = {"csv": "responses.csv", "jsonl": "responses.jsonl", "parquet": "responses.parquet"}
RESTORABLE = ("responses.jsonl", "metadata.csv", "history.jsonl")
JOIN = """
SELECT s.slug, m.number, m.is_simulated, a.is_pilot, a.repeat_of_id, a.position, c.position AS comparison,
       i.external_id, i.withdrawn_at, q.model, q.method, q.run, f.model, f.method, f.run, a.side_order, l.labels,
       p.a_chosen, p.b_chosen, p.certainty, l.active_ms, p.active_ms, a.claimed_at, l.created_at, a.comparison_shown_at,
       p.created_at, l.versions, p.versions, g.side, lv.number, pv.number, p.page_language
FROM (SELECT r.*, COUNT(*) OVER w AS versions, ROW_NUMBER() OVER (w ORDER BY revision DESC) AS place
      FROM annotations_preferenceresponse r JOIN annotations_assignment x ON x.id = r.assignment_id
      WHERE x.study_id = {study} WINDOW w AS (PARTITION BY assignment_id)) p
JOIN (SELECT r.*, COUNT(*) OVER w AS versions, ROW_NUMBER() OVER (w ORDER BY revision DESC) AS place
      FROM annotations_labelresponse r JOIN annotations_assignment x ON x.id = r.assignment_id
      WHERE x.study_id = {study} WINDOW w AS (PARTITION BY assignment_id)) l ON l.assignment_id = p.assignment_id
JOIN annotations_assignment a ON a.id = p.assignment_id
JOIN annotations_study s ON s.id = a.study_id
JOIN annotations_membership m ON m.id = a.expert_id
JOIN annotations_comparison c ON c.id = a.comparison_id
JOIN annotations_instance i ON i.id = a.instance_id
JOIN annotations_system q ON q.id = c.second_system_id
LEFT JOIN annotations_system f ON f.id = c.first_system_id
LEFT JOIN annotations_guess g ON g.assignment_id = a.id
LEFT JOIN annotations_instrumentversion lv ON lv.id = l.instrument_id
LEFT JOIN annotations_instrumentversion pv ON pv.id = p.instrument_id
WHERE p.place = 1 AND l.place = 1 AND a.released_at IS NULL AND NOT m.answers_left_out
ORDER BY c.position, m.number, a.position
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--only-export", nargs=3, metavar=("STUDY", "FORMAT", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        start_django(folder)
        if options.only_export:
            write_out(*options.only_export)
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
            return 0
        with fresh_database():
            return measure(options.answers, options.rounds)


def measure(answers: int, rounds: int) -> int:
    from django.db import connection

    from tests.worlds.many_answers import make_bulk_study

    make_bulk_study(answers // FEW, slug="few")
    study = make_bulk_study(answers, slug="many")
    count = study.assignments.count()
    other = "COPY (same join) TO STDOUT CSV" if connection.vendor == "postgresql" else "sqlite3 and csv, same join"
    lines, notes = [], []
    for format_name, file in TABLES.items():
        lines.append(
            compare(
                f"{file}, {count:,} answers",
                ours=partial(write_out, "many", format_name, file),
                other=partial(dump_join, study.pk),
                other_name=other,
                rounds=rounds,
                target=1 / TARGET_TIMES,
            )
        )
        few, many = (peak_of(slug, format_name, file) for slug in ("few", "many"))
        notes.append(
            f"{file}: {1 / lines[-1].times:.1f} times the database's; peak memory {many / 2**20:,.0f} MB, and "
            f"{few / 2**20:,.0f} MB for a tenth of the answers"
        )
        growth = max(many - few, 1)
        lines.append(Row(f"{file}: MB more for ten times the answers", "at most 24", 0, 0, GROWTH / growth, 1, 1))
    lines += [
        compare(
            f"{file} of study_responses",
            ours=partial(write_out, "many", "study_responses", file),
            other=partial(dump_join, study.pk),
            other_name=other,
            rounds=rounds,
        )
        for file in RESTORABLE
    ]
    title = f"Exporting answers on {connection.vendor} (at most {TARGET_TIMES} times what the database needs)"
    return 0 if report(title, lines, notes) else 1


def write_out(slug: str, format_name: str, name: str) -> int:
    """Write one file of an export to nowhere; returns its bytes."""
    from annotations.exporting.formats import formats
    from annotations.exporting.rows import ResponseSource
    from annotations.models import Study

    source = ResponseSource(Study.objects.select_related("dataset").get(slug=slug))
    (file,) = (one for one in formats.get(format_name).files(source) if one.name == name)
    with Path(os.devnull).open("wb") as out:
        return sum(out.write(chunk) for chunk in file.chunks())


def dump_join(study: int) -> None:
    """The database's own way of writing the same rows, to nowhere."""
    from django.db import connection

    statement = JOIN.format(study=study)
    with Path(os.devnull).open("wb") as out, connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET enable_nestloop = off")
            with cursor.copy(f"COPY ({statement}) TO STDOUT CSV") as copy:
                for block in copy:
                    out.write(block)
            cursor.execute("RESET enable_nestloop")
            return
        plain = connection.connection.cursor()
        csv.writer(io.TextIOWrapper(out)).writerows(_rows(plain.execute(statement)))


def _rows(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(2_000):
        yield from rows


def peak_of(slug: str, format_name: str, name: str) -> int:
    """Peak resident memory, in bytes, of a fresh process that writes the file."""
    from tests.conftest import database_url

    command = [sys.executable, "-m", "tests.benchmarks.exporting", "--only-export", slug, format_name, name]
    done = subprocess.run(
        ["sh", "-c", '"$@"; exit $?', "sh", *command],  # a process begins with the peak of the one that started it
        env={**os.environ, "DATABASE_URL": database_url()},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.split()[-1]) * 1024


if __name__ == "__main__":
    sys.exit(main())
