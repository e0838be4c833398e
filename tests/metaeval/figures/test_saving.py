"""A picture has a printer's resolution, and no more pixels than a server should hold while somebody waits."""

import struct

import altair as alt
import pytest

from annotations.ground.bounds import RENDERED, TooMuchToRender
from metaeval.figures import saving
from metaeval.figures.saving import image


def dots(rows: int, name: str = "system") -> alt.Chart:
    values = [{"name": f"{name} {number}", "value": number / rows} for number in range(rows)]
    marks = alt.Chart(alt.Data(values=values)).mark_point().encode(x="value:Q", y="name:N")
    chart: alt.Chart = marks.properties(width=200, height=alt.Step(20))
    return chart


def pixels(chart: alt.Chart) -> tuple[int, int]:
    content = image(chart, "png")
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def test_a_picture_of_the_usual_size_has_300_dots_to_an_inch() -> None:
    width, height = pixels(dots(10))
    points = saving.SIZE.search(image(dots(10), "svg").decode().replace('pt"', '"'))
    assert points
    assert width == pytest.approx(float(points[1]) * 300 / 72, abs=1)
    assert height == pytest.approx(float(points[2]) * 300 / 72, abs=1)


def test_a_chart_of_many_rows_becomes_a_coarser_picture_and_not_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 500_000
    monkeypatch.setattr(saving, "MOST_PIXELS", most)
    sizes = [pixels(dots(rows)) for rows in (100, 400)]
    for width, height in sizes:
        assert 0.95 * most < width * height < 1.01 * most
    assert sizes[1][1] / sizes[1][0] > sizes[0][1] / sizes[0][0]


@pytest.mark.parametrize("kind", sorted(saving.IMAGES))
def test_a_chart_with_too_many_words_is_refused_as_a_picture_and_says_what_there_is_instead(kind: str) -> None:
    many = dots(500, name="x" * (RENDERED["chart"].most_in // 500))
    with pytest.raises(TooMuchToRender, match="csv") as refusal:
        image(many, kind)
    assert refusal.value.data["given"] > refusal.value.data["most"] == RENDERED["chart"].most_in
    assert image(many, "csv").count(b"\n") == 501
