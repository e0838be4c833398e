"""Which comparisons look the same on both sides is stored for each, however many there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations import designing
from annotations.designing import pairing
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study


@pytest.mark.django_db
def test_a_large_plan_is_marked_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = make_dataset(instances=5, systems=1)
    study = make_study(dataset=dataset, instances_per_system=5)
    designing.apply_plan(study=study)
    dataset.systems.update(predictions=dataset.gold)
    study.comparisons.update(identical=None)
    monkeypatch.setattr(pairing, "BATCH", 2)
    with CaptureQueriesContext(connection) as queries:
        pairing.mark_identical(study)
    assert sum(one["sql"].startswith("UPDATE") for one in queries) == 3
    assert set(study.comparisons.values_list("identical", flat=True)) == {True}
