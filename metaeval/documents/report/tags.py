"""What the report's template needs beside Django's own tags."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django import template

from metaeval.analyses.base.table import Table
from metaeval.documents.report.tabling import table_parts

register = template.Library()
LONG = 40
"""Rows of a table that is folded on a screen."""


@register.inclusion_tag("table.html", takes_context=True)
def result_table(context: template.Context, table: Table) -> dict[str, object]:
    """A result's table as HTML; on a screen a long one is folded."""
    rows = len(table.rows)
    return {"parts": table_parts(table), "rows": rows, "folded": rows > LONG and not context["printed"]}


@register.filter
def moment(at: datetime | None) -> str:
    """A time in UTC.

    >>> moment(datetime(2026, 11, 20, 12, 5, tzinfo=UTC)), moment(None)
    ('20 November 2026, 12:05 UTC', '–')
    """
    return f"{at.astimezone(UTC):%-d %B %Y, %H:%M} UTC" if at else "–"


@register.filter
def shown(value: Any) -> str:
    """A fact of any kind."""
    return moment(value) if value is None or isinstance(value, datetime) else str(value)
