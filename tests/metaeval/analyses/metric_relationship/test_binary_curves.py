"""What metrics reward with two labels: the curves are those of the metrics themselves."""

import json

import numpy as np
import pytest

from metaeval import figures, metrics
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import NoInputs
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute
from tests.metaeval.datasets import annotated_dataset
from tests.metaeval.sizes import EVERY_SIZE

ENTRY = analyses.get("metric_relationship")
OF_INSTANCES = [entry.name for entry in metrics.available("multiclass") if entry.works_per_item]
FIGURE = "relationship_binary"


def simulate(*, seed=1, **parameters):
    few = {"pairs": 3, "instances": 10, "label_counts": [3], "concentrations": ["1,1"]}
    asked = ENTRY.validated(few | parameters)
    return result_of(inputs=NoInputs(), entry=ENTRY, parameters=asked, seed=seed, work=Work(lambda *_: None))


@pytest.mark.parametrize("name", OF_INSTANCES)
def test_every_value_is_that_of_the_metric_of_one_instance(name):
    curves = [curve for curve in simulate(metrics=OF_INSTANCES)["binary"] if curve["metric"] == name]
    assert [curve["people"] for curve in curves] == [0.5, 0.7, 0.9, 1.0]
    for curve in curves:
        assert len(curve["values"]) == 101
        for place in (0, 1, 37, 50, 70, 99, 100):
            p, q = curve["people"], place / 100
            expected = metrics.compute([[p, 1 - p]], [[q, 1 - q]], "multiclass", [name])
            value = expected.of(name)[0]
            found = curve["values"][place]
            assert found == (None if np.isnan(value) else pytest.approx(value, abs=1e-12)), (p, q)


def test_a_metric_that_is_undefined_for_some_predictions_has_no_value_there():
    curves = simulate(metrics=["kl_divergence", "po_jsd"])["binary"]
    values = {curve["people"]: curve["values"] for curve in curves if curve["metric"] == "kl_divergence"}
    assert [place for place, value in enumerate(values[0.5]) if value is None] == [0, 100]
    assert [place for place, value in enumerate(values[1.0]) if value is None] == [0]
    assert ENTRY.draw(FIGURE, simulate(metrics=["kl_divergence", "po_jsd"])).to_dict()


def test_only_metrics_of_single_instances_have_curves():
    names = [curve["metric"] for curve in simulate()["binary"]]
    assert list(dict.fromkeys(names)) == ["accuracy", "po_jsd", "soft_accuracy"]
    none = simulate(metrics=["macro_f1", "entropy_correlation"])
    assert none["binary"] == []
    assert FIGURE not in ENTRY.figure_names(none)


def test_curves_depend_on_no_seed():
    one, two = simulate(seed=1), simulate(seed=2)
    assert json.dumps(one["binary"]) == json.dumps(two["binary"])
    assert one["points"] != two["points"]


@pytest.mark.django_db
def test_real_systems_have_none():
    dataset = Subject.of_dataset(annotated_dataset(systems=3))
    result = compute(subject=dataset, analysis=ENTRY.name, parameters={}, seed=1, progress=lambda *_: None)
    assert result["binary"] == []
    assert FIGURE not in ENTRY.figure_names(result)


def test_an_earlier_result_is_read_and_has_no_such_figure():
    result = simulate()
    names = ENTRY.figure_names(result)
    assert names == ["relationship_map", "relationship_points", FIGURE]
    del result["binary"]
    assert ENTRY.figure_names(result) == names[:2]


def test_the_figure_has_a_panel_for_each_share_of_people_and_a_line_for_each_metric():
    result = simulate(metrics=["tvd", "po_jsd"])
    drawn = json.dumps(ENTRY.draw(FIGURE, result).to_dict(), ensure_ascii=False)
    for text in ("p = 0.5", "p = 0.7", "p = 0.9", "p = 1", "PO-JSD", "Total variation distance (lower is better)"):
        assert f'"{text}"' in drawn, text


@EVERY_SIZE
@pytest.mark.parametrize("names", [[], OF_INSTANCES], ids=["few metrics", "many metrics"])
def test_it_fits_its_size_whatever_the_number_of_metrics(names, size):
    svg = figures.image(ENTRY.draw(FIGURE, simulate(metrics=names), size=size.name), "svg").decode()
    assert float(svg.split('width="', 1)[1].split('pt"', 1)[0]) <= size.width
