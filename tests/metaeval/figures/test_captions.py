"""Every figure says what it shows: as a caption, for people who cannot see it, and as data."""

import csv
import io
from types import SimpleNamespace

import altair as alt
import pytest

from metaeval import figures
from metaeval.figures.captions import SIMULATED, name_in_words, with_words
from metaeval.figures.registry import figures as registry
from metaeval.figures.style import heading, styled

ONE, SCREEN = figures.SIZES["one"], figures.SIZES["screen"]


def panel(name="A", value=0.5, **properties):
    rows = [{"name": name, "value": value, "colour": "grey"}]
    chart = alt.Chart(alt.InlineData(values=rows)).mark_point()
    return chart.encode(x=alt.X("value:Q", title="Share"), tooltip=["name:N", "value:Q"]).properties(**properties)


def finished(chart, *, size=ONE, is_simulated=False):
    return with_words(chart, name="example_bars-2-b", size=size, is_simulated=is_simulated)


def test_the_caption_is_title_and_notes_and_every_note_ends():
    chart = styled(panel().properties(title=heading("How far people agree", ["One", "Two."], size=ONE)), ONE)
    assert figures.words_of(finished(chart)).caption == "How far people agree. One. Two."


def test_a_figure_without_a_title_is_called_by_its_name():
    assert figures.words_of(finished(panel())).caption == "Example bars."
    assert figures.words_of(finished(panel())).alt == "Example bars."


def test_a_figure_of_a_package_outside_the_project_is_told_by_its_title():
    words = figures.words_of(finished(panel().properties(title="Their own title")))
    assert words.caption == words.alt == "Their own title."


def test_every_figure_of_the_project_has_a_title_of_its_own_for_lists():
    titles = figures.titles(registry.names())
    assert len(titles) > 30
    assert len(set(titles.values())) == len(titles)
    assert [name for name, title in titles.items() if title == name_in_words(name) or title.endswith(".")] == []


def test_the_alternative_text_tells_what_the_panels_show():
    chart = alt.vconcat(panel(description="A 0.50"), panel(description="B 0.70")).properties(title="Values")
    assert figures.words_of(finished(chart)).alt == "Values. A 0.50. B 0.70."


@pytest.mark.parametrize("size", [ONE, SCREEN], ids=["paper", "page"])
@pytest.mark.parametrize("together", [False, True], ids=["single", "panels"])
def test_simulated_data_are_marked_once(size, together):
    inner = alt.vconcat(panel(), panel("B")) if together else panel()
    chart = styled(inner.properties(title=heading("Values", ["Note"], size=size)), size)
    spec = finished(chart, size=size, is_simulated=True).to_dict()
    words = spec.pop("usermeta")
    assert spec.pop("description")
    assert str(spec).count(SIMULATED) == 1
    assert words["caption"].count(SIMULATED) == 1
    assert spec["config"]["font"] == "DejaVu Sans"


def test_on_paper_the_title_is_only_in_the_caption():
    chart = panel().properties(title=heading("Values", ["Note"], size=ONE))
    assert "title" not in finished(chart, size=ONE).to_dict()
    assert "Values" in str(finished(chart, size=SCREEN).to_dict()["title"])


def test_the_data_are_what_can_be_pointed_at_with_the_panel_before_it():
    chart = alt.vconcat(panel("=A", title="First"), panel("B", 0.7, title="Second"))
    rows = list(csv.DictReader(io.StringIO(figures.image(finished(chart), "csv").decode())))
    assert rows == [
        {"panel": "First", "name": "'=A", "value": "0.5"},
        {"panel": "Second", "name": "B", "value": "0.7"},
    ]


def test_a_picture_says_what_it_shows_and_has_its_caption_beside_it(tmp_path):
    chart = finished(panel(description="A <0.50>").properties(title="Values & more"))
    svg = figures.image(chart, "svg").decode()
    assert "<title>Values &amp; more</title>" in svg
    assert 'role="img"' in svg.split(">", 1)[0]
    assert "<desc>Values &amp; more. A &lt;0.50&gt;.</desc>" in svg
    assert figures.save(chart, tmp_path / "values.svg") == [tmp_path / "values.svg", tmp_path / "values.txt"]
    assert (tmp_path / "values.txt").read_text() == ("Values & more.\n\nAlternative text: Values & more. A <0.50>.\n")


def test_the_specification_says_how_wide_the_frame_is():
    assert finished(panel(), size=SCREEN).to_dict()["usermeta"]["width"] == SCREEN.width


def test_a_result_that_does_not_say_whether_it_is_simulated_is_not_marked(monkeypatch):
    entry = figures.Figure("bars", "Bars", lambda _: [], lambda *_: panel(), lambda _: True)
    monkeypatch.setattr(registry, "get", lambda _: entry)
    assert SIMULATED not in str(figures.draw("bars", ["bars"], SimpleNamespace()).to_dict())
