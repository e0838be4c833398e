"""`make demo`: prepare the checkout, then become `hlvstudy demo`."""

import os
import sys

from hlvstudy.program.serving import DEFAULT_PORT, free_port
from hlvstudy.program.steps import say

from .prepare import PYTHON, ROOT, environment, pages, python_packages, translations


def main(arguments: list[str]) -> int:
    # Before anything is fetched, so that nobody waits minutes to learn that the port is taken.
    port = free_port(os.environ.get("PORT", str(DEFAULT_PORT)), another=lambda other: f"make demo PORT={other}")
    say("Preparing this checkout (the first time takes a few minutes, later it is quick):")
    python_packages(dev=False)
    translations()
    pages()
    sys.stdout.flush()
    os.chdir(ROOT)
    # Replaces this process, so that Ctrl-C reaches a single program, which stops in order.
    command = [str(PYTHON), "-m", "hlvstudy", "demo", "--port", str(port), "--ends-with-parent", *arguments]
    os.execve(PYTHON, command, environment())
