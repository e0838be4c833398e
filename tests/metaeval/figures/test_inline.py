"""Rows are included once, however often a chart is put into another."""

import altair as alt

from metaeval.figures.inline import InlineRows


def test_a_chart_of_charts_shares_the_rows_of_its_parts():
    rows = InlineRows(values=[{"x": 1}])
    point, other = alt.Chart(rows).mark_point().encode(x="x:Q"), alt.Chart(rows).mark_rule().encode(x="x:Q")
    layered = alt.layer(point, other).properties(title="Layers")
    assert alt.vconcat(layered).copy().data is rows


def test_they_are_written_like_any_rows():
    rows = [{"x": 1}, {"x": None}]
    ours, usual = (alt.Chart(kind(values=rows)).mark_point().to_dict() for kind in (InlineRows, alt.InlineData))
    assert ours["datasets"] == usual["datasets"]
