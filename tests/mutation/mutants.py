"""Every mutant of some files, and a seeded sample of them. Cosmic Ray's operators make them, and three of our own."""

import ast
import difflib
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

from .operators import OPERATORS
from .places import Place, Source

# Identity is exchanged with its opposite only: of enumerations and small numbers it says what equality says.
IDENTITY = {"Is", "IsNot"}


@dataclass(frozen=True)
class Mutant:
    """One fault at one place: the operator that makes it, and which of its occurrences in the file."""

    path: Path
    line: int
    column: int
    operator: str
    occurrence: int
    place: Place

    @property
    def family(self) -> str:
        """What is done there, whatever is put in: of `<` to `<=`, `==` or `>` the sample takes one first."""
        return self.operator.split("_")[0]

    def mutated(self, text: str) -> str | None:
        """The file's text with the fault in it; None where that is no program, or the same one."""
        code: str | None = mutate_code(text, _operators()[self.operator](), self.occurrence)
        try:
            same = code is None or ast.dump(ast.parse(code)) == ast.dump(ast.parse(text))
        except SyntaxError:
            return None
        return None if same else code


def diff(path: Path, before: str, after: str) -> str:
    """The change, as a patch says it."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=1)
    return "\n".join(lines)


def mutants_of(path: Path, source: Source) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its text."""
    counts: dict[str, int] = defaultdict(int)
    operators = {name: make() for name, make in _operators().items()}
    for node in ast_nodes(get_ast(source.text)):
        for name, operator in operators.items():
            for first, _ in operator.mutation_positions(node):
                occurrence, counts[name] = counts[name], counts[name] + 1
                if not source.is_left_out(first):
                    yield Mutant(path, *first, name, occurrence, source.place(first))


def sample(sources: Mapping[Path, Source], size: int, seed: int) -> list[tuple[Mutant, str]]:
    """So many mutants with their text, drawn so that no place counts twice while another has not counted once.

    A larger sample with the same seed begins with the smaller one.
    """
    generator = random.Random(seed)
    at: dict[tuple[Path, int, int, str], list[Mutant]] = defaultdict(list)
    for path, source in sources.items():
        for mutant in mutants_of(path, source):
            at[path, mutant.line, mutant.column, mutant.family].append(mutant)
    places = list(at.values())
    for place in places:
        generator.shuffle(place)
    generator.shuffle(places)
    drawn: list[tuple[Mutant, str]] = []
    seen: set[tuple[Path, str]] = set()
    for mutant in (one for turn in zip_longest(*places) for one in turn if one is not None):
        if len(drawn) == size:
            break
        text = mutant.mutated(sources[mutant.path].text)
        if text is not None and (mutant.path, text) not in seen:
            seen.add((mutant.path, text))
            drawn.append((mutant, text))
    return drawn


@lru_cache
def _operators() -> dict[str, type[Operator]]:
    """Those that need no arguments, without the exchanges that change nothing."""
    theirs = {name.split("/")[-1]: get_operator(name) for name in operator_names()}
    names = (name for name, one in theirs.items() if not one.arguments() and not _is_chance(name))
    return {**{name: theirs[name] for name in names}, **OPERATORS}


def _is_chance(name: str) -> bool:
    """Whether an operator puts identity for another comparison, or the reverse."""
    family, *parts = name.split("_")
    return family == "ReplaceComparisonOperator" and len(IDENTITY.intersection(parts)) == 1


def as_json(mutant: Mutant, text: str, before: str) -> dict[str, Any]:
    """What the processes that try it, and the report, need to know of it."""
    return {
        "file": str(mutant.path),
        "line": mutant.line,
        "column": mutant.column,
        "operator": mutant.operator,
        "diff": diff(mutant.path, before, text),
    }
