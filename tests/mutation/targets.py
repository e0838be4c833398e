"""Which code is mutated, and which tests are asked: the one table to change when files move."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Target:
    """A package to break, as globs below the project's folder; `glob::Class*` takes only classes of such names.

    `tests` are arguments of pytest. Packages that name the same ones share the run that finds what these reach.
    A test that computes for longer than `longest` seconds, with compiled loops off, is not asked: it would be for
    every mutant.
    """

    files: tuple[str, ...]
    tests: tuple[str, ...]
    longest: float = 8

    def paths(self, root: Path = ROOT) -> dict[Path, str | None]:
        """Every file, relative to the root, with the pattern of its classes (None: all of it), in order of names."""
        found: dict[Path, str | None] = {}
        for entry in self.files:
            glob, _, classes = entry.partition("::")
            for path in sorted(root.glob(glob)):
                found.setdefault(path.relative_to(root), classes or None)
        return dict(sorted(found.items()))


COLLECTING = (
    "tests/annotations",
    "tests/metaeval/api",
    "annotations/designing",
    "--ignore=tests/annotations/importing",
    "--ignore=tests/annotations/exporting",
)
TARGETS = {
    "answering": Target(files=("annotations/answering/*.py",), tests=COLLECTING, longest=20),
    "designing": Target(files=("annotations/designing/*.py",), tests=COLLECTING, longest=20),
    "permissions": Target(
        files=(
            "annotations/api/people/authentication.py",
            "annotations/api/views.py",
            "metaeval/api/access.py",
            "annotations/models/*.py::*QuerySet",
            "metaeval/jobs/models.py::*QuerySet",
            "metaeval/documents/models.py::*QuerySet",
        ),
        tests=COLLECTING,
        longest=20,
    ),
    "stats": Target(
        files=("metaeval/stats/**/*.py",),
        tests=("tests/metaeval/stats", "metaeval/stats", "tests/metaeval/test_randomness.py"),
    ),
    "metrics": Target(
        files=("metaeval/metrics/**/*.py",),
        tests=("tests/metaeval/metrics", "metaeval/metrics"),
    ),
}
