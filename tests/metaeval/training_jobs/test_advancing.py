"""What follows the end of a job, whoever did it and however often it is asked for."""

import numpy as np
import pytest
from django.utils import timezone

from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Dataset, JobState, PredictedAnnotations
from metaeval.training.splits import SplitPart
from metaeval.training_jobs.courses import course_of
from metaeval.training_jobs.lifecycle import advance
from metaeval.training_jobs.models import Training, TrainingJob, TrainingState
from tests.metaeval.training_jobs.world import FORECAST, ended, judged_dataset, under_way

pytestmark = pytest.mark.django_db

CURVE = {"epochs": [{"loss": 0.7, "dev_loss": None, "seconds": 1.0}], "versions": {}, "learning_rate": 0.001}


def fitted(job: TrainingJob, heads: list[str] | None = None) -> None:
    """A fit ends with logits that say the first label with certainty."""
    instances = course_of(job.training).predicted(job.fold)
    heads = heads or [""]
    logits = np.tile([4.0, -4.0], (len(instances), len(heads)))
    ended(job, result={**CURVE, "heads": heads, "instances": instances.tolist()}, outputs=logits)


def imported(dataset: Dataset) -> None:
    """Somebody else's system, which has the name of the first that a training would make."""
    Q = np.full((40, 2), 0.5)
    write_predictions(dataset=dataset, table=PredictionTable((SystemTable("small transformer", Q, "SL", "1"),)))


def test_a_method_becomes_a_system_when_all_its_folds_are_fitted():
    training = under_way(judged_dataset(), split="folds", folds=2)
    fits = training.jobs.filter(kind=TrainingJob.Piece.FIT, method="SL").order_by("fold")
    fitted(fits[0])
    assert not training.dataset.systems.exists()
    fitted(fits[1])
    system = training.dataset.systems.defer(None).get()
    assert system.name == "small transformer / SL / 1"
    assert system.predictions.shape == (40, 2)
    assert np.isfinite(system.predictions).all()
    np.testing.assert_allclose(system.predictions.sum(axis=1), 1)
    advance(training.pk)
    assert training.dataset.systems.count() == 1


def test_texts_that_were_learnt_from_are_not_predicted():
    training = under_way(judged_dataset(), methods=["SL"])
    fitted(training.jobs.get(kind=TrainingJob.Piece.FIT))
    system = training.dataset.systems.defer(None).get()
    tested = np.flatnonzero((course_of(training).split.parts == SplitPart.TEST).any(axis=0))
    known = np.isfinite(system.predictions).all(axis=1)
    assert np.flatnonzero(known).tolist() == tested.tolist()
    assert system.missing == 40 - len(tested)


def test_a_system_says_where_it_comes_from():
    training = under_way(judged_dataset(), methods=["SL"])
    fitted(training.jobs.get(kind=TrainingJob.Piece.FIT))
    stated = training.dataset.systems.get().options["training"]
    assert stated["id"] == str(training.pk)
    assert stated["data"] == training.dataset.fingerprint
    assert stated["split"]["fingerprint"] == training.split.fingerprint
    assert stated["parameters"] == training.parameters
    assert stated["seed"] == training.seed


def test_the_heads_of_an_ensemble_are_predicted_annotators_too():
    training = under_way(judged_dataset(), methods=["AE"])
    fitted(training.jobs.get(kind=TrainingJob.Piece.FIT), heads=["p0", "p1", "p2"])
    single = PredictedAnnotations.objects.defer(None).get()
    assert single.name == "small transformer / AE / 1"
    known = np.isfinite(single.answers).all(axis=1)
    assert known.sum() == 3 * int((course_of(training).split.parts == SplitPart.TEST).any(axis=0).sum())
    assert single.answers[known].tolist() == [[1.0, 0.0]] * int(known.sum())


def test_a_text_erased_meanwhile_is_neither_learnt_from_nor_predicted():
    training = under_way(judged_dataset(), methods=["SL"], split="folds", folds=2)
    dataset = training.dataset
    dataset.instances.filter(position=7).update(withdrawn_at=timezone.now())
    course = course_of(training)
    for fold in (0, 1):
        lesson = course.lesson("SL", fold=fold, run=1)
        assert 7 not in course.predicted(fold)
        assert not any("flat 7 " in text[0] for text in (*lesson.texts, *lesson.dev_texts, *lesson.unseen))
    for fit in training.jobs.filter(kind=TrainingJob.Piece.FIT):
        fitted(fit)
    assert np.isnan(dataset.systems.defer(None).get().predictions[7]).all()


def test_fits_follow_a_search_with_what_it_chose():
    training = under_way(judged_dataset(), search=2, runs=3)
    assert set(training.jobs.values_list("kind", flat=True)) == {"check", "search"}
    search = training.jobs.get(kind=TrainingJob.Piece.SEARCH, method="SL")
    ended(search, result={"settings": {"learning_rate": 0.01, "batch_size": 4, "epochs": 2}, "trials": []})
    fits = training.jobs.filter(kind=TrainingJob.Piece.FIT)
    assert set(fits.values_list("method", "run")) == {("SL", 1), ("SL", 2), ("SL", 3)}


def test_a_training_has_finished_when_every_fit_has():
    training = under_way(judged_dataset())
    for job in training.jobs.filter(kind=TrainingJob.Piece.FIT):
        assert Training.objects.get(pk=training.pk).state == TrainingState.TRAINING
        fitted(job)
    assert Training.objects.get(pk=training.pk).state == TrainingState.FINISHED


def test_one_failure_ends_the_training_only_after_the_others_and_is_told():
    training = under_way(judged_dataset(), methods=["MV", "SL"])
    first, second = training.jobs.filter(kind=TrainingJob.Piece.FIT).order_by("method")
    ended(first, JobState.FAILED, error="There is too little memory.")
    assert Training.objects.get(pk=training.pk).state == TrainingState.TRAINING
    fitted(second)
    training = Training.objects.get(pk=training.pk)
    assert (training.state, training.error) == (TrainingState.FAILED, "MV, run 1, fold 1: There is too little memory.")
    assert training.dataset.systems.count() == 1


def test_a_failed_check_fails_the_training_with_its_sentence():
    training = under_way(judged_dataset(slug="one"))
    Training.objects.filter(pk=training.pk).update(state=TrainingState.CHECKING, forecast=None)
    ended(training.jobs.get(kind=TrainingJob.Piece.CHECK), JobState.FAILED, error="This machine cannot train.")
    training = Training.objects.get(pk=training.pk)
    assert (training.state, training.error) == (TrainingState.FAILED, "This machine cannot train.")


def test_a_command_s_training_starts_when_it_has_been_checked():
    training = under_way(judged_dataset())
    Training.objects.filter(pk=training.pk).update(state=TrainingState.CHECKING, starts_itself=True)
    training.jobs.filter(kind=TrainingJob.Piece.FIT).delete()
    ended(training.jobs.get(kind=TrainingJob.Piece.CHECK), result=FORECAST)
    assert training.jobs.filter(kind=TrainingJob.Piece.FIT).count() == 2


def test_a_system_imported_meanwhile_is_not_taken_for_the_training_s_own():
    training = under_way(judged_dataset(), methods=["SL"])
    imported(training.dataset)
    fitted(training.jobs.get(kind=TrainingJob.Piece.FIT))
    training = Training.objects.get(pk=training.pk)
    assert training.state == TrainingState.FAILED
    assert "small transformer / SL / 1" in training.error
    assert "training" not in training.dataset.systems.get().options


def test_a_training_that_starts_itself_refuses_a_name_that_was_taken_meanwhile():
    training = under_way(judged_dataset())
    Training.objects.filter(pk=training.pk).update(state=TrainingState.CHECKING, starts_itself=True)
    training.jobs.filter(kind=TrainingJob.Piece.FIT).delete()
    imported(training.dataset)
    ended(training.jobs.get(kind=TrainingJob.Piece.CHECK), result=FORECAST)
    training = Training.objects.get(pk=training.pk)
    assert training.state == TrainingState.FAILED
    assert "Give the model another name" in training.error
    assert not training.jobs.filter(kind=TrainingJob.Piece.FIT).exists()
