"""What a study's experts read, in every version that answers refer to."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

from annotations.models import Study


def versions_read(study: Study) -> list[dict[str, Any]]:
    """The versions, oldest first. One query."""
    return [
        {
            "number": version.number,
            "app": version.app,
            "sha256": version.sha256,
            "created_at": version.created_at.astimezone(UTC).isoformat(timespec="microseconds"),
            # PostgreSQL keeps the names of an object in an order of its own, and a study may move between databases.
            "content": json.loads(json.dumps(version.content, sort_keys=True)),
        }
        for version in study.instrument_versions.order_by("number")
    ]


def as_json(versions: list[dict[str, Any]]) -> bytes:
    """The versions as a file."""
    return (json.dumps(versions, ensure_ascii=False, indent=2) + "\n").encode()
