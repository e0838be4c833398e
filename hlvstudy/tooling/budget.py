"""What `make test` may cost: its processor seconds, divided by those of a fixed loop that is timed in the same run.

The quotient is nearly the same on a fast machine and on a slow one. The committed one is in `.ci/budget`;
`make budget` commits to that of the last `make test`.
"""

import resource
import subprocess
import time

from hlvstudy.program.steps import Trouble, say

from .prepare import PYTHON, ROOT, STATE, environment

COMMITTED = ROOT / ".ci" / "budget"
LAST = STATE / "cost-of-tests"
WARNS_ABOVE = 1.15
FAILS_ABOVE = 1.5
ROUNDS = 7


def used() -> float:
    """Processor seconds of all processes that were started and have ended so far."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def judge(seconds: float, *, whole: bool) -> bool:
    """Say what a run cost. True if that is far more than what is committed, which is of a whole run."""
    loop = loop_seconds()
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


def loop_seconds() -> float:
    """What the loop takes here and now."""
    command = [str(PYTHON), "-m", "hlvstudy.tooling.budget"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True)
    return float(done.stdout)


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
    """Print the fewest processor seconds of several rounds: others on the machine make a round slower, never faster."""
    took = []
    for _ in range(ROUNDS):
        before = time.process_time()
        loop()
        took.append(time.process_time() - before)
    print(min(took))


if __name__ == "__main__":
    main()
