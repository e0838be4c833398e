"""The columns of tables that say which partition of the items, and which machine, a row is about."""

from __future__ import annotations

from metaeval.analyses.base.table import Column, Row, column
from metaeval.analyses.uncertainty.result import PartitionKind, PartitionOfItems

GROUPINGS: dict[PartitionKind, str] = {
    "all": "",
    "agreement": "Percentage agreement (PA)",
    "different_labels": "Different labels",
}


def partition_columns(*, with_machine: bool = True) -> list[Column]:
    """The columns of rows about a machine, or only about people."""
    return [
        *([column("machine", "Machine")] if with_machine else []),
        column("by", "By", detail=True),
        column("partition", "Partition"),
        column("items", "Items"),
        column("share", "of items", kind="share"),
    ]


def placed(row: PartitionOfItems) -> Row:
    """The partition's cells."""
    return {
        "by": GROUPINGS[row.grouping],
        "partition": "all items" if row.grouping == "all" else row.partition.replace("<=", "≤"),
        "items": row.items,
        "share": row.share,
    }
