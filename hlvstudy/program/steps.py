"""Steps that a person waits for: announced in a line, and explained in a sentence if they fail."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


class Trouble(Exception):
    """An error that the person at the keyboard can fix."""


def say(text: str) -> None:
    print(text, flush=True)


def run_step(
    what: str,
    command: Sequence[str | Path],
    *,
    log: Path,
    cwd: Path,
    env: Mapping[str, str],
    explain: Callable[[str, str, Path], str] | None = None,
) -> str:
    """Run a step quietly and return what it printed.

    Args:
        what: the step, in words for the person.
        log: the file for everything that was printed.
        explain: makes the sentence for a failure from the step, what was printed, and the log.

    Raises:
        Trouble: the step failed, or could not be started.
    """
    say(f"  {what} ...")
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise Trouble(f"{what}: {command[0]} could not be started ({error.strerror}).") from None
    with log.open("a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(map(str, command))}\n{done.stdout}\n")
    if done.returncode:
        raise Trouble((explain or last_lines)(what, done.stdout, log))
    return done.stdout


def last_lines(what: str, output: str, log: Path) -> str:
    """What to say about a failed step without a better explanation."""
    tail = "\n".join(output.strip().splitlines()[-15:])
    return f"{what} failed. The last lines of its output (the rest is in {log}):\n{tail}"
