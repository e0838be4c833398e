"""Which tests are asked about a mutant, and in which order."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .mutants import Mutant
from .targets import ROOT

# So long would the tests that are asked about one mutant take without it; what else reaches it is not asked.
MOST_SECONDS = 40


@dataclass(frozen=True)
class Reach:
    """What the plugin `reaching` found: of every test what came of it, and the lines that it ran of each file."""

    found: Sequence[Mapping[str, Any]]

    @cached_property
    def seconds(self) -> dict[str, float]:
        """The tests that can be asked, with the time that each takes."""
        return {one["test"]: one["seconds"] for one in self._tests if one["outcome"] == "passed"}

    @cached_property
    def failed(self) -> dict[str, str]:
        """The tests that cannot be asked: they fail, or take too long, with compiled loops switched off."""
        return {one["test"]: one["why"] for one in self._tests if one["outcome"] == "failed"}

    @cached_property
    def emptying(self) -> set[str]:
        """The tests after which the database is empty."""
        return {one["test"] for one in self._tests if one["empties"]}

    @cached_property
    def _tests(self) -> list[Mapping[str, Any]]:
        return [one for one in self.found if one["test"]]

    @cached_property
    def _by_line(self) -> dict[str, dict[int, set[str]]]:
        """The tests that run each line of each file; \"\" stands for the import of modules."""
        found: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for one in self.found:
            if one["test"] in self.seconds or not one["test"]:
                for file, lines in one["lines"].items():
                    for line in lines:
                        found[file][line].add(one["test"])
        return found

    def tests(self, path: Path, lines: Iterable[int] | None = None) -> set[str]:
        """The tests that run any of these lines of a file, or any at all."""
        by_line = self._by_line[str(ROOT / path)]
        return {test for line in (by_line if lines is None else lines) for test in by_line.get(line, ())} - {""}

    def is_at_import(self, path: Path, lines: Iterable[int]) -> bool:
        """Whether any of these lines runs while modules are imported."""
        by_line = self._by_line[str(ROOT / path)]
        return any("" in by_line.get(line, ()) for line in lines)


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
    lines = mutant.place.lines
    at_import = not mutant.place.in_function or reach.is_at_import(mutant.path, lines)
    tests = reach.tests(mutant.path, None if at_import else lines)
    if at_import and not tests:
        tests = {test for path in importers(mutant.path, files) for test in reach.tests(path)}
    return Choice(in_order(tests, reach), at_import)


def in_order(tests: Iterable[str], reach: Reach) -> list[str]:
    """The quickest tests, as many as there is time for; one of each file, then a second one of each, and so on.

    Different files ask different questions; tests of one file often ask the same with other numbers. Those that
    empty the database come last.
    """
    chosen: dict[str, list[str]] = defaultdict(list)
    spent = 0.0
    for name in sorted(tests, key=lambda one: (reach.seconds[one], one)):
        spent += reach.seconds[name]
        if chosen and spent > MOST_SECONDS:
            break
        chosen[name.split("::")[0]].append(name)
    turns = [(place, reach.seconds[name], name) for names in chosen.values() for place, name in enumerate(names)]
    return sorted((name for _, _, name in sorted(turns)), key=lambda name: name in reach.emptying)


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
