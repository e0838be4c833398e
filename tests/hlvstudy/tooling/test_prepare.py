"""What the tools give to every process that they start."""

import subprocess
import sys

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
