"""What an erasure did: how many rows of each model went, and which files must follow."""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt, AccessAttemptExpiration


class Counts:
    """Rows by model, and names of stored files."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.files: list[str] = []

    def add(self, model: str, number: int) -> None:
        """Count rows that were deleted or emptied."""
        if number:
            self.rows[model] = self.rows.get(model, 0) + number

    def delete(self, rows: Any) -> None:
        """Delete rows and count them, with those that go along."""
        if rows.model._meta.app_label == "axes":
            self.add(rows.model._meta.label, delete_attempts(rows))
            return
        _, deleted = rows.delete()
        for model, number in deleted.items():
            self.add(model, number)


def delete_attempts(rows: Any) -> int:
    """Delete failed sign-ins of django-axes without its signals, which our handler of sign-ins does not have."""
    if rows.model is AccessAttempt:
        AccessAttemptExpiration.objects.filter(access_attempt__in=rows).delete()
    return int(rows._raw_delete(rows.db))
