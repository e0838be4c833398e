"""What cannot be compared: the cost of compiling, and CPU time."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

TIMED = """
import time
{prepare}
start = time.process_time()
{work}
print(time.process_time() - start)
"""


def compiling(prepare: str, work: str) -> str:
    """A sentence, in seconds of CPU: the first call with an empty cache, and the first call of a later process."""
    with tempfile.TemporaryDirectory(prefix="hlvstudy-bench-") as cache:
        first, later = (_first_call(prepare, work, cache) for _ in range(2))
    return f"First call: {first:.1f} s of CPU when nothing is compiled yet, {later:.2f} s in a later process (cached)"


def cpu_seconds(run: Callable[[], object]) -> float:
    """CPU time of one call: unlike the wall's, it does not depend on what else the machine does."""
    start = time.process_time()
    run()
    return time.process_time() - start


def _first_call(prepare: str, work: str, cache: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(prepare=prepare, work=work)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
    )
    return float(done.stdout)
