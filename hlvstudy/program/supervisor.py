"""`python -m hlvstudy.program.supervisor MODULE ...`: run a server that ends when the program that started it ends.

The program that starts it keeps the other end of its standard input. When that program ends, even if it is killed, the
system closes that end, and the server is asked to stop. This works wherever pipes do, including macOS, and without
looking at process ids, which are reused.
"""

import os
import runpy
import signal
import sys
import threading
import time

STOP_SECONDS = 15
"""How long a server may take to finish what it has begun, before it is killed with everything it started."""


def main() -> None:
    threading.Thread(target=_follow, args=(sys.stdin.fileno(),), name="supervisor", daemon=True).start()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _follow(line: int) -> None:
    """Wait until nobody holds the other end any more; then stop this process and everything it started."""
    while os.read(line, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    if os.getpgrp() == os.getpid():  # its own group, as `serving` starts it
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
