"""A sample of a target's mutants, tried: from the table of targets to what became of each."""

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import remembering
from .choosing import Reach, choose
from .mutants import as_json, sample
from .places import Source
from .remembering import Found
from .targets import ROOT, TARGETS, Target
from .trying import Trial, find_reach, make_template, state, try_imported, try_swapped


def survey(
    target: Target, *, size: int, seed: int, jobs: int, kept: Path, say: Callable[[str], None], earlier: Found
) -> Found:
    """Try a seeded sample; what the run without mutants finds is kept in the folder `kept`.

    `earlier` is what this found before, or nothing: what still holds of it is not tried again.
    """
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
        results = [
            {"id": trial.id, **as_json(mutant, trial.after, trial.before), "asked": len(trial.tests),
             "at_import": trial.at_import}
            for trial, (mutant, _) in zip(trials, drawn, strict=True)
        ]  # fmt: skip
        answers = remembering.still_killed(earlier, target, results)
        if answers:
            say(f"{len(answers)} of them killed before, by tests that have not changed since")
        answers |= _tried(template, [one for one in trials if one.id not in answers], reach, target, jobs)
    return {
        "seed": seed,
        "sample": size,
        "seconds": round(time.monotonic() - started),
        "code": remembering.code(),
        "tests": remembering.test_files(target),
        "not_asked": reach.failed,
        "mutants": [{**answers[one["id"]], **one} for one in results],
    }


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
    """Which tests run which lines: found anew for files of tests that have changed, and for all when code has."""
    file = kept / f"{hashlib.sha256(repr(target.tests).encode()).hexdigest()[:12]}.json"
    known = remembering.read(file)
    same = remembering.unchanged(known, target)
    # Other targets that ask the same tests need no run of their own.
    alike = [one for one in (target, *TARGETS.values()) if one.tests == target.tests]
    files = sorted({path for one in alike for path in one.paths()})
    now = remembering.test_files(target)
    if same is None:
        found = list(find_reach(template, files, target, target.tests, jobs).found)
    else:
        found = [one for one in known["found"] if remembering.is_same(one["test"], same)]
        if new := sorted(now.keys() - same):
            again = find_reach(template, files, target, new, jobs).found
            found += [one for one in again if one["test"]]
    kept.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"code": remembering.code(), "tests": now, "found": found}))
    return Reach(found)
