"""What the tools give to every process that they start."""

import os
import subprocess
import sys

from tests.tooling import checking, prepare
from tests.tooling.prepare import environment


def test_processes_keep_the_bytecode_that_they_compiled_also_where_the_machine_keeps_none(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "module.py").write_text("")
    env = environment(PYTHONPYCACHEPREFIX=str(tmp_path / "bytecode"))
    subprocess.run([sys.executable, "-c", "import module"], cwd=tmp_path, env=env, check=True)
    assert list((tmp_path / "bytecode").rglob("module.*.pyc"))
    assert "PYTHONPYCACHEPREFIX" in environment()


def test_packages_of_the_machine_do_not_mix_with_ours(monkeypatch):
    for name in ("PYTHONPATH", "PYTHONHOME"):
        monkeypatch.setenv(name, "/elsewhere")
        assert name not in environment()


def test_checkouts_share_what_was_compiled_unless_they_are_told_not_to(monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "HLV_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert environment()["NUMBA_CACHE_DIR"] == str(tmp_path / "hlvstudy")
    monkeypatch.setenv("HLV_CACHE", str(tmp_path / "elsewhere"))
    assert environment()["NUMBA_CACHE_DIR"] == str(tmp_path / "elsewhere")
    monkeypatch.setenv("HLV_CACHE", "")
    assert prepare.shared_cache() is None
    assert "NUMBA_CACHE_DIR" not in environment()


def test_checkouts_share_what_mypy_knows_and_what_nobody_has_used_for_a_week_goes(monkeypatch, tmp_path):
    monkeypatch.setenv("HLV_CACHE", str(tmp_path))
    old, others, loops = (tmp_path / name for name in ("mypy-old", "mypy-others", "hlvstudy-loops-1"))
    for folder in (old, others, loops):
        folder.mkdir()
    for folder in (old, loops):
        os.utime(folder, (0, 0))
    known = checking.types_known()
    checking.forget_types_of_other_packages()
    assert checking.types_known() == known
    assert set(tmp_path.iterdir()) == {known, others, loops}
    os.utime(known, (0, 0))
    checking.forget_types_of_other_packages()
    assert known.stat().st_mtime > 0
    monkeypatch.setenv("HLV_CACHE", "")
    assert checking.types_known().parent == prepare.STATE
