"""The cited works behind the analyses (texts/references.json), found in the text by author and year."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path


@cache
def works() -> dict[str, str]:
    """Every work by its key: authors and year, as cited in texts (with or without parentheses around the year)."""
    file = Path(__file__).parent / "texts" / "references.json"
    return dict(json.loads(file.read_text(encoding="utf-8")))


def cited(text: str) -> list[str]:
    """The works that a text cites, in order of their keys.

    >>> [work[:20] for work in cited("by Holm (1979), and see Cohen 1960")]
    ['Cohen, J. (1960). A ', 'Holm, S. (1979). A s']
    """
    plain = re.sub(r"[()]", "", " ".join(text.split()))
    return [work for key, work in sorted(works().items()) if key in plain]
