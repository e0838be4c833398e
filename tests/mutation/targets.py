"""Which code is mutated, and which tests are asked: the one table to change when files move."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Target:
    """A package to break, as globs below the project's folder; `glob::Class*` takes only classes of such names.

    `tests` are arguments of pytest. Packages that name the same ones share the run that finds what these reach.
    """

    files: tuple[str, ...]
    tests: tuple[str, ...]

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
    "annotations/planning",
    "--ignore=tests/annotations/importing",
    "--ignore=tests/annotations/exporting",
)
TARGETS = {
    "answering": Target(
        files=tuple(
            f"annotations/{name}.py"
            for name in (
                "assigning",
                "balancing",
                "recording",
                "labelling",
                "correcting",
                "guessing",
                "moderating",
                "progress",
            )
        ),
        tests=COLLECTING,
    ),
    "designing": Target(
        files=("annotations/planning/*.py", "annotations/lifecycle.py"),
        tests=COLLECTING,
    ),
    "permissions": Target(
        files=(
            "annotations/api/permissions.py",
            "annotations/api/token_authentication.py",
            "annotations/api/same_person.py",
            "annotations/api/signed_in.py",
            "metaeval/api/access.py",
            "annotations/models/*.py::*QuerySet",
            "metaeval/jobs/models.py::*QuerySet",
        ),
        tests=COLLECTING,
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
