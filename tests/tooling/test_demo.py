"""`make demo` tells a person in a sentence what is in the way."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hlvstudy.program.steps import Trouble
from tests.tooling import prepare

CLI = Path(prepare.__file__).with_name("cli.py")


def test_a_busy_port_is_a_plain_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        done = subprocess.run([sys.executable, str(CLI), "demo"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"Port {port} cannot be used" in done.stderr
    assert f"make demo PORT={port + 1}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (
            "client error (Connect): dns error: failed to lookup address",
            "registries cannot be reached",
        ),
        ("npm error code EAI_AGAIN", "registries cannot be reached"),
        ("error: command 'gcc' failed: No such file or directory", "no C compiler"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
    ],
)
def test_a_failed_step_is_explained(output: str, says: str, tmp_path: Path) -> None:
    assert says in prepare.explain("Fetching", output, tmp_path / "prepare.log")


def test_no_network_is_a_plain_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real installer against an address where nothing answers."""
    monkeypatch.setattr(prepare, "STATE", tmp_path)
    unreachable = ["-m", "pip", "install", "--index-url", "http://127.0.0.1:9/simple", "--retries", "0", "hlv-nothing"]
    env = prepare.environment(PIP_CONFIG_FILE="/dev/null", PIP_FIND_LINKS="", PIP_EXTRA_INDEX_URL="")
    with pytest.raises(Trouble, match=r"failed\. The package registries cannot be reached"):
        prepare.run_step("Fetching", [sys.executable, *unreachable], env=env)
    assert (tmp_path / "prepare.log").exists()
