"""Importing long tables of a million rows against what pyarrow needs to read the same file.

    python -m tests.benchmarks.importing [--rounds 7] [--rows 1000000]

An import reads, checks every value, finds duplicates and gaps, and writes the database, all or nothing; pyarrow only
parses. In each round both take their turn on the same file. The memory is the peak of a fresh process that does
nothing but one import. The database is a fresh one beside DATABASE_URL (default: SQLite in a temporary folder).
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.json as pajson
import pyarrow.parquet as pq

from ._timing import Row, compare, report

SYSTEMS, LABELS = 26, 33
TARGET_TIMES = 6
TARGET_TIMES_LARGE = 2  # 100,000 texts, 33 labels, 3 systems
TARGET_BYTES = 500 << 20
LARGE = 1_000_000  # rows from which on it is measured
NAMES = [f"Area of law {label}" for label in range(LABELS)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only-import", nargs=3, metavar=("KIND", "FILE", "SLUG"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        start_django(folder)
        if options.only_import:
            return import_and_tell_memory(*options.only_import)
        with fresh_database():
            return measure(Path(folder), rows=options.rows, rounds=options.rounds)


def measure(folder: Path, *, rows: int, rounds: int) -> int:
    instances = rows // (SYSTEMS * LABELS) + 1
    predictions = predictions_table(instances)
    dataset = distributions_table(rows // LABELS + 1)
    votes = votes_table(rows)
    large = predictions_table(rows // 10, systems=3) if rows >= LARGE else None
    lines, peaks = [], []
    works = [
        ("predictions, 26 systems, CSV", "predictions", predictions, 1 / TARGET_TIMES),
        ("predictions, 26 systems, JSON lines", "predictions", predictions, None),
        ("predictions, 26 systems, Parquet", "predictions", predictions, None),
        ("dataset, distributions, CSV", "dataset", dataset, None),
        ("dataset, disaggregated, CSV", "dataset", votes, None),
    ]
    if large is not None:
        works.insert(1, ("predictions, 3 systems, CSV", "predictions", large, 1 / TARGET_TIMES_LARGE))
    for name, kind, table, target in works:
        texts = rows // 10 if table is large else instances
        path, read = written(folder, table, name.rsplit(" ", 1)[-1])
        slow = name.startswith("dataset, disaggregated") or table is large
        turns = min(rounds, 3) if slow else rounds
        slugs = iter([f"b{uuid.uuid4().hex}" for _ in range(turns + 2)])
        if kind == "predictions":
            slugs = iter([empty_dataset(texts) for _ in range(turns + 2)])
        lines.append(
            compare(
                f"{name}, {table.num_rows:,} rows",
                ours=partial(import_next, kind, path, slugs),
                other=partial(read, str(path)),
                other_name="pyarrow, reading only",
                rounds=turns,
                target=target,
            )
        )
        peak = peak_of(kind, path, next(slugs))
        peaks.append(f"{name}: {1 / lines[-1].times:.1f} times pyarrow's reading; peak memory {peak / 2**20:,.0f} MB")
        if peak > TARGET_BYTES:
            lines.append(Row(f"{name}: peak memory", "at most 500 MB", 0, 0, TARGET_BYTES / peak, 1, 1))
    good = report(f"Importing long tables (at most {TARGET_TIMES} times what pyarrow needs to read them)", lines, peaks)
    return 0 if good else 1


def start_django(folder: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/benchmark.sqlite3")
    import django

    django.setup()


class fresh_database:  # noqa: N801 (reads as a statement)
    """Django's own test database, so that no real one is touched."""

    def __enter__(self) -> None:
        from django.db import connection

        self.name = connection.settings_dict["NAME"]
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)

    def __exit__(self, *_: object) -> None:
        from django.db import connection

        connection.creation.destroy_test_db(str(self.name), verbosity=0)


def predictions_table(instances: int, systems: int = SYSTEMS) -> pa.Table:
    Q = np.random.default_rng(1).random((systems, instances, LABELS)).round(6)
    s, i, k = (axis.ravel() for axis in np.indices(Q.shape))
    return pa.table(
        {
            "system": pa.array(np.array([f"model {n % 2} / method {n // 2}" for n in range(systems)])[s]),
            "instance": pa.array(np.array([f"text-{n:05d}" for n in range(instances)])[i]),
            "label": pa.array(np.array(NAMES)[k]),
            "probability": Q.ravel(),
        }
    )


def distributions_table(instances: int) -> pa.Table:
    return predictions_table_of(np.random.default_rng(2).random((instances, LABELS)).round(6))


def predictions_table_of(P: np.ndarray) -> pa.Table:
    i, k = (axis.ravel() for axis in np.indices(P.shape))
    ids = np.array([f"text-{n:05d}" for n in range(len(P))])
    return pa.table({"instance": pa.array(ids[i]), "label": pa.array(np.array(NAMES)[k]), "probability": P.ravel()})


def votes_table(rows: int) -> pa.Table:
    """About five annotators an instance, each with two labels."""
    number = np.arange(rows)
    annotation = number // 2
    ids = np.array([f"text-{n:06d}" for n in range(rows // 10 + 1)])
    people = np.array([f"annotator {n}" for n in range(40)])
    return pa.table(
        {
            "instance": pa.array(ids[annotation // 5]),
            "annotator": pa.array(people[(annotation * 7) % 40]),
            "label": pa.array(np.array(NAMES)[(annotation * 3 + number % 2 * 5) % LABELS]),
        }
    )


def written(folder: Path, table: pa.Table, form: str) -> tuple[Path, Callable[[str], object]]:
    path = folder / uuid.uuid4().hex
    if form == "CSV":
        path = path.with_suffix(".csv")
        pacsv.write_csv(table, path)
        return path, pacsv.read_csv
    if form == "Parquet":
        path = path.with_suffix(".parquet")
        pq.write_table(table, path)
        return path, pq.read_table
    path = path.with_suffix(".jsonl")
    table.to_pandas().to_json(path, orient="records", lines=True)
    return path, pajson.read_json


def empty_dataset(instances: int) -> str:
    """A dataset without predictions; returns its slug."""
    from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet
    from annotations.importing.writing.datasets import write_dataset
    from annotations.models import Task

    slug = f"b{uuid.uuid4().hex}"
    table = DatasetTable(
        labels=LabelSet(tuple(NAMES), Task.MULTILABEL),
        instances=[InstanceRow(f"text-{n:05d}") for n in range(instances)],
        gold=np.random.default_rng(3).random((instances, LABELS)),
    )
    write_dataset(table=table, slug=slug, title="Benchmark")
    return slug


def import_next(kind: str, path: Path, slugs: Iterator[str]) -> None:
    import_file(kind, path, next(slugs))


def import_file(kind: str, path: Path | str, slug: str) -> None:
    from annotations.importing.datasets import import_dataset, import_predictions
    from annotations.importing.reading.files import SourceFile
    from annotations.models import Dataset

    files = [SourceFile.at(path)]
    if kind == "dataset":
        report = import_dataset(files=files, slug=slug, options={"task": "multilabel"})
    else:
        report = import_predictions(files=files, dataset=Dataset.objects.get(slug=slug))
    assert report.changed


def peak_of(kind: str, path: Path, slug: str) -> int:
    """Peak resident memory, in bytes, of a fresh process that imports the file."""
    from tests.conftest import database_url

    # A process begins with the peak of the one that started it; the shell in between is small.
    done = subprocess.run(
        [
            "sh",
            "-c",
            '"$@"; exit $?',
            "sh",
            sys.executable,
            "-m",
            "tests.benchmarks.importing",
            "--only-import",
            kind,
            str(path),
            slug,
        ],
        env={**os.environ, "DATABASE_URL": database_url()},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.split()[-1]) * 1024


def import_and_tell_memory(kind: str, path: str, slug: str) -> int:
    import_file(kind, path, slug)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return 0


if __name__ == "__main__":
    sys.exit(main())
