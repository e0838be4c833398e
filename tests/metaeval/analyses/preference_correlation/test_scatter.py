"""The scatter: it draws what the result says, names every system, and renders without a browser."""

import json
import re

import pytest

from annotations.ground.registry import UnknownName
from metaeval import figures
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute
from tests.metaeval.sizes import EVERY_SIZE
from tests.metaeval.studies import answered_study

pytestmark = pytest.mark.django_db

ENTRY = analyses.get("preference_correlation")


def result_of(study, **parameters):
    parameters = {"permutations": 200, "resamples": 100, "exchanges": 0, **parameters}
    return compute(
        subject=Subject.of_study(study),
        analysis="preference_correlation",
        parameters=parameters,
        seed=1,
        progress=lambda *_: None,
    )


COMPUTED = {}
ONE = {"metrics": ["po_jsd"], "coefficients": ["pearson"]}


def once(name, **study):
    """Computed once for all tests: the study is the same each time."""
    if name not in COMPUTED:
        COMPUTED[name] = json.dumps(result_of(answered_study(name, **study).study))
    return json.loads(COMPUTED[name])


@pytest.fixture
def result(db):
    return once("demo")


def drawn(result, name):
    return json.dumps(ENTRY.draw(name, result).to_dict(), ensure_ascii=False)


def test_there_is_an_overview_and_a_chart_for_every_metric(result):
    names = ["scatter", *(f"scatter-{metric['name']}" for metric in result["metrics"])]
    assert ENTRY.figure_names(result)[: len(names)] == names
    assert not any("scatter" in name for name in ENTRY.figure_names(result)[len(names) :])


def test_every_chart_renders_without_a_browser_in_its_size_and_in_the_dots_that_printers_ask_for(result, tmp_path):
    for name in ("scatter", "scatter-po_jsd"):
        chart = ENTRY.draw(name, result, size="one")
        files = {}
        for kind, start in {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}.items():
            path = tmp_path / f"chart.{kind}"
            figures.save(chart, path)
            files[kind] = path.read_bytes()
            assert files[kind].startswith(start)
        width = float(re.search(r'width="([0-9.]+)pt"', files["svg"].decode()).group(1))
        assert f"/MediaBox [0 0 {width:g} ".encode() in files["pdf"]
        pixels = int.from_bytes(files["png"][16:20], "big")
        assert abs(pixels - width * 300 / 72) <= 1


@pytest.mark.parametrize("name", ["scatter", "scatter-po_jsd"])
@EVERY_SIZE
def test_every_chart_is_as_wide_as_its_size_allows_and_no_wider(name, size):
    result = once("many", systems=26, instances=78)
    svg = figures.image(ENTRY.draw(name, result, size=size.name), "svg").decode()
    width = float(re.search(r'width="([0-9.]+)pt"', svg).group(1))
    assert 0.75 * size.width <= width <= size.width


def test_a_metric_s_chart_names_every_system_and_shows_the_tests(result):
    spec = drawn(result, "scatter-po_jsd")
    for system in result["systems"]:
        assert f'"text": "{system["method"]}"' in spec
        assert system["system"] in spec
    row = next(row for row in result["correlations"] if row["metric"] == "po_jsd")
    assert f"Pearson r within models = {row['value']:.2f}" in spec
    assert "DejaVu Sans" in spec


def test_what_was_left_out_is_said_in_the_chart():
    made = answered_study("flat", constant=3)
    result = result_of(made.study, metrics=["po_jsd", "entropy_correlation"], coefficients=["pearson"])
    assert f"Left out: {made.systems[3].name} (the entropy of Q" in drawn(result, "scatter-entropy_correlation")
    assert "1 left out" in drawn(result, "scatter").replace('", "', " ")  # a long line is broken
    assert "Left out" not in drawn(result, "scatter-po_jsd")


def test_simulated_data_says_so_in_every_chart(result):
    pretended = result_of(answered_study("pretend", is_simulated=True).study, **ONE)
    for name in ("scatter", "scatter-po_jsd"):
        assert "Simulated data" in drawn(pretended, name)
        assert "Simulated data" not in drawn(result, name)


def test_an_undefined_metric_is_an_honest_chart_without_a_line(tmp_path):
    made = answered_study("equal", systems=4)
    for system in made.systems:
        type(system).objects.filter(pk=system.pk).update(predictions=made.Q[0])
    result = result_of(made.study, **ONE)
    assert "Pearson r undefined: all values of po_jsd are equal" in drawn(result, "scatter-po_jsd")
    figures.save(ENTRY.draw("scatter", result), tmp_path / "chart.svg")


def test_an_unknown_figure_is_answered_with_the_known_ones(result):
    with pytest.raises(UnknownName, match=r"'pie'\. .*\bscatter, scatter-micro_f1"):
        ENTRY.draw("pie", result)
