"""The rows that a chart brings along, in its own specification."""

from __future__ import annotations

import altair as alt


class InlineRows(alt.InlineData):
    """Rows that copies of a chart share, since nothing changes them.

    Altair copies a chart whenever it is put into another one, with all rows of all its layers: of a scatter with 200
    systems that was nine tenths of the time.
    """

    def __deepcopy__(self, memo: object = None) -> InlineRows:
        return self
