"""A dataset at a glance: agreement, scored systems, and what uses it."""

import numpy as np
import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    Segment,
    SystemTable,
)
from annotations.importing.writing.datasets import write_dataset
from annotations.models import Task
from metaeval.metrics import compute
from metaeval.stats.agreement import Annotations, krippendorff_alpha
from tests.annotations.api.datasets.test_instances import P, importer
from tests.worlds.datasets import make_dataset, store_dataset
from tests.worlds.full import make_full_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_is_known_yet():
    cache.clear()


def test_systems_come_with_their_main_metrics_best_first():
    gaps = np.vstack([P[:2], [np.nan, np.nan]])
    far = P[:, ::-1]
    systems = [SystemTable("far", far), SystemTable("gaps", gaps), SystemTable("near", P)]
    dataset = store_dataset(slug="d", title="", task="multiclass", gold=P, labels=["no", "yes"], systems=systems)
    client, _ = importer(dataset=dataset)
    answer = client.get("/api/v1/datasets/d/systems/").json()
    assert [row["name"] for row in answer["systems"]][-1] == "far"
    expected = compute(P, far, "multiclass")["Q"]
    assert answer["systems"][-1]["metrics"] == pytest.approx({name: float(v) for name, v in expected.items()})
    assert client.get("/api/v1/datasets/d/systems/").json() == answer


def test_systems_are_scored_a_few_at_a_time_if_together_they_would_take_much_memory(monkeypatch):
    sizes = []

    def counting(P, Q, *rest, **options):
        sizes.append(len(Q))
        return compute(P, Q, *rest, **options)

    client, _ = importer(dataset=make_dataset(slug="d", systems=5))
    at_once = client.get("/api/v1/datasets/d/systems/").json()
    cache.clear()
    monkeypatch.setattr("metaeval.api.datasets.compute", counting)
    monkeypatch.setattr("metaeval.api.datasets.CELLS_AT_ONCE", 1)
    assert client.get("/api/v1/datasets/d/systems/").json() == at_once
    assert sizes == [1] * 5


def test_agreement_is_told_at_a_glance():
    dataset = make_full_dataset("d")
    client, _ = importer(dataset=dataset)
    glance = client.get("/api/v1/datasets/d/glance/").json()
    assert (glance["people"], glance["fewest"], glance["most"]) == (5, 5, 5)
    assert sum(glance["histogram"]) == 12
    assert list(glance["shares"].values()) == pytest.approx(dataset.gold.mean(axis=0).tolist())
    assert glance["alpha"] is None  # for sets of labels, the analysis knows more
    only_shares = make_dataset(slug="shares")
    other, _ = importer("other@example.org", only_shares)
    told = other.get("/api/v1/datasets/shares/glance/").json()
    assert (told["people"], told["alpha"]) == (None, None)


def test_alpha_at_a_glance_is_the_one_of_the_library():
    rng = np.random.default_rng(3)
    rows = [AnnotationRow(i, (int(rng.integers(3)),), f"p{p}") for i in range(9) for p in range(1 + i % 4)]
    table = DatasetTable(
        labels=LabelSet(("a", "b", "c"), Task.MULTICLASS),
        instances=[InstanceRow(f"t{i}", (Segment("", "x"),)) for i in range(9)],
        annotations=AnnotationTable.from_rows(rows),
    )
    dataset = write_dataset(table=table, slug="d", title="D").dataset
    client, _ = importer(dataset=dataset)
    said = Annotations.from_columns(
        [r.instance for r in rows], [r.annotator for r in rows], [r.labels[0] for r in rows]
    )
    alpha = client.get("/api/v1/datasets/d/glance/").json()["alpha"]
    assert alpha == pytest.approx(float(krippendorff_alpha(said).value))


def test_uses_name_only_what_one_may_see():
    dataset = make_full_dataset("d")
    client, _ = importer(dataset=dataset)
    make_study(dataset=dataset, slug="somebody-elses")
    uses = client.get("/api/v1/datasets/d/uses/").json()
    assert (uses["studies"], uses["hidden_studies"], uses["runs"]) == ([], 1, 0)
    assert [entry["what"] for entry in uses["imports"]] == ["predictions", "dataset"]


@pytest.mark.parametrize("what", ["systems", "glance", "uses"])
def test_strangers_see_nothing(what):
    make_dataset()
    client, _ = importer()
    assert client.get(f"/api/v1/datasets/some-dataset/{what}/").status_code == 404


@pytest.mark.parametrize("what", ["glance", "uses"])
def test_the_number_of_queries_does_not_grow(what):
    counts = []
    for size in (5, 40):
        dataset = make_full_dataset(f"d{size}", instances=size)
        client, _ = importer(f"i{size}@example.org", dataset)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/api/v1/datasets/d{size}/{what}/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
