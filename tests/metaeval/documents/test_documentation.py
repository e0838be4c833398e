"""`docs/results.md` says what a verification can say."""

from metaeval.bundles.verifying import Equality
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


def test_every_verdict_is_documented():
    for verdict in Equality:
        assert f"| `{verdict}` |" in PAGE
