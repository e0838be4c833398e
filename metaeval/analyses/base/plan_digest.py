"""The SHA-256 of an analysis plan, which is stamped when a study opens and checked against in a bundle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence


def plan_digest(content: Sequence[Mapping[str, object]]) -> str:
    """SHA-256 of a plan as canonical JSON: sorted keys, no spaces, ASCII.

    >>> plan_digest([])[:12]
    '4f53cda18c2b'
    """
    text = json.dumps(list(content), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
