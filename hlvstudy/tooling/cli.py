"""The Makefile's single entry point: `python3 hlvstudy/tooling/cli.py demo|test|check|...`.

It runs on the machine's own Python with nothing installed, so it imports only the standard library.
"""

import sys
from collections.abc import Callable
from pathlib import Path

MINIMUM = (3, 11)


def main() -> int:
    if sys.version_info < MINIMUM:
        have = ".".join(map(str, sys.version_info[:3]))
        print(f"HLV Study needs Python 3.11 or newer, and this is {have}. Try: make {sys.argv[1]} PYTHON=python3.11")
        return 1
    # Instead of this folder, whose modules must not be importable by their bare names.
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    from hlvstudy.program.steps import Trouble
    from hlvstudy.tooling import auditing, budget, checking, prepare, testing

    commands: dict[str, Callable[[list[str]], int]] = {
        "demo": prepare.demo,
        "test": testing.main,
        "test-long": testing.main_long,
        "budget": budget.renew,
        "check": checking.main,
        "audit": auditing.main,
        "frontend": prepare.main,
        "schema": prepare.schema,
        "training": prepare.training,
        "release-check": checking.release,
        "run": prepare.run,
    }
    try:
        return commands[sys.argv[1]](sys.argv[2:])
    except Trouble as trouble:
        print(f"\n{trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
