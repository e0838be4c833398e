"""Runs of one model and method are one system of a study, unless it asks for single runs."""

import io

import numpy as np
import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.db.models import RestrictedError
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from annotations import designing
from annotations.designing.averaging import compared_names, imported_names, mean_of
from annotations.ground.fingerprints import matrix_fingerprint
from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from annotations.models import AveragedRun, Comparison, Dataset, EventKind, Runs, Study, System
from annotations.models.datasets import MISSING
from tests.worlds.datasets import store_dataset
from tests.worlds.studies import make_study, plan_and_open

LABELS = ["A", "B", "C"]
NAMES = [(model, method, run) for model in ("Big", "Small") for method in ("Rel", "Soft") for run in ("1", "2", "3")]


def systems(names, task="multilabel", instances=6, seed=3):
    rng = np.random.default_rng(seed)
    draw = rng.random if task == "multilabel" else lambda shape: rng.dirichlet(np.ones(shape[1]), shape[0])
    return [SystemTable(model, draw((instances, len(LABELS))), method, run) for model, method, run in names]


def dataset(names=NAMES, task="multilabel", slug="several-runs"):
    rng = np.random.default_rng(1)
    gold = rng.random((6, 3)) if task == "multilabel" else rng.dirichlet(np.ones(3), 6)
    return store_dataset(slug=slug, title=slug, task=task, gold=gold, labels=LABELS, systems=systems(names, task))


def planned(**settings):
    study = make_study(dataset=settings.pop("dataset", None) or dataset(), **settings)
    designing.apply_plan(study=study)
    return study


def compared(study):
    found = System.compared.filter(pk__in=study.comparisons.values("second_system"))
    return sorted(found, key=lambda system: (system.model, system.method, system.run))


def means(study):
    return System.compared.filter(averaged_for=study)


class TestTheMean:
    @given(arrays(np.float64, (4, 3), elements=st.floats(0, 1)), st.integers(1, 13))
    def test_of_equal_runs_is_the_run_to_the_last_digit(self, matrix, runs):
        np.testing.assert_array_equal(mean_of([matrix] * runs), matrix)

    @given(arrays(np.float64, (5, 4, 3), elements=st.floats(0, 1)))
    def test_lies_between_the_runs_and_is_their_mean(self, runs):
        mean = mean_of(list(runs))
        assert (mean >= runs.min(axis=0)).all()
        assert (mean <= runs.max(axis=0)).all()
        np.testing.assert_allclose(mean, runs.mean(axis=0), rtol=1e-14, atol=1e-15)


@pytest.mark.django_db
class TestAPlan:
    @pytest.mark.parametrize("task", ["multilabel", "multiclass"])
    def test_compares_the_mean_of_the_runs_of_each_model_and_method(self, task):
        study = planned(dataset=dataset(task=task))
        found = compared(study)
        assert [system.name for system in found] == ["Big / Rel", "Big / Soft", "Small / Rel", "Small / Soft"]
        runs = System.objects.filter(model="Big", method="Soft").values_list("predictions", flat=True)
        np.testing.assert_allclose(found[1].predictions, np.mean(list(runs), axis=0), rtol=1e-14)
        if task == "multiclass":
            np.testing.assert_allclose(found[1].predictions.sum(axis=1), 1, rtol=1e-12)

    def test_knows_the_runs_that_a_mean_averages(self):
        mean = compared(planned())[0]
        assert [one.run.name for one in mean.averaged_runs.all()] == [f"Big / Rel / {run}" for run in "123"]

    def test_of_single_runs_compares_each(self):
        study = planned(runs="single")
        assert [system.name for system in compared(study)] == [" / ".join(name) for name in NAMES]
        assert not AveragedRun.objects.exists()

    def test_leaves_what_has_one_run_as_it_was_imported(self):
        names = [*NAMES[:3], ("Small", "Rel", "7"), ("Small", "Soft", "")]
        study = planned(dataset=dataset(names))
        assert [system.name for system in compared(study)] == ["Big / Rel", "Small / Rel / 7", "Small / Soft"]
        assert means(study).count() == 1

    def test_averages_a_run_without_a_name_too(self):
        study = planned(dataset=dataset([("Big", "Rel", ""), ("Big", "Rel", "2"), ("Big", "Soft", "1")]))
        mean = compared(study)[0]
        assert (mean.name, [one.run.run for one in mean.averaged_runs.all()]) == ("Big / Rel", ["", "2"])
        assert System.objects.filter(dataset=study.dataset).count() == 3

    def test_stays_as_it_is_when_more_runs_are_imported_and_the_next_plan_has_them(self):
        study = plan_and_open(make_study(dataset=dataset()))
        before = [(one.pk, one.fingerprint) for one in compared(study)]
        more = systems([("Big", "Rel", "4")], seed=9)
        write_predictions(dataset=study.dataset, table=PredictionTable(tuple(more)))
        assert [(one.pk, one.fingerprint) for one in compared(study)] == before
        assert designing.overview(study=study).systems[0].runs == tuple(f"Big / Rel / {run}" for run in "123")
        later = planned(dataset=study.dataset, slug="later")
        assert [one.run.run for one in compared(later)[0].averaged_runs.all()] == ["1", "2", "3", "4"]
        assert [(one.pk, one.fingerprint) for one in compared(study)] == before

    def test_that_is_replaced_or_taken_away_takes_its_means_with_it(self):
        study = planned()
        first = set(means(study).values_list("pk", flat=True))
        designing.apply_plan(study=study)
        assert means(study).count() == 4
        assert first.isdisjoint(means(study).values_list("pk", flat=True))
        designing.change_settings(study=study, runs="single")
        assert (System.compared.count(), Comparison.objects.count()) == (len(NAMES), 0)
        assert AveragedRun.objects.count() == 0

    def test_is_the_same_whether_it_is_looked_at_or_stored(self):
        study = make_study(dataset=dataset())
        looked_at = designing.of_plan(designing.propose(study=study), study=study)
        designing.apply_plan(study=study)
        stored = designing.overview(study=study)
        assert System.compared.count() == len(NAMES) + 4
        assert [(row.name, row.runs, [cell.instance for cell in row.cells]) for row in looked_at.systems] == [
            (row.name, row.runs, [cell.instance for cell in row.cells]) for row in stored.systems
        ]
        assert (looked_at.concealment, looked_at.unit) == (stored.concealment, stored.unit)

    def test_that_is_only_looked_at_stores_nothing(self):
        study = make_study(dataset=dataset())
        designing.overview(study=study)
        assert System.compared.count() == len(NAMES)

    def test_of_two_systems_compares_means(self):
        study = planned(compares="system_vs_system")
        pairs = study.comparisons.values_list("first_system__averaged_for", "second_system__averaged_for")
        assert set(pairs) == {(study.pk, study.pk)}
        assert compared_names(study) == ["Big / Rel", "Big / Soft", "Small / Rel", "Small / Soft"]

    def test_draws_for_a_mean_no_text_that_one_of_its_runs_lacks(self):
        data = dataset()
        found = np.array(data.systems.defer(None).get(model="Big", method="Soft", run="2").predictions)
        found[4] = np.nan
        data.systems.filter(model="Big", method="Soft", run="2").update(predictions=found, options={MISSING: 1})
        plan = designing.propose(study=make_study(dataset=data, instances_per_system=5))
        assert [system.missing for system in plan.systems] == [0, 1, 0, 0]
        assert plan.matrix[1].tolist() == [1, 1, 1, 1, 0, 1]

    def test_marks_a_mean_as_simulated_if_one_of_its_runs_is(self):
        data = dataset()
        data.systems.filter(model="Small", method="Rel", run="2").update(is_simulated=True)
        assert [mean.is_simulated for mean in compared(planned(dataset=data))] == [False, False, True, False]

    def test_says_what_becomes_of_the_runs(self):
        study = make_study(dataset=dataset())
        statement = designing.overview(study=study).statement
        assert "3 runs each of 2 models x 2 methods. A study compares their means (4 systems)." in statement
        single = make_study(dataset=study.dataset, slug="single", runs="single")
        assert "3 runs each of 2 models x 2 methods are compared as 12 separate systems." in " ".join(
            designing.overview(study=single).warnings
        )
        assert (
            "runs"
            not in designing.overview(study=make_study(dataset=dataset(NAMES[::3], slug="one"), slug="o")).statement
        )

    def test_is_recorded_with_what_it_compares(self):
        event = planned().events.filter(kind=EventKind.PLANNED).first()
        assert (event.data["runs"], event.data["systems"]) == ("averaged", 4)


@pytest.mark.django_db
class TestADatasetOfItsOwn:
    def test_does_not_count_means_among_its_systems(self):
        study = planned()
        assert study.dataset.systems.count() == System.objects.count() == len(NAMES)
        assert Dataset.objects.get().systems.filter(run="").count() == 0

    def test_names_what_was_imported_for_it_and_for_no_other_dataset(self):
        study = planned()
        dataset([("Other", "Rel", "1")], slug="neighbour")
        assert sorted(imported_names(study.dataset)) == NAMES

    def test_takes_the_same_predictions_again_and_a_run_that_is_named_like_a_mean(self):
        study = planned()
        same = PredictionTable(tuple(systems(NAMES)))
        System.objects.update(fingerprint="")
        for system, row in zip(System.objects.order_by("model", "method", "run"), same.systems, strict=True):
            System.objects.filter(pk=system.pk).update(fingerprint=matrix_fingerprint(row.Q))
        assert not write_predictions(dataset=study.dataset, table=same).changed
        unnamed = PredictionTable(tuple(systems([("Big", "Rel", "")])))
        assert write_predictions(dataset=study.dataset, table=unnamed).added == ("Big / Rel",)

    def test_cannot_lose_a_run_that_a_study_averages(self):
        planned()
        with pytest.raises(RestrictedError):
            System.objects.first().delete()


@pytest.mark.django_db
class TestTheDatabase:
    def test_refuses_a_mean_with_a_run_and_a_second_mean_of_one_method(self):
        study = planned()
        mean = means(study).first()
        for change in (
            lambda: System.compared.filter(pk=mean.pk).update(run="1"),
            lambda: System.compared.create(
                dataset=study.dataset, averaged_for=study, model=mean.model, method=mean.method,
                predictions=np.zeros((6, 3)), fingerprint="0" * 64,
            ),
            lambda: System.objects.create(
                dataset=study.dataset, model="Big", method="Rel", run="1",
                predictions=np.zeros((6, 3)), fingerprint="0" * 64,
            ),
            lambda: Study.objects.update(runs="some"),
        ):  # fmt: skip
            with pytest.raises(IntegrityError), transaction.atomic():
                change()

    def test_deletes_the_means_of_a_study_with_it_and_nothing_that_was_imported(self):
        study = planned()
        study.assignments.all().delete()
        study.comparisons.all().delete()
        Study.objects.filter(pk=study.pk).delete()
        assert System.compared.count() == len(NAMES)


@pytest.mark.django_db
def test_the_command_shows_the_runs_and_takes_single_ones():
    dataset()

    def shown(*more):
        out = io.StringIO()
        call_command(
            "plan_study",
            "s",
            "--dataset",
            "several-runs",
            "--seed",
            "1",
            "--instances-per-system",
            "3",
            *more,
            stdout=out,
        )
        return out.getvalue()

    assert "compares their means (4 systems)" in shown()
    assert "WARNING: 3 runs each of 2 models x 2 methods are compared as 12 separate systems." in shown("--single-runs")
    shown("--single-runs", "--apply")
    assert Study.objects.get().runs == Runs.SINGLE
    shown("--average-runs", "--apply")
    assert (Study.objects.get().runs, means(Study.objects.get()).count()) == (Runs.AVERAGED, 4)
