"""How long backup, restore, move-database and upgrade take, and how much memory, with many rows.

    python -m tests.benchmarks.copying_databases FOLDER [--rows 1000000] [--postgresql postgres://...an empty database]

FOLDER is made. The rows are copies of events and answers that tests/fixtures/making.py makes; what upgrades them has
one migration more.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LATER = "tests.hlvstudy.backups.later.settings"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--postgresql", default="")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True)
    state = asked.folder / "state"
    state.mkdir()
    making = [sys.executable, "-m", "tests.fixtures.making", str(state / "hlvstudy.sqlite3")]
    subprocess.run(making, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    enlarge(state / "hlvstudy.sqlite3", asked.rows)
    kept = asked.folder / "kept.zip"
    print("| command | seconds | of the processor | memory, MB |\n|---|---:|---:|---:|")
    run("upgrade (with its backup)", state, "upgrade")
    run("backup, SQLite", state, "backup", "--to", str(kept))
    run("backup --check", state, "backup", "--check", str(kept))
    run("restore, SQLite", asked.folder / "restored", "restore", str(kept))
    if asked.postgresql:
        run("move-database, SQLite to PostgreSQL", state, "move-database", asked.postgresql)
        url = {"DATABASE_URL": asked.postgresql}
        again = asked.folder / "again.zip"
        run("backup, PostgreSQL", state, "backup", "--to", str(again), **url)
        run("restore, PostgreSQL", state, "restore", str(again), "--replace", "--yes", **url)
    print(f"\nSizes: database {size(state / 'hlvstudy.sqlite3')}, backup {size(kept)}")


def enlarge(database: Path, rows: int) -> None:
    """Copies of events (two fifths), labels and preferences (three tenths each), with keys of their own."""
    with sqlite3.connect(database, isolation_level=None) as opened:
        opened.execute("PRAGMA foreign_keys = OFF")
        opened.execute("BEGIN")
        triggers = opened.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            opened.execute(f'DROP TRIGGER "{name}"')
        _copies(opened, "annotations_event", rows * 4 // 10, lambda row, number: None)
        for table in ("annotations_labelresponse", "annotations_preferenceresponse"):
            _copies(opened, table, rows * 3 // 10, _another_revision)
        for _, statement in triggers:
            opened.execute(statement)
        opened.execute("COMMIT")


def _another_revision(row: dict[str, Any], number: int) -> None:
    row["key"] = uuid.uuid4().hex
    row["revision"] += 100 + number


def _copies(opened: sqlite3.Connection, table: str, number: int, change: Callable[[dict[str, Any], int], None]) -> None:
    columns = [row[1] for row in opened.execute(f"PRAGMA table_info({table})")]
    rows = opened.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY id").fetchall()  # noqa: S608 - ours

    def made() -> Any:
        for turn in range(number):
            row = dict(zip(columns, rows[turn % len(rows)], strict=True))
            row["id"] = rows[-1][columns.index("id")] + 1 + turn
            change(row, turn)
            yield tuple(row.values())

    holes = ", ".join("?" * len(columns))
    opened.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({holes})", made())  # noqa: S608 - ours


def run(what: str, state: Path, *command: str, **settings: str) -> None:
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    env = {**kept, "HLV_STATE": str(state), "LOG_LEVEL": "WARNING", "DJANGO_SETTINGS_MODULE": LATER, **settings}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "hlvstudy", *command],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    said = process.stdout.read().decode() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{what} failed:\n{said}")
    processor = used.ru_utime + used.ru_stime
    print(f"| {what} | {time.monotonic() - began:.0f} | {processor:.0f} | {used.ru_maxrss / 1024:.0f} |", flush=True)


def size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.0f} MB"


if __name__ == "__main__":
    main()
