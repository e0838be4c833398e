"""All migrations of `annotations`, and those of this folder."""

import annotations.migrations

__path__ = [*__path__, *annotations.migrations.__path__]
