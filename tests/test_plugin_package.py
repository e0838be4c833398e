"""A package from outside adds a metric, an importer, an exporter, an analysis, a figure and a training method: built,
installed, and used.

It is made of the files that CONTRIBUTING.md shows, changed as its section on packages says.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from metaeval.compiled import cache_folder
from tests.metaeval.training.needing import needs_training, torch_here
from tests.templates import copy_sqlite
from tests.test_contributing import FILE, ROOT, section_of

pytestmark = pytest.mark.long

PROJECT = """
[project]
name = "our-package"
version = "1.0"

[build-system]
requires = ["uv_build>=0.9,<1"]
build-backend = "uv_build"
"""
TALLY = "".join(f"t{number}\tyes={number} no={6 - number}\tText number {number}.\n" for number in range(1, 7))
SAID = "instance,text,annotator,label\n" + "".join(
    f"t{number},Text number {number}.,person-{person},{'yes' if person < number % 4 else 'no'}\n"
    for number in range(12)
    for person in range(3)
)
"""Of three people, none to all say yes, which SmSL counts as one to four of five."""
PREDICTIONS = "instance,label,probability,model\n" + "".join(
    f"t{number},{label},{probability},{model}\n"
    for number in range(1, 7)
    for model, yes in (("near", number / 6), ("far", 1 - number / 6))
    for label, probability in (("yes", yes), ("no", 1 - yes))
)


def files_of(section: str) -> dict[str, str]:
    return {path.rpartition("/")[2]: content for path, content in FILE.findall(section_of(section))}


def package() -> dict[str, str]:
    """The package's modules, made of the files for this repository."""
    metric = files_of("Add a metric")["hellinger.py"]
    metric = metric.replace("from .pair import Pair\n", "")
    metric = metric.replace(
        "from .registry import MULTICLASS, metric", "from metaeval.metrics import MULTICLASS, Pair, metric"
    )
    result, analysis = (files_of("Add an analysis")[name] for name in ("result.py", "analysis.py"))
    figure = files_of("Add a figure")["figures.py"]
    analysis = analysis.replace(
        "    words=WORDS,\n)\ndef", '    words=WORDS,\n    figures=["undecided_shares"],\n)\ndef'
    ).replace("from metaeval.analyses.undecided.result", "from our_package import figures\nfrom our_package.result")
    return {
        "__init__.py": "",
        "metrics.py": metric,
        "importers.py": files_of("Add an importer")["tallies.py"],
        "exporters.py": files_of("Add an exporter")["table_tsv.py"],
        "analyses.py": analysis,
        "result.py": result,
        "figures.py": figure.replace("metaeval.analyses.undecided.result", "our_package.result"),
        "methods.py": files_of("Add a training method")["smoothed.py"],
    }


def installed(folder: Path, modules: dict[str, str]) -> Path:
    """Where the package is after it was built and installed, both without a network."""
    declared = re.search(r"```toml\n(.*?)```", section_of("A package of your own"), re.DOTALL)
    assert declared
    source, place = folder / "source", folder / "installed"
    (source / "src" / "our_package").mkdir(parents=True)
    (source / "pyproject.toml").write_text(PROJECT + declared[1])
    for name, content in modules.items():
        (source / "src" / "our_package" / name).write_text(content)
    uv = Path(sys.executable).with_name("uv")
    wheels = folder / "wheels"
    run(uv, "build", "--offline", "--wheel", source, "--out-dir", wheels, "--python", sys.executable)
    (wheel,) = wheels.glob("*.whl")
    run(uv, "pip", "install", "--offline", "--no-deps", "--target", place, "--python", sys.executable, wheel)
    return place


def run(*command: str | Path, **more: str) -> str:
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, **more}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


class Installation:
    """HLV Study with the package beside it, and a database of its own."""

    def __init__(self, folder: Path, place: Path) -> None:
        loops = cache_folder()
        self.env = {
            "PYTHONPATH": str(place),
            "HLV_STATE": str(folder / "state"),
            "DEBUG": "1",
            "DJANGO_SETTINGS_MODULE": "hlvstudy.settings",
            **({"NUMBA_CACHE_DIR": str(loops.parent)} if loops else {}),
        }
        self.folder = folder
        copy_sqlite(folder / "state" / "hlvstudy.sqlite3")

    def command(self, line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *shlex.split(line)],
            cwd=self.folder,
            env={"PATH": os.defpath, "HOME": str(self.folder), **self.env},
            capture_output=True,
            text=True,
            check=False,
        )

    def prints(self, line: str) -> str:
        done = self.command(line)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout


def test_all_that_a_package_adds_is_used_through_the_commands(tmp_path: Path) -> None:
    ours = Installation(tmp_path, installed(tmp_path, package()))
    (tmp_path / "flat.tally").write_text(TALLY)
    (tmp_path / "systems.csv").write_text(PREDICTIONS)
    assert "format tally" in ours.prints("import_dataset flat flat.tally")
    ours.prints("import_predictions flat systems.csv")
    scores = ours.prints("analyse --dataset flat system_scores --metrics hellinger_distance")
    assert "Hellinger distance" in scores
    assert re.search(r"near\b.*\b0\.000\b", scores), scores

    plan = "--dataset flat --instances-per-system 3 --experts-per-comparison 2 --seed 1 --apply"
    ours.prints(f"plan_study asked {plan}")
    ours.prints("move_study asked open")
    ours.prints("simulate_responses asked --experts 2")
    found = ours.prints("analyse asked undecided --figure undecided.svg")
    assert "Undecided responses by system" in found
    assert "<svg" in (tmp_path / "undecided.svg").read_text()
    ours.prints("export_responses asked --format tsv --out out")
    assert (tmp_path / "out" / "responses.tsv").read_text().startswith("study\t")


@pytest.fixture(scope="module")
def with_method(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation with texts that three people each labelled."""
    folder = tmp_path_factory.mktemp("method")
    ours = Installation(folder, installed(folder, package()))
    (folder / "said.csv").write_text(SAID)
    ours.prints("import_dataset said said.csv")
    return ours


def test_a_method_of_a_package_is_listed_and_makes_targets_without_torch(with_method: Installation) -> None:
    assert with_method.prints("train --help").rstrip().endswith(", SmSL.")
    with_method.prints("make_targets said --method SmSL --folds 2 --out targets")
    stated = json.loads((with_method.folder / "targets" / "targets.json").read_text())
    assert stated["method"]["title"] == "smoothed soft labels"
    values = pq.read_table(with_method.folder / "targets" / "rows.parquet", columns=["yes", "no"]).to_pylist()
    assert {round(row["yes"] * 5) for row in values} == {1, 2, 3, 4}


@needs_training
def test_a_method_of_a_package_trains(with_method: Installation) -> None:
    torch_here()
    said = with_method.prints("train said --methods SmSL --runs 1 --folds 2 --epochs 1 --processes 1 --quiet")
    assert "1 system of the model small transformer" in said


@pytest.mark.parametrize(
    ("module", "command", "kind"),
    [
        ("metrics", "shell -c 'from metaeval import metrics; metrics.available()'", "metric"),
        ("importers", "import_dataset flat flat.tally", "dataset format"),
        ("exporters", "export_responses asked --format csv --out out", "export format"),
        ("analyses", "analyse asked power", "analysis"),
        ("methods", "make_targets said --method SL --out targets", "training method"),
    ],
)
def test_a_package_that_cannot_be_loaded_fails_loudly_with_its_name(
    broken: Installation, module: str, command: str, kind: str
) -> None:
    done = broken.command(command)
    assert done.returncode != 0
    where = f"our_package.{module} of the package our-package"
    said = f"No {kind} can be used, because {where} cannot be loaded (ImportError: gone)."
    assert said in done.stdout + done.stderr


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    folder = tmp_path_factory.mktemp("broken")
    return Installation(
        folder, installed(folder, dict.fromkeys(package(), "raise ImportError('gone')") | {"__init__.py": ""})
    )
