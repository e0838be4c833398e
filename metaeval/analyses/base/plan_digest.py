"""The SHA-256 of an analysis plan: what is stamped when a study opens, and what a bundle is checked against."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


def plan_digest(content: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 of a plan as canonical JSON: sorted keys, no spaces, ASCII.

    >>> plan_digest([])[:12]
    '4f53cda18c2b'
    """
    text = json.dumps(list(content), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
