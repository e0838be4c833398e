"""What an erasure did: how many rows of each model went, and which files must follow."""

from __future__ import annotations

from typing import Any


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
        _, deleted = rows.delete()
        for model, number in deleted.items():
            self.add(model, number)
