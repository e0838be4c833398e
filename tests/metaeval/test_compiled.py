"""The compiled loops are available when needed and up to date, whatever the disk allows."""

import ast
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ_ONLY = """
import errno, os, sys
def refuse(event, arguments):
    writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if event == "os.mkdir" or writes and not str(arguments[0]).startswith("/dev/"):
        raise OSError(errno.EROFS, "Read-only file system", arguments[0])
sys.addaudithook(refuse)
"""
WITHOUT_A_CACHE = """
import json, sys
from metaeval import metrics
from metaeval.loops import are_missing
metrics.available()
found = {"missing": are_missing(), "early": "numba" in sys.modules}
found["metric"] = float(metrics.soft_accuracy([[1.0, 0.0]], [[0.25, 0.75]]))
found["late"] = "numba" in sys.modules
from metaeval.stats import correlation_tests
(test,) = correlation_tests({"m": [1, 2, 3, 4]}, [1, 2, 4, 3], coefficients=["kendall"])
found["p"] = test.pvalue
from metaeval.compiled import cache_folder
found["folder"] = cache_folder()
print(json.dumps(found))
"""
CALLED = """
from metaeval.compiled import compiled
@compiled
def called(x):
    return x + {more}
"""
CALLER = """
from metaeval.compiled import compiled
from metaeval.called import called
@compiled
def caller(x):
    return called(x)
"""
CALL = """
import numba
from metaeval.caller import caller
print(caller(1), sum(caller.stats.cache_hits.values()), caller.stats.cache_path, numba.config.CACHE_DIR)
"""


def run(program: str, folder: Path = ROOT, **environment: str) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_a_read_only_disk_costs_the_compile_cache_and_nothing_else():
    """Nothing is compiled ahead either, and nobody waits for the compiler before a number is asked for."""
    found = json.loads(run(READ_ONLY + WITHOUT_A_CACHE))
    assert (found["missing"], found["early"], found["late"]) == (False, False, True)
    assert found["metric"] == pytest.approx(0.25)
    assert found["p"] == pytest.approx(1 / 3)
    assert found["folder"] is None


def test_a_loop_is_compiled_again_when_one_that_it_calls_in_another_file_changes(tmp_path):
    """Numba would look at the caller's file only, and keep the old code of what it calls. Another checkout of the same
    sources finds what was compiled."""
    caches, answers = str(tmp_path / "caches"), []
    for checkout, more in (("one", 1), ("other", 1), ("one", 2), ("one", 1)):
        package = tmp_path / checkout / "metaeval"
        package.mkdir(parents=True, exist_ok=True)
        for name in ("compiled.py", "kept_loops.py"):
            (package / name).write_bytes((ROOT / "metaeval" / name).read_bytes())
        (package / "caller.py").write_text(CALLER)
        (package / "called.py").write_text(CALLED.format(more=more))
        # Python itself takes a file of the same size and second for the same.
        here = {"NUMBA_CACHE_DIR": caches, "PYTHONDONTWRITEBYTECODE": "1"}
        answers.append(run(CALL, tmp_path / checkout, **here).split())
        assert not list(package.glob("__pycache__/hlvstudy-loops-*"))
    assert [(value, hits) for value, hits, *_ in answers] == [("2", "0"), ("2", "1"), ("3", "0"), ("2", "1")]
    for *_, folder, setting in answers:
        assert folder.startswith(f"{caches}/hlvstudy-loops-")
        assert setting == caches  # what else the process compiles is cached where its user wants it


def test_cache_folders_that_nobody_uses_any_more_are_removed(tmp_path):
    from metaeval.compiled import UNUSED_DAYS, folder_in

    days = {"hlvstudy-loops-old": UNUSED_DAYS + 1, "hlvstudy-loops-new": UNUSED_DAYS - 1, "other": UNUSED_DAYS + 1}
    for name, age in days.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").touch()
        used = time.time() - age * 86_400
        os.utime(tmp_path / name, (used, used))
    mine = tmp_path / "hlvstudy-loops-0123456789abcdef"
    mine.mkdir()
    os.utime(mine, (0, 0))
    assert folder_in(tmp_path, "0123456789abcdef" * 4) == mine
    assert time.time() - mine.stat().st_mtime < 60
    assert {path.name for path in tmp_path.iterdir()} == {"hlvstudy-loops-new", "other", mine.name}


def test_a_folder_that_cannot_be_made_is_passed_over(tmp_path):
    from metaeval.compiled import folder_in

    (tmp_path / "file").touch()
    assert folder_in(tmp_path / "file", "0" * 64) is None


def test_the_fingerprint_is_of_the_files_with_compiled_loops(tmp_path):
    from metaeval.compiled import source_stamp

    stamps = []
    said = "from metaeval.compiled import compiled\n"
    for source in (said, said + "x = 1\n"):
        (tmp_path / "loops.py").write_text(source)
        stamps.append(source_stamp(tmp_path))
    (tmp_path / "other.py").write_text("y = 2\n")
    assert source_stamp(tmp_path) == stamps[1] != stamps[0]


def test_every_file_with_compiled_loops_and_all_that_they_take_are_found_by_the_fingerprint():
    """They are found by an import or a mention, which must therefore be written out."""
    from metaeval.compiled import MENTION, PACKAGE

    marks = (b"@compiled", b"@fused", b"@inlined", b"= compiled(", b"njit")
    found = [path for path in PACKAGE.rglob("*.py") if any(mark in path.read_bytes() for mark in marks)]
    assert len(found) > 5
    for path in found:
        imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        for taken in (path, *filter(None, (source_of(path, node) for node in imports))):
            assert MENTION in taken.read_bytes(), f"{path} takes from {taken}"


def source_of(path: Path, node: ast.ImportFrom) -> Path | None:
    """The file of metaeval that a file imports from."""
    folder = path.parents[node.level - 1] if node.level else ROOT
    file = folder.joinpath(*(node.module or "").split(".")).with_suffix(".py")
    return file if file.is_relative_to(ROOT / "metaeval") and file.exists() else None


ALL_LOOPS = """
import importlib
from metaeval.compiled import MENTION, PACKAGE
from metaeval import loops
for part in loops.PARTS:
    part()
for path in PACKAGE.rglob("*.py"):
    if MENTION in path.read_bytes() and path.name != "compiled.py":
        module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        for name, loop in vars(module).items():
            own = getattr(loop, "py_func", None) and loop.py_func.__module__ == module.__name__
            if own and loop.targetoptions.get("inline") != "always" and not loop.signatures:
                print(module.__name__, name)
"""


@pytest.mark.long
def test_what_is_compiled_before_the_tests_is_every_loop(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}  # of a loop that was kept, those that it calls are not seen
    answer = subprocess.run(
        [sys.executable, "-c", ALL_LOOPS], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == ""
