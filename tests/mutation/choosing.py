"""Which tests are asked about a mutant, and in which order."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .mutants import Mutant
from .targets import ROOT

# So long would the tests that are asked about one mutant take without it; what else reaches it is not asked.
MOST_SECONDS = 90


@dataclass(frozen=True)
class Reach:
    """What the plugin `reaching` found: every test, and the contexts in which each line of each file ran."""

    tests: Mapping[str, Mapping[str, Any]]
    lines: Mapping[str, Mapping[str, list[str]]]

    @cached_property
    def seconds(self) -> dict[str, float]:
        """The tests that can be asked, with the time that each takes."""
        return {name: max(one["seconds"], one["lasted"]) for name, one in self.tests.items() if one["passed"]}

    @cached_property
    def failed(self) -> dict[str, str]:
        """The tests that cannot be asked: they fail, or take too long, with compiled loops switched off."""
        return {name: one["why"] for name, one in self.tests.items() if not one["passed"] and one["why"] != "skipped"}

    @cached_property
    def _tests_of(self) -> dict[str, set[str]]:
        """The tests of each context: itself, or all that share a fixture."""
        found: dict[str, set[str]] = defaultdict(set)
        for name in self.seconds:
            for context in (name, *self.tests[name]["fixtures"]):
                found[context].add(name)
        return found

    def contexts(self, path: Path, lines: Iterable[int]) -> set[str]:
        ran = self.lines.get(str(ROOT / path), {})
        return {context for line in lines for context in ran.get(str(line), [])}

    def tests_of(self, contexts: Iterable[str]) -> set[str]:
        return {name for context in contexts for name in self._tests_of[context]}

    def tests_of_file(self, path: Path) -> set[str]:
        return self.tests_of(context for one in self.lines.get(str(ROOT / path), {}).values() for context in one)


@dataclass(frozen=True)
class Choice:
    """The tests to ask, and whether the module must be imported with the fault (its line runs at import)."""

    tests: list[str]
    at_import: bool


def choose(mutant: Mutant, reach: Reach, files: Iterable[Path]) -> Choice:
    """The tests that run the mutant's statement.

    What runs at import shows in whatever uses the module: the tests that run any line of it, or, if it has
    nothing to run, of the modules that import it.
    """
    contexts = reach.contexts(mutant.path, mutant.place.lines)
    at_import = not mutant.place.in_function or "" in contexts
    tests = reach.tests_of(contexts)
    if at_import:
        tests |= reach.tests_of_file(mutant.path)
        if not tests:
            tests = {test for path in importers(mutant.path, files) for test in reach.tests_of_file(path)}
    return Choice(in_order(tests, reach), at_import)


def in_order(tests: Iterable[str], reach: Reach) -> list[str]:
    """The quickest of each file of tests, then the second quickest of each, and so on, for a while.

    Different files ask different questions; tests of one file often ask the same with other numbers. Those that
    empty the database come last.
    """
    by_file: dict[str, list[str]] = defaultdict(list)
    for name in sorted(tests, key=lambda one: (reach.seconds[one], one)):
        by_file[name.split("::")[0]].append(name)
    turns = [(place, reach.seconds[name], name) for names in by_file.values() for place, name in enumerate(names)]
    chosen: list[str] = []
    spent = 0.0
    for _, seconds, name in sorted(turns):
        if chosen and spent + seconds > MOST_SECONDS:
            continue
        spent += seconds
        chosen.append(name)
    return sorted(chosen, key=lambda name: reach.tests[name]["empties"])


def importers(path: Path, files: Iterable[Path]) -> list[Path]:
    """The files that import a module by its name, of those given."""
    names = {module_name(path).split(".")[-1]}
    return [other for other in files if other != path and names & _imported(other)]


def _imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.ImportFrom):
            found |= {(node.module or "").split(".")[-1], *(one.name for one in node.names)}
        elif isinstance(node, ast.Import):
            found |= {one.name.split(".")[-1] for one in node.names}
    return found


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
