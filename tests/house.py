"""Count the house: `python -m tests.house` for what is here, `python -m tests.house 5dd240a` for an earlier revision.

A room is a file or folder seen from the folder above; an arrow is an import between two rooms; a floor is one more than
the highest room that is stood on. A circle is a set of files of which each imports, by way of others, every other.
Imports inside functions count like all others.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("annotations", "metaeval", "hlvstudy")
PLACES = ("annotations", "annotations.importing", "metaeval", "metaeval.analyses", "metaeval.figures", "metaeval.stats")
LOOSE = re.compile(r"(?:dict|Mapping)\[str, Any\]")
LOOSE_PLACES = ("metaeval/analyses", "metaeval/figures")
PAGES = "frontend/src/features/annotate"
EVERYWHERE = frozenset({"Meta", "Command"})
"""Names of classes that Django asks for."""
BEFORE = {
    "inside annotations": "38 rooms, 148 arrows, no number of floors",
    "inside annotations/importing": "32 rooms, 101 arrows, 6 floors",
    "inside metaeval": "14 rooms, 30 arrows, 6 floors",
    "inside metaeval/analyses": "59 rooms, 173 arrows, 7 floors",
    "inside metaeval/figures": "44 rooms, 119 arrows, 5 floors",
    "inside metaeval/stats": "30 rooms, 75 arrows, 6 floors",
    "inside frontend/src/features/annotate": "53 rooms",
    "circles of files": "3 (of 15, 6, 2 files)",
    "classes with one name": "19",
    "`dict[str, Any]` and `Mapping[str, Any]` in metaeval/analyses": "268",
    "`dict[str, Any]` and `Mapping[str, Any]` in metaeval/figures": "67",
}
"""The counts at 5dd240a, before the rooms had walls."""


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
        return sum(path.read_text(encoding="utf-8").count("\n") for path in self.files(place))

    def classes_named_twice(self) -> list[str]:
        """The names that more than one class of the house has."""
        trees = (ast.parse(path.read_text(encoding="utf-8")) for place in PACKAGES for path in self.files(place))
        names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
        return sorted(name for name, count in names.items() if count > 1 and name not in EVERYWHERE)

    def counted(self) -> Iterator[tuple[str, str]]:
        """What the documentation shows, line by line."""
        for package in PLACES:
            rooms = self.rooms(package)
            if rooms:
                floors = self.floors(package) or "no number of"
                words = f"{len(rooms)} rooms, {len(self.arrows(package))} arrows, {floors} floors"
                yield f"inside {package.replace('.', '/')}", words
        pages = self.folder / PAGES
        yield f"inside {PAGES}", f"{sum(1 for _ in pages.iterdir())} rooms" if pages.is_dir() else "absent"
        sizes = ", ".join(str(len(circle)) for circle in self.circles)
        yield "circles of files", f"{len(self.circles)}" + (f" (of {sizes} files)" if sizes else "")
        yield "classes with one name", str(len(self.classes_named_twice()))
        for place in LOOSE_PLACES:
            yield f"`dict[str, Any]` and `Mapping[str, Any]` in {place}", str(self.loose(place))
        for place in PACKAGES:
            yield f"size of {place}", f"{len(self.files(place))} files, {self.lines(place):,} lines"


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
    archive = subprocess.run(
        ["git", "archive", revision, *PACKAGES, PAGES], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as content:
        content.extractall(folder, filter="data")
    return House(folder)


def page(house: House) -> str:
    """docs/reference/house.md: the counts now, beside those of the day before the rooms had walls."""
    lines = [
        "# Counts of the house",
        "",
        "Written by `make reference`; a test says when it is no longer true. A room is a file or folder seen from",
        "above, an arrow an import between two rooms, a floor one more than the highest room that is stood on, a",
        "circle a set of files that import each other. `python -m tests.house COMMIT` counts an earlier house.",
        "",
        "| what | at 5dd240a | now |",
        "|---|---|---|",
        *(f"| {what} | {BEFORE[what]} | {count} |" for what, count in house.counted() if what in BEFORE),
    ]
    return "\n".join(lines) + "\n"


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
