"""What `make test` may cost: its processor seconds, divided by those of a fixed loop that is timed beside it.

The quotient is nearly the same on a fast machine and on a slow one. The committed one is in `.ci/budget`;
`make budget` commits to that of the last `make test`.
"""

import resource
import select
import subprocess
import sys
import time
from types import TracebackType

from hlvstudy.program.steps import Trouble, say

from .prepare import PYTHON, ROOT, STATE, environment

COMMITTED = ROOT / ".ci" / "budget"
LAST = STATE / "cost-of-tests"
WARNS_ABOVE = 1.15
FAILS_ABOVE = 1.5
PAUSE_SECONDS = 15


class Meter:
    """Processor seconds of what starts and ends while it is open, and, beside that, of the loop.

    The loop is timed all the while, because what else a machine does changes: within an hour of one machine, a round
    took from 0.34 to 0.64 s.
    """

    def __enter__(self) -> "Meter":
        self.before = used()
        command = [str(PYTHON), "-m", "tests.tooling.budget"]
        self.loop = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is not for it: it ends with this process
        )
        return self

    def read(self) -> tuple[float, float]:
        """Seconds of the programs, and of a round of the loop, which ends."""
        seconds = used() - self.before
        printed, _ = self.loop.communicate()
        return seconds, float(printed)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.loop.kill()
        self.loop.communicate()


def used() -> float:
    """Processor seconds of all processes that were started and have ended so far."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def judge(seconds: float, loop: float, *, whole: bool) -> bool:
    """Say what a run cost. True if that is far more than what is committed, which is of a whole run."""
    quotient = seconds / loop
    say(f"\n{seconds:.0f} processor seconds, {quotient:.0f} times the loop that measures machines ({loop:.3f} s)")
    if not whole:
        return False
    LAST.write_text(f"{quotient:.0f}\n", encoding="utf-8")
    if not COMMITTED.exists():
        say("Nothing is committed yet (`make budget`).")
        return False
    share = quotient / float(COMMITTED.read_text(encoding="utf-8"))
    say(f"That is {share:.2f} of what is committed (.ci/budget).")
    if share > WARNS_ABOVE:
        say("WARNING: the tests cost more than they did. Make them cheaper, or say why and run `make budget`.")
    return share > FAILS_ABOVE


def renew(_: list[str]) -> int:
    """`make budget`."""
    if not LAST.exists():
        raise Trouble("Nothing was measured yet. Run the whole of `make test` first, on a quiet machine.")
    COMMITTED.write_text(LAST.read_text(encoding="utf-8"), encoding="utf-8")
    say(f"Committed to {COMMITTED.read_text(encoding='utf-8').strip()} (.ci/budget).")
    return 0


def loop() -> int:
    """Work of the kinds that tests do: objects and texts in Python, and small arrays in NumPy."""
    import numpy as np

    counts: dict[str, int] = {}
    for number in range(600_000):
        word = f"{number % 997:x}"
        counts[word] = counts.get(word, 0) + len(word)
    rows = np.random.default_rng(0).random((200, 40))
    for _ in range(2400):
        rows = np.sort(rows * 0.99 + rows.mean(axis=0) * 0.01, axis=1)
    return sum(counts.values()) + int(rows.sum())


def main() -> None:
    """Do rounds of the loop, with pauses, until standard input ends; print the mean of their processor seconds."""
    loop()  # with what it imports
    took: list[float] = []
    while not took or not select.select([sys.stdin], [], [], PAUSE_SECONDS)[0]:
        before = time.process_time()
        loop()
        took.append(time.process_time() - before)
    print(sum(took) / len(took))


if __name__ == "__main__":
    main()
