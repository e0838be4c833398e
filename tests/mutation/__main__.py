"""`make mutants`: break the code on purpose, a little at a time; does a test notice? (tests/mutation/README.md)."""

import argparse
import json
import sys
from collections.abc import Sequence

from .remembering import read
from .report import as_markdown, score
from .surveying import survey
from .targets import ROOT, TARGETS

RESULTS = ROOT / ".state" / "mutants"


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    scores: dict[str, float] = {}
    RESULTS.mkdir(parents=True, exist_ok=True)
    for name in options.targets or TARGETS:
        print(f"{name}:", flush=True)
        kept = RESULTS / f"{name}.json"
        found = survey(
            TARGETS[name], size=options.sample, seed=options.seed, jobs=options.jobs,
            kept=RESULTS / "reach", say=lambda text: print(f"  {text}", flush=True), earlier=read(kept),
        )  # fmt: skip
        kept.write_text(json.dumps(found, indent=1))
        (RESULTS / f"{name}.md").write_text(as_markdown(name, found))
        scores[name] = score(found["mutants"])
        print(f"  {scores[name]:.1%} killed in {found['seconds']} s; survivors: {RESULTS / name}.md", flush=True)
    missed = [name for name, share in scores.items() if share < options.least]
    if missed:
        print(f"Fewer than {options.least:.0%} killed: {', '.join(missed)}")
    return 1 if missed else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; without one: all")
    parser.add_argument("--sample", type=int, default=200, help="so many mutants of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="so many processes side by side")
    parser.add_argument("--least", type=float, default=0.85, help="the share that must be killed")
    options = parser.parse_args(arguments)
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
