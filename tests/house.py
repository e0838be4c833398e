"""Count the house: `python -m tests.house` for what is here, `python -m tests.house 46eb6012` for an earlier revision.

A room is a file or folder seen from the folder above; an arrow is an import between two rooms; a floor is one more than
the highest room that is stood on. A circle is a set of files of which each imports, by way of others, every other.
Imports inside functions count like all others. Test_acts.py counts what an act executes.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import grimp

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("annotations", "metaeval", "hlvstudy")
PLACES = (
    "annotations",
    "annotations.people",
    "annotations.answering",
    "annotations.importing",
    "metaeval",
    "metaeval.analyses",
)
LOOSE = re.compile(r"(?:dict|Mapping)\[str, Any\]")
LOOSE_PLACES = ("metaeval/analyses", "metaeval/figures")
EVERYWHERE = frozenset({"Meta", "Command"})
"""Names of classes that Django asks for."""
BEFORE = {
    "inside annotations": "47 rooms, 199 arrows, 10 floors",
    "inside annotations/people": "31 rooms, 51 arrows, 6 floors",
    "inside annotations/answering": "18 rooms, 33 arrows, 6 floors",
    "inside annotations/importing": "12 rooms, 28 arrows, 7 floors",
    "inside metaeval": "28 rooms, 73 arrows, 8 floors",
    "inside metaeval/analyses": "13 rooms, 25 arrows, 5 floors",
    "flat files of annotations": "34",
    "files that exactly one other imports": "311 files, 35,230 lines",
    "circles of files": "0",
    "classes with one name": "0",
    "`dict[str, Any]` and `Mapping[str, Any]` in metaeval/analyses": "3",
    "`dict[str, Any]` and `Mapping[str, Any]` in metaeval/figures": "3",
    "size of annotations": "405 files, 47,634 lines",
    "size of metaeval": "598 files, 65,077 lines",
    "size of hlvstudy": "70 files, 7,620 lines",
    "lines of the product without migrations": "120,331 lines",
}
"""The counts at 46eb6012, by `python -m tests.house 46eb6012`."""


class Executed(NamedTuple):
    """In how many files of the product an act calls a function, and how many functions it calls."""

    files: int
    functions: int


@dataclass(frozen=True)
class Act:
    """What an act executed at 46eb6012, and what it may execute now. A line that raises `most` says what for."""

    before: Executed
    most: Executed


ACTS = {
    "analysis: preference correlation": Act(Executed(86, 632), most=Executed(60, 591)),
    "analysis: study quality": Act(Executed(67, 371), most=Executed(41, 351)),
    "analysis: agreement": Act(Executed(59, 366), most=Executed(41, 368)),
    "analysis: method ranking": Act(Executed(48, 269), most=Executed(37, 269)),
    "labels": Act(Executed(39, 120), most=Executed(26, 118)),
    "preference": Act(Executed(34, 92), most=Executed(22, 91)),
    "erasure of a person": Act(Executed(26, 88), most=Executed(17, 81)),
    "CSV export": Act(Executed(21, 114), most=Executed(17, 114)),
    "import": Act(Executed(48, 240), most=Executed(31, 221)),
    "training, without its fits": Act(Executed(35, 187), most=Executed(26, 189)),
}


@dataclass(frozen=True)
class House:
    """The code below a folder."""

    folder: Path

    @cached_property
    def graph(self) -> grimp.ImportGraph:
        sys.path.insert(0, str(self.folder))
        try:
            return grimp.build_graph(*PACKAGES, cache_dir=None)
        finally:
            sys.path.remove(str(self.folder))

    def files(self, place: str) -> list[Path]:
        return [path for path in sorted((self.folder / place).rglob("*.py")) if "migrations" not in path.parts]

    def rooms(self, package: str) -> list[str]:
        if package not in self.graph.modules:
            return []
        return sorted(child for child in self.graph.find_children(package) if not child.endswith(".migrations"))

    def arrows(self, package: str) -> set[tuple[str, str]]:
        """Which room of a package imports which other."""
        rooms = self.rooms(package)
        room_of = {module: room for room in rooms for module in {room, *self.graph.find_descendants(room)}}
        return {
            (room_of[importer], room_of[imported])
            for importer in room_of
            for imported in self.graph.find_modules_directly_imported_by(importer)
            if imported in room_of and room_of[imported] != room_of[importer]
        }

    def floors(self, package: str) -> int:
        """How many floors the rooms take; 0 where some of them stand on each other."""
        arrows, rooms = self.arrows(package), self.rooms(package)
        floor = dict.fromkeys(rooms, 1)
        for _ in rooms:
            raised = {a: floor[b] + 1 for a, b in sorted(arrows) if floor[a] <= floor[b]}
            if not raised:
                return max(floor.values(), default=0)
            floor |= raised
        return 0

    @cached_property
    def circles(self) -> list[list[str]]:
        """The sets of files that import each other, the largest first."""
        imports = {module: self.graph.find_modules_directly_imported_by(module) for module in self.graph.modules}
        reach = {module: _reached(module, imports) for module in imports}
        circles = {
            tuple(sorted(other for other in reached if module in reach[other]))
            for module, reached in reach.items()
            if module in reached
        }
        return sorted(map(list, circles), key=len, reverse=True)

    def loose(self, place: str) -> int:
        """How often a place says that a dictionary holds anything."""
        return sum(len(LOOSE.findall(path.read_text(encoding="utf-8"))) for path in self.files(place))

    def lines(self, place: str) -> int:
        return sum(map(_lines, self.files(place)))

    @cached_property
    def with_one_importer(self) -> list[Path]:
        """The files that exactly one other file imports."""
        return [
            self.folder.joinpath(*module.split(".")).with_suffix(".py")
            for module in sorted(self.graph.modules)
            if len(self.graph.find_modules_that_directly_import(module)) == 1
            and not self.graph.find_children(module)
            and ".migrations." not in module
        ]

    def classes_named_twice(self) -> list[str]:
        """The names that more than one class of the house has."""
        trees = (ast.parse(path.read_text(encoding="utf-8")) for place in PACKAGES for path in self.files(place))
        names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
        return sorted(name for name, count in names.items() if count > 1 and name not in EVERYWHERE)

    def counted(self) -> Iterator[tuple[str, str]]:
        """What the documentation shows, line by line."""
        for package in PLACES:
            if self.rooms(package):
                floors = self.floors(package) or "no number of"
                words = f"{len(self.rooms(package))} rooms, {len(self.arrows(package))} arrows, {floors} floors"
                yield f"inside {package.replace('.', '/')}", words
        yield "flat files of annotations", str(len(list((self.folder / "annotations").glob("[!_]*.py"))))
        lines = sum(map(_lines, self.with_one_importer))
        yield "files that exactly one other imports", f"{len(self.with_one_importer)} files, {lines:,} lines"
        sizes = ", ".join(str(len(circle)) for circle in self.circles)
        yield "circles of files", f"{len(self.circles)}" + (f" (of {sizes} files)" if sizes else "")
        yield "classes with one name", str(len(self.classes_named_twice()))
        for place in LOOSE_PLACES:
            yield f"`dict[str, Any]` and `Mapping[str, Any]` in {place}", str(self.loose(place))
        for place in PACKAGES:
            yield f"size of {place}", f"{len(self.files(place))} files, {self.lines(place):,} lines"
        yield "lines of the product without migrations", f"{sum(map(self.lines, PACKAGES)):,} lines"


class Profile:
    """Notes which functions of the product are called in its `with` block, in this thread and in those it starts.

    Bodies of modules and classes are no functions, and what they call at an import does not count.
    """

    def __init__(self) -> None:
        self._called: set[CodeType] = set()
        self._importing = threading.local()

    def __enter__(self) -> Profile:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    @property
    def executed(self) -> Executed:
        folders = tuple(f"{ROOT / package}/" for package in PACKAGES)
        functions = [code for code in self._called if code.co_filename.startswith(folders)]
        return Executed(len({code.co_filename for code in functions}), len(functions))

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        depth = getattr(self._importing, "depth", 0)
        if event == "call" and code.co_flags & inspect.CO_OPTIMIZED:
            if not depth:
                self._called.add(code)
        elif event in {"call", "return"} and not code.co_flags & inspect.CO_OPTIMIZED:
            self._importing.depth = depth + (1 if event == "call" else -1)


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def _reached(start: str, imports: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for module in imports[waiting.pop()] - reached:
            reached.add(module)
            waiting.append(module)
    return reached


def earlier(revision: str, folder: Path) -> House:
    """The house as it was at a revision, unpacked into a folder."""
    archive = subprocess.run(["git", "archive", revision, *PACKAGES], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as content:
        content.extractall(folder, filter="data")
    return House(folder)


def page(house: House) -> str:
    """docs/reference/house.md: the counts now, beside those of an earlier day."""
    lines = [
        "# Counts of the house",
        "",
        "Written by `make reference`; a test says when it is no longer true. A room is a file or folder seen from",
        "above, an arrow an import between two rooms, a floor one more than the highest room that is stood on, a",
        "circle a set of files that import each other. `python -m tests.house COMMIT` counts an earlier house.",
        "",
        "| what | at 46eb6012 | now |",
        "|---|---|---|",
        *(f"| {what} | {_rounded(BEFORE[what])} | {_rounded(count)} |" for what, count in house.counted()),
        "",
        "What an act executes, at most: files and functions of the product, imports left out (`tests/test_acts.py`).",
        "",
        "| act | at 46eb6012 | now |",
        "|---|---|---|",
        *(f"| {name} | {_in_words(act.before)} | {_in_words(act.most)} |" for name, act in ACTS.items()),
    ]
    return "\n".join(lines) + "\n"


def _rounded(count: str) -> str:
    """Lines in thousands, so that not every change is one of the page."""
    return re.sub(r"([\d,]+) lines", lambda match: f"{int(match[1].replace(',', '')) / 1000:.0f} thousand lines", count)


def _in_words(executed: Executed) -> str:
    return f"{executed.files} files, {executed.functions} functions"


def main(revisions: list[str]) -> None:
    if revisions == ["--page"]:
        sys.stdout.write(page(House(ROOT)))
        return
    with tempfile.TemporaryDirectory() as folder:
        house = earlier(revisions[0], Path(folder)) if revisions else House(ROOT)
        for what, count in house.counted():
            sys.stdout.write(f"{what}: {count}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
