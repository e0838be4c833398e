"""A sample of a target's mutants, tried: from the table of targets to what became of each."""

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .choosing import Reach, choose
from .mutants import as_json, sample
from .places import Source
from .targets import ROOT, TARGETS, Target
from .trying import Trial, find_reach, make_template, state, try_imported, try_swapped

PACKAGES = ("annotations", "hlvstudy", "metaeval", "tests")


def survey(
    target: Target, *, size: int, seed: int, jobs: int, kept: Path, say: Callable[[str], None]
) -> dict[str, Any]:
    """Try a seeded sample; what the run without mutants finds is kept in the folder `kept`."""
    started = time.monotonic()
    paths = target.paths()
    sources = {path: Source((ROOT / path).read_text(), classes) for path, classes in paths.items()}
    drawn = sample(sources, size, seed)
    with state() as folder:
        template = make_template(folder)
        reach = _reach(target, template, kept, jobs)
        say(f"{len(drawn)} mutants, {len(reach.seconds)} tests to ask ({time.monotonic() - started:.0f} s)")
        trials = []
        for place, (mutant, after) in enumerate(drawn):
            choice = choose(mutant, reach, paths)
            trials.append(Trial(place, mutant.path, sources[mutant.path].text, after, choice.tests, choice.at_import))
        answers = _tried(template, trials, reach, target, jobs)
    results = [
        {"id": trial.id, **as_json(mutant, trial.after, trial.before), "asked": len(trial.tests),
         "at_import": trial.at_import, **answers[trial.id]}
        for trial, (mutant, _) in zip(trials, drawn, strict=True)
    ]  # fmt: skip
    seconds = round(time.monotonic() - started)
    return {"seed": seed, "sample": size, "seconds": seconds, "not_asked": reach.failed, "mutants": results}


def _tried(template: Path, trials: list[Trial], reach: Reach, target: Target, jobs: int) -> dict[int, dict[str, Any]]:
    """What became of each: no test reaches it, or it was tried in one of two ways."""
    answers: dict[int, dict[str, Any]] = {
        one.id: {"outcome": "survived", "why": "no test reaches it"} for one in trials if not one.tests
    }
    todo = [one for one in trials if one.tests and not one.at_import]
    swapped = try_swapped(template, todo, reach, target.tests, jobs)
    answers |= {place: answer for place, answer in swapped.items() if answer["outcome"] != "import"}
    rest = [one for one in trials if one.id not in answers]
    answers |= try_imported(template, rest, reach, jobs)
    return {place: {"why": "its tests pass", **answer} for place, answer in answers.items()}


def _reach(target: Target, template: Path, kept: Path, jobs: int) -> Reach:
    """Which tests run which lines: found anew when any Python file has changed."""
    state_of_files = _digest()
    file = kept / f"{hashlib.sha256(repr(target.tests).encode()).hexdigest()[:12]}.json"
    if file.is_file():
        known = json.loads(file.read_text())
        if known["files"] == state_of_files:
            return Reach(known["found"])
    # Other targets that ask the same tests need no run of their own.
    alike = [one for one in (target, *TARGETS.values()) if one.tests == target.tests]
    found = find_reach(template, sorted({path for one in alike for path in one.paths()}), target, jobs)
    kept.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"files": state_of_files, "found": found.found}))
    return found


def _digest() -> str:
    """One value for the state of all Python files but those of this tool."""
    found = hashlib.sha256()
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    for path in sorted(path for path in paths if Path(__file__).parent not in path.parents):
        found.update(str(path).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
