"""A system without predictions for some instances: analyses leave these out, say so, and score the others."""

import numpy as np
import pytest

from annotations.background.kept_files import write
from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    PredictionTable,
    Segment,
    SystemTable,
)
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Study, System
from metaeval import metrics
from metaeval.analyses.inputs.datasets import NOTHING_PREDICTED
from metaeval.analyses.inputs.gathering import Subject, gather_dataset, gather_study
from metaeval.bundles.archive import Archive
from metaeval.bundles.rebuilding import rebuilt
from metaeval.documents.making import document_chunks
from metaeval.documents.models import DocumentKind
from metaeval.metrics import DistributionError
from tests.metaeval.golden_runs import stored_result
from tests.metaeval.studies import answered_study
from tests.worlds.datasets import written_dataset

pytestmark = pytest.mark.django_db

LABELS = ("one", "two", "three")
INSTANCES, ABSENT, HOLED = 40, (3, 4, 11, 20, 21, 30, 39), "Holed / M"


@pytest.fixture
def dataset():
    """Forty instances with five people each, and six systems, one of which lacks seven instances."""
    rng = np.random.default_rng(6)
    votes = [AnnotationRow(i, (int(rng.integers(3)),), f"p{j}") for i in range(INSTANCES) for j in range(5)]
    table = DatasetTable(
        labels=LabelSet(LABELS, "ordinal", values=(1.0, 2.0, 3.0)),
        instances=[InstanceRow(f"i{n}", (Segment("", f"Text {n}."),)) for n in range(INSTANCES)],
        annotations=AnnotationTable.from_rows(votes),
    )
    systems = [SystemTable(f"Whole{n}", rng.dirichlet(np.ones(3), INSTANCES), "M") for n in range(5)]
    Q = rng.dirichlet(np.ones(3), INSTANCES)
    Q[list(ABSENT)] = np.nan
    return written_dataset(table, [*systems, SystemTable("Holed", Q, "M")], slug="holed", title="Holed")


def known_rows(dataset):
    """P, Q and names for the instances that the incomplete system predicts."""
    data = gather_dataset(dataset)
    known = np.setdiff1d(np.arange(INSTANCES), ABSENT)
    return data, data.P[known], data.Q[HOLED][known], known


def left_out(result, system=HOLED):
    return [row for row in result["exclusions"] if row.get("system") == system and row["what"] == "instances"]


def test_the_library_refuses_missing_rows_unless_it_is_told_to_leave_them_out(dataset):
    data, P, Q, _ = known_rows(dataset)
    with pytest.raises(DistributionError, match="is NaN"):
        metrics.compute(data.P, data.Q, "ordinal")
    table = metrics.compute(data.P, data.Q, "ordinal", absent="leave out")
    assert table.absent == {HOLED: 7}
    assert table[HOLED] == metrics.compute(P, Q, "ordinal")["Q"]
    assert table["Whole0 / M"] == metrics.compute(data.P, data.Q["Whole0 / M"], "ordinal")["Q"]


def test_a_system_without_any_row_is_never_scored(dataset):
    data, _, _, _ = known_rows(dataset)
    with pytest.raises(DistributionError, match="is NaN"):
        metrics.compute(data.P, np.full_like(data.P, np.nan), "ordinal", absent="leave out")


def test_the_scores_of_systems_are_those_of_what_each_predicted(dataset):
    _, P, Q, _ = known_rows(dataset)
    result = stored_result(Subject.of_dataset(dataset), "system_scores")
    mine = next(row for row in result["systems"] if row["system"] == HOLED)
    for name, value in metrics.compute(P, Q, "ordinal")["Q"].items():
        assert mine["metrics"][name]["value"] == float(value)
    (row,) = left_out(result)
    assert (row["count"], row["reason"]) == (7, NOTHING_PREDICTED)


def test_how_metrics_relate_counts_what_it_leaves_out(dataset):
    result = stored_result(Subject.of_dataset(dataset), "metric_relationship")
    assert [row["count"] for row in left_out(result)] == [7]


def test_calibration_is_measured_where_there_is_a_prediction(dataset):
    _, P, Q, _ = known_rows(dataset)
    result = stored_result(
        Subject.of_dataset(dataset), "human_calibration", sample_size=2, samples=2, scaling="grid", folds=2
    )
    mine = next(row for row in result["entries"] if row["name"] == HOLED)
    whole = next(row for row in result["entries"] if row["name"] == "Whole1 / M")
    assert (mine["instances"], whole["instances"]) == (33, 40)
    distance = float(np.abs(P - Q).sum(axis=1).mean() / 2)
    assert any(value == pytest.approx(distance, abs=1e-12) for value in mine["measures"].values() if value is not None)
    assert [row["count"] for row in left_out(result)] == [7]
    assert all(row["reason"] == "" for row in result["entries"])


def test_a_leaderboard_compares_systems_on_the_instances_that_all_predicted(dataset):
    _, P, Q, _ = known_rows(dataset)
    result = stored_result(Subject.of_datasets([dataset]), "leaderboard", resamples=100, tasks=["soft"])
    (standing,) = result["boards"][0]["standings"]
    assert standing["items"] == 33
    mine = next(row for row in standing["systems"] if row["system"] == HOLED)
    way = float(np.abs(P.cumsum(axis=1) - Q.cumsum(axis=1)).sum(axis=1).mean())
    assert mine["score"] == pytest.approx(way, abs=1e-12)
    reasons = [row["reason"] for row in result["exclusions"] if row["what"] == "items"]
    assert reasons == [f"not all systems predicted them ({HOLED} lack some)"]


def test_uncertainty_of_machines_is_measured_on_instances_that_all_predicted(dataset):
    result = stored_result(Subject.of_dataset(dataset), "uncertainty")
    assert [row["count"] for row in left_out(result)] == [7]
    alone = stored_result(Subject.of_dataset(dataset), "uncertainty", systems=["Whole0 / M"])
    assert left_out(alone) == []


def test_a_metric_is_correlated_with_preference_over_what_each_system_predicted():
    answered = answered_study()
    system, P = answered.systems[0], answered.P
    Q = answered.Q[0].copy()
    Q[[1, 2]] = np.nan  # shown beside other systems only
    System.objects.filter(pk=system.pk).update(predictions=Q, options={"missing": 2})
    result = stored_result(Subject.of_study(answered.study), "preference_correlation", permutations=100)
    mine = next(row for row in result["systems"] if row["system"] == system.name)
    known = np.setdiff1d(np.arange(len(P)), [1, 2])
    expected = metrics.compute(P[known], Q[known], "multilabel")["Q"]
    assert {name: mine["metrics"][name]["value"] for name in expected} == {n: float(v) for n, v in expected.items()}
    assert [row["count"] for row in left_out(result, system.name)] == [2]


def test_a_bundle_gives_missing_rows_back_to_the_last_bit(dataset, tmp_path):
    study = Study.objects.create(dataset=dataset, slug="s", title="S")
    holed = dataset.systems.get(model="Holed")
    for position, instance in enumerate(dataset.instances.exclude(position__in=ABSENT).order_by("position")[:5]):
        study.comparisons.create(instance=instance, second_system=holed, position=position)
    path = tmp_path / "bundle.zip"
    write(path, document_chunks(study, DocumentKind.BUNDLE))
    given = gather_study(study)
    with Archive(path) as archive:
        found = rebuilt(archive)
        assert found.fingerprint == given.fingerprint
        np.testing.assert_array_equal(found.Q[HOLED], given.Q[HOLED])
        assert found.data.absent == {HOLED: 7}


def test_people_and_systems_that_share_no_instance_are_refused_in_words(dataset):
    rng = np.random.default_rng(8)
    Q = rng.dirichlet(np.ones(3), INSTANCES)
    Q[np.setdiff1d(np.arange(INSTANCES), ABSENT)] = np.nan
    write_predictions(dataset=dataset, table=PredictionTable((SystemTable("Other", Q, "M"),)))
    with pytest.raises(
        AssertionError, match="AnalysisError: There is no instance for which all of these systems predict"
    ):
        stored_result(Subject.of_dataset(dataset), "uncertainty")
