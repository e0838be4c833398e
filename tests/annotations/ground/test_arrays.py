"""The kinds of arrays have one name each in the whole house."""

from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_kinds_of_arrays_are_named_in_one_place():
    packages = (ROOT / name for name in ("annotations", "metaeval", "hlvstudy"))
    naming = {
        path.relative_to(ROOT) for folder in packages for path in folder.rglob("*.py") if "NDArray[" in path.read_text()
    }
    assert naming == {Path("annotations/ground/arrays.py")}
