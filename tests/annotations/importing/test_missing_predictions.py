"""Predictions for some of the instances: refused with a remedy that helps, or left out, counted, and never shown."""

import io
import json

import numpy as np
import pytest
from django.core.management import call_command

from annotations.designing.drawing import TooFewInstances
from annotations.designing.plans import propose
from annotations.ground.arrays import absent_rows
from annotations.importing.datasets import RefusedWithReport, import_predictions
from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet, Segment
from annotations.importing.writing.datasets import write_dataset
from annotations.models import Dataset, Study, System, Task

pytestmark = pytest.mark.django_db

LABELS = ("entailment", "neutral", "contradiction")
INSTANCES, MISSING = 1599, 30


@pytest.fixture
def dataset():
    """As many instances as ChaosNLI-MNLI has."""
    rng = np.random.default_rng(2)
    table = DatasetTable(
        labels=LabelSet(LABELS, Task.MULTICLASS),
        instances=[InstanceRow(f"i{n}", (Segment("", f"Text {n}."),)) for n in range(INSTANCES)],
        gold=rng.dirichlet(np.ones(3), INSTANCES),
    )
    return write_dataset(table=table, slug="mnli", title="As large as MNLI").dataset


def predicted():
    """Q of all instances, and which of them the files lack."""
    rng = np.random.default_rng(3)
    absent = np.zeros(INSTANCES, dtype=bool)
    absent[rng.choice(INSTANCES, MISSING, replace=False)] = True
    return rng.dirichlet(np.ones(3), INSTANCES), absent


def as_long(Q, absent):
    rows = [
        f"i{n},{label},{value!r}"
        for n in np.flatnonzero(~absent).tolist()
        for label, value in zip(LABELS, Q[n].tolist(), strict=True)
    ]
    return "long.csv", "\n".join(["instance,label,probability", *rows])


def as_wide(Q, absent):
    rows = [",".join([f"i{n}", *map(repr, Q[n].tolist())]) for n in np.flatnonzero(~absent).tolist()]
    return "wide.csv", "\n".join([",".join(["instance", *LABELS]), *rows])


def as_lines(Q, absent):
    rows = [{"uid": f"i{n}", "probs": Q[n][[0, 2, 1]].tolist()} for n in np.flatnonzero(~absent).tolist()]
    return "MNLI_dev_model_0.json", "".join(json.dumps(row) + "\n" for row in rows)


def as_document(Q, absent):
    items = {
        f"i{n}": {"uid": f"i{n}", "predicted_probabilities": Q[n].tolist(), "predicted_label": LABELS[Q[n].argmax()]}
        for n in np.flatnonzero(~absent).tolist()
    }
    return "predictions.json", json.dumps({"bart-large": items})


def as_submission(Q, absent):
    return "team_soft.tsv", "".join(f"i{n}\t{Q[n].tolist()}\n" for n in np.flatnonzero(~absent).tolist())


def as_matrix(Q, absent):
    buffer = io.BytesIO()
    np.save(buffer, np.where(absent[:, None], np.nan, Q))
    return "model.npy", buffer.getvalue()


WRITERS = [as_long, as_wide, as_lines, as_document, as_submission, as_matrix]


@pytest.mark.parametrize("form", WRITERS)
def test_instances_without_a_prediction_are_left_out_where_that_is_asked_for(dataset, write, form):
    Q, absent = predicted()
    file = write(*form(Q, absent))
    report = import_predictions(files=[file], dataset=dataset, options={"missing": "leave-out"})
    (name,) = report.systems
    assert (report.notes[-1].startswith(f"{name} "), "30 of 1,599" in report.notes[-1]) == (True, True)
    system = System.objects.get()
    stored = system.predictions
    assert system.missing == 30
    np.testing.assert_array_equal(absent_rows(stored), absent)
    np.testing.assert_array_equal(stored[~absent], Q[~absent])
    again = import_predictions(files=[file], dataset=dataset, options={"missing": "leave_out"})
    assert (again.changed, again.unchanged) == (False, [name])


@pytest.mark.parametrize("form", WRITERS[:-1])
def test_without_it_the_refusal_counts_them_and_says_what_helps(dataset, write, form):
    with pytest.raises(RefusedWithReport) as refused:
        import_predictions(files=[write(*form(*predicted()))], dataset=dataset)
    (problem,) = refused.value.report.problems
    assert "has no value for 30 of 1,599 instances" in problem["reason"]
    assert "set the option 'missing' to 'leave_out'" in problem["remedy"]
    assert not System.objects.exists()


def test_a_matrix_may_come_with_the_list_of_the_instances_that_it_has(dataset, write):
    Q, absent = predicted()
    buffer = io.BytesIO()
    np.save(buffer, Q[~absent])
    beside = "".join(json.dumps({"instance": f"i{n}"}) + "\n" for n in np.flatnonzero(~absent).tolist())
    files = [write("model.npy", buffer.getvalue()), write("rows.jsonl", beside)]
    with pytest.raises(RefusedWithReport, match=r"^rows\.jsonl, instance: .*'i51', 'i62', .* 25 "):
        import_predictions(files=files, dataset=dataset)
    import_predictions(files=files, dataset=dataset, options={"missing": "leave_out"})
    stored = System.objects.get().predictions
    np.testing.assert_array_equal(absent_rows(stored), absent)
    np.testing.assert_array_equal(stored[~absent], Q[~absent])


def test_the_command_takes_the_option_as_it_is_typed(dataset, write):
    out = io.StringIO()
    file = write(*as_wide(*predicted()))
    call_command("import_predictions", "mnli", str(file.path), "--missing", "leave-out", stdout=out, stderr=out)
    assert " 30 of 1,599 instances" in out.getvalue()


def test_a_system_that_predicts_nothing_at_all_is_refused(dataset, write):
    file = write(*as_document(predicted()[0], np.ones(INSTANCES, dtype=bool)))
    with pytest.raises(RefusedWithReport):
        import_predictions(
            files=[file], dataset=dataset, options={"missing": "leave_out"}, format_name="chaosnli-models"
        )


def test_half_a_row_is_never_taken_for_a_missing_one(dataset, write):
    Q, _ = predicted()
    Q[5, 1] = np.nan
    buffer = io.BytesIO()
    np.save(buffer, Q)
    with pytest.raises(RefusedWithReport, match=r"^model\.npy, line 6: .*'i5', label 'neutral': nan"):
        import_predictions(
            files=[write("model.npy", buffer.getvalue())], dataset=dataset, options={"missing": "leave_out"}
        )


@pytest.fixture
def lacking(dataset, write):
    """A dataset of 12 systems, the first of which predicts 40 instances only."""
    rng = np.random.default_rng(4)
    for number in range(12):
        absent = np.zeros(INSTANCES, dtype=bool)
        absent[: 0 if number else INSTANCES - 40] = True
        _, text = as_wide(rng.dirichlet(np.ones(3), INSTANCES), absent)
        file = write(f"s{number:02}.csv", text)
        import_predictions(files=[file], dataset=dataset, options={"missing": "leave_out"})
    return Dataset.objects.get()


@pytest.mark.parametrize("compares", ["human_vs_system", "system_vs_system"])
def test_what_a_system_does_not_predict_is_never_drawn_for_it(lacking, compares):
    study = Study(dataset=lacking, slug="s", compares=compares, instances_per_system=28, seed=5)
    plan = propose(study=study)
    first = [draw.instance for draw in plan.draws if 0 in (draw.first, draw.second)]
    assert len(first) == len(set(first)) == 28
    assert min(first) >= INSTANCES - 40
    assert "never drawn (s00: 1559)" in plan.statement
    assert plan.matrix.sum(axis=1).tolist() == [28] * 12


def test_more_instances_than_a_system_predicts_are_refused_with_their_number(lacking):
    study = Study(dataset=lacking, slug="s", instances_per_system=41, seed=5)
    with pytest.raises(TooFewInstances, match="40 of 1599"):
        propose(study=study)
