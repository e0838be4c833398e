"""The figure of differences from a baseline fits every size, has a panel for each dataset and metric, and its words."""

import json

import pytest

from metaeval import figures
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute
from tests.metaeval.analyses.system_scores.training_runs import METHODS, trained_dataset
from tests.metaeval.figures.measuring import DrawnFigure
from tests.metaeval.figures.test_paper import problems
from tests.metaeval.figures.worlds import ARABIC, LONG

pytestmark = pytest.mark.django_db
SLUGS = ("armis", "brexit")
SIX = ["po_jsd", "accuracy", "macro_f1", "soft_accuracy", "soft_macro_f1", "entropy_correlation"]


def computed(*datasets, **parameters):
    subject = Subject.of_datasets(datasets) if len(datasets) > 1 else Subject.of_dataset(datasets[0])
    asked = {"baseline": "MV", "metrics": SIX, **parameters}
    return compute(subject=subject, analysis="system_scores", parameters=asked, seed=1, progress=lambda *_: None)


@pytest.fixture(scope="module")
def result(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        from django.db import transaction

        with transaction.atomic():
            found = computed(*(trained_dataset(slug, seed=seed) for seed, slug in enumerate(SLUGS)))
            transaction.set_rollback(True)
    return json.dumps(found)


@pytest.fixture(scope="module")
def chart(result):
    return analyses.get("system_scores").draw("score_differences", json.loads(result), size="two")


def panels(chart):
    rows = chart.to_dict()["vconcat"]
    return [panel for row in rows for panel in row["concat"]]


def names_in(spec, panel):
    layers = [layer for layer in panel["layer"] if layer["mark"]["type"] == "point"]
    return spec["datasets"][layers[0]["data"]["name"]]


def test_there_is_a_panel_for_each_dataset_and_metric_with_methods_by_mean_rank(result, chart):
    found = json.loads(result)
    assert len(panels(chart)) == len(SLUGS) * len(SIX)
    order = [row["name"] for row in found["ranks"] if row["name"] != "MV"]
    (sort,) = {tuple(panel["layer"][-1]["encoding"]["y"]["sort"]) for panel in panels(chart)}
    assert list(sort) == order
    assert sorted(order) == sorted(set(METHODS) - {"MV"})


def test_each_point_is_a_difference_with_its_interval(result):
    found = json.loads(result)
    spec = analyses.get("system_scores").draw("score_differences-brexit", found).to_dict()
    drawn = {}
    for row in (row for rows in spec["datasets"].values() for row in rows if "model" in row and "difference" in row):
        drawn.setdefault((row["method"], row["model"]), []).append((row["difference"], row["low"], row["high"]))
    for group in found["groups"]:
        if group["dataset"] == "brexit" and group["method"] != "MV":
            expected = [(one["difference"], one["low"], one["high"]) for one in group["metrics"].values()]
            assert set(drawn[group["method"], group["model"]]) == {one for one in expected if one[0] is not None}


def test_models_have_a_hue_and_a_shape_and_the_caption_says_what_the_bars_are(chart):
    words = figures.words_of(chart)
    assert words.title == "Differences from MV"
    assert "95% intervals (Welch) over runs" in words.caption
    assert "about seeds, not about texts" in words.caption
    assert "SmF1 of TwHIN predicts the same for every text in 2 of 3 runs on armis: it collapsed" in words.caption
    assert "PO-JSD on armis: from" in words.alt
    assert '"triangle-up"' in json.dumps(chart.to_dict())


def test_without_a_baseline_or_another_method_there_is_no_such_figure():
    alone = trained_dataset("alone", methods=("MV",))
    assert "score_differences" not in analyses.get("system_scores").figure_names(computed(alone))
    both = trained_dataset("both", methods=("MV", "SL"))
    assert "score_differences" not in analyses.get("system_scores").figure_names(computed(both, baseline=None))
    assert "score_differences" in analyses.get("system_scores").figure_names(computed(both))


WORLDS = {"as it is": "", "long": LONG, "Arabic": ARABIC}


@pytest.mark.parametrize(
    ("world", "size"),
    [
        pytest.param(world, size, marks=() if (world, size) == ("long", "one") else pytest.mark.long)
        for world in WORLDS
        for size in ("one", "two")
    ],
)
@pytest.mark.parametrize("name", ["score_differences", "score_differences-brexit"])
def test_it_fits_a_page_of_a_paper_and_can_be_read(result, name, world, size):
    entry = analyses.get("system_scores")
    changed = result
    for known in ("RoBERTa", "TwHIN", "SLMV"):
        changed = changed.replace(f'"{known}"', f'"{WORLDS[world]} {known}"')
    drawn = figures.image(entry.draw(name, json.loads(changed), size=size), "svg")
    assert problems(DrawnFigure.of(drawn), size, is_simulated=False) == []


@pytest.mark.parametrize("size", ["one", pytest.param("two", marks=pytest.mark.long)])
@pytest.mark.parametrize(("models", "methods"), [pytest.param(2, 2, marks=pytest.mark.long), (30, 2), (2, 70)])
def test_many_models_and_methods_fit_and_what_is_left_out_is_said(result, models, methods, size):
    found = json.loads(result)
    (first, *_) = [group for group in found["groups"] if group["method"] == "SL"]
    baseline = [group for group in found["groups"] if group["method"] == "MV"]
    found["groups"] = baseline + [
        {**first, "model": f"Model {i}", "method": f"Method {j}"} for i in range(models) for j in range(methods)
    ]
    entry = analyses.get("system_scores")
    chart = entry.draw("score_differences", found, size=size)
    assert problems(DrawnFigure.of(figures.image(chart, "svg")), size, is_simulated=False) == []
    caption = figures.words_of(chart).caption
    assert ("of 70 methods; the tables have all" in caption) is (methods == 70)
    assert ("The 30 models look the same here" in caption) is (models == 30)
