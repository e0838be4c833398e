"""The bundle that an earlier version made is still verified.

Each folder of `tests/fixtures` that is named for a commit holds what that commit made; its README.md says how.
"""

import re
import zipfile
from pathlib import Path

import pytest

from metaeval.bundles.verifying import HOLDS, verify

MADE = [
    path for path in sorted((Path(__file__).parent / "fixtures").iterdir()) if re.fullmatch("[0-9a-f]{7}", path.name)
]
LAST_DIGITS = 1e-9
"""The fixtures were made on one processor; on another one sums and logarithms end in other digits (docs/results.md)."""


@pytest.mark.parametrize("made", MADE, ids=lambda folder: folder.name)
def test_its_bundle_is_verified_without_a_database(made: Path) -> None:
    found = verify(made / "bundle.zip", tolerance=LAST_DIGITS)
    unexplained = [one for one in found if one.verdict not in HOLDS]
    assert [(one.what, one.details) for one in unexplained] == []
    with zipfile.ZipFile(made / "bundle.zip") as archive:
        results = [name for name in archive.namelist() if name.startswith("results/")]
    assert [one.what for one in found[4:]] == results
    assert len(results) >= 8
