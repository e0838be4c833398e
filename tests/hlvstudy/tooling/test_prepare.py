"""What the tools give to every process that they start."""

import os
import subprocess
import sys

from hlvstudy.tooling import checking, prepare
from hlvstudy.tooling.prepare import environment


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


def test_another_checkout_begins_with_what_mypy_knew_in_the_first_and_old_knowledge_goes(monkeypatch, tmp_path):
    monkeypatch.setenv("HLV_CACHE", str(tmp_path / "shared"))
    first, second = tmp_path / "first" / "mypy", tmp_path / "second" / "mypy"
    for known in ("what it knew", "more"):
        first.mkdir(parents=True, exist_ok=True)
        (first / "cache").write_text(known)
        monkeypatch.setattr(checking, "TYPES", first)
        checking.keep_types()
    old = tmp_path / "shared" / "mypy-old"
    old.mkdir()
    os.utime(old, (0, 0))
    checking.keep_types()
    monkeypatch.setattr(checking, "TYPES", second)
    checking.take_types()
    assert (second / "cache").read_text() == "what it knew"  # it is renewed once a day
    os.utime(checking.shared_types(), (0, 0))
    monkeypatch.setattr(checking, "TYPES", first)
    checking.keep_types()
    assert [path.name for path in (tmp_path / "shared").iterdir()] == [checking.shared_types().name]
    assert (checking.shared_types() / "cache").read_text() == "more"
