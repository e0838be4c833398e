"""The rows that charts are drawn from."""

import altair as alt
import pytest

from metaeval.figures.rows import InlineRows, number_of


def test_a_text_where_a_number_belongs_is_refused():
    with pytest.raises(TypeError, match=r"\bvalue is '0\.5'; "):
        number_of({"value": "0.5"}, "value")


def test_a_chart_of_charts_shares_the_rows_of_its_parts():
    rows = InlineRows(values=[{"x": 1}])
    point, other = alt.Chart(rows).mark_point().encode(x="x:Q"), alt.Chart(rows).mark_rule().encode(x="x:Q")
    layered = alt.layer(point, other).properties(title="Layers")
    assert alt.vconcat(layered).copy().data is rows


def test_they_are_written_like_any_rows():
    rows = [{"x": 1}, {"x": None}]
    ours, usual = (alt.Chart(kind(values=rows)).mark_point().to_dict() for kind in (InlineRows, alt.InlineData))
    assert ours["datasets"] == usual["datasets"]
