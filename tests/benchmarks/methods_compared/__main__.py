"""Train every method on real datasets with the small encoder, and write what came out.

    python -m tests.benchmarks.methods_compared --state FOLDER [--only hs-brexit] [--write]

The folder keeps a database: what was trained before is not trained again, and what was interrupted goes on. `--write`
writes docs/reference/methods-compared.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.methods_compared.datasets import DATASETS, Trained
from tests.benchmarks.methods_compared.page import PAGE, page

ROOT = Path(__file__).resolve().parents[3]
RUNS = 3
BEGUN = """
from metaeval.training_jobs.models import Training
print(*Training.objects.filter(dataset__slug="{name}").order_by("-created_at").values_list("pk", flat=True)[:1])
"""
"""What says the ID of a dataset's training, if there is one."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--state", type=Path, required=True, help="a folder for the database")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the real files")
    parser.add_argument("--only", action="append", choices=sorted(DATASETS), help="repeatable")
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    manage = Manage(options.state.resolve())
    manage("migrate", "-v0")
    chosen = options.only or list(DATASETS)
    trained = [train(manage, name, options.data) for name in chosen]
    result = compared(manage, chosen)
    told = page(result, trained)
    print(told)
    if options.write:
        PAGE.write_text(told, encoding="utf-8")
    return 0


class Manage:
    """Calls manage.py on a database of its own."""

    def __init__(self, state: Path) -> None:
        state.mkdir(parents=True, exist_ok=True)
        self.state = state
        self.environment = {**os.environ, "HLV_STATE": str(state), "DEBUG": "1", "OMP_NUM_THREADS": "1"}

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout


def train(manage: Manage, name: str, data: Path) -> Trained:
    """What was trained on a dataset, now or before."""
    noted = manage.state / f"{name}.json"
    if not noted.exists():
        dataset = DATASETS[name]
        for command in dataset.importing(name, data):
            manage(*command)
        begun = manage("shell", "-v0", "-c", BEGUN.format(name=name)).strip()
        asked = ["--resume", begun] if begun else [name, "--runs", str(RUNS), *dataset.options]
        started = time.monotonic()
        said = manage("train", "--quiet", *asked)
        seconds = time.monotonic() - started
        noted.write_text(json.dumps({"seconds": seconds, "said": said.splitlines()}), encoding="utf-8")
        print(f"{name}: {seconds:.0f} s", file=sys.stderr)
    told = json.loads(noted.read_text(encoding="utf-8"))
    return Trained(name=name, seconds=told["seconds"], systems=int(told["said"][-1].split()[0]))


def compared(manage: Manage, names: list[str]) -> dict[str, Any]:
    """The result of the analysis of all systems that were trained."""
    file = manage.state / "compared.json"
    datasets = [part for name in names for part in ("--dataset", name)]
    manage("analyse", *datasets, "system_scores", "--baseline", "MV", "--no-store", "--quiet", "--json", str(file))
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found if len(names) > 1 else named(found, names[0])


def named(result: dict[str, Any], dataset: str) -> dict[str, Any]:
    """The result with the name of its dataset, which it does not say if it has only one."""
    for rows in (result["groups"], result["collapsed"]):
        for row in rows:
            row["dataset"] = dataset
    return result


if __name__ == "__main__":
    sys.exit(main())
