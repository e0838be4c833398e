"""What is refused before anything starts, and what a training stores."""

import pytest

from annotations.models import Event, EventKind, HumanAnnotation, JobState
from metaeval.training.registry import methods
from metaeval.training.splits import CannotSplit
from metaeval.training_jobs.lifecycle import (
    CannotTrain,
    WrongState,
    prepare_training,
    resume_training,
    start_training,
    stop_training,
)
from metaeval.training_jobs.models import StoredSplit, Training, TrainingJob, TrainingState
from metaeval.training_jobs.parameters import BadTraining, UnknownEncoder
from tests.metaeval.training_jobs.world import TINY, ended, judged_dataset, measured, under_way
from tests.worlds.datasets import make_dataset

pytestmark = pytest.mark.django_db


def test_all_methods_that_apply_are_trained_if_none_is_named():
    training = prepare_training(dataset=judged_dataset(), parameters={})
    assert training.methods == methods.names()
    assert training.state == TrainingState.CHECKING
    assert training.model == "small transformer"
    assert [job.kind for job in training.jobs.all()] == ["check"]


def test_methods_that_need_annotators_are_left_out_where_nobody_knows_them():
    training = prepare_training(dataset=judged_dataset(known=False), parameters={})
    assert not {"AR", "ARh", "AE", "AEh"} & set(training.methods)
    assert len(training.methods) == 10


def test_a_named_method_that_does_not_apply_is_refused_with_its_reason():
    with pytest.raises(CannotTrain, match=r"\bAE "):
        prepare_training(dataset=judged_dataset(known=False), parameters={"methods": ["AE", "MV"]})
    with pytest.raises(CannotTrain, match=r"\bAL "):
        prepare_training(dataset=judged_dataset(multilabel=True, slug="several"), parameters={"methods": ["AL"]})
    assert not Training.objects.exists()


def test_a_dataset_without_single_annotations_is_refused():
    with pytest.raises(CannotSplit, match="judged by nobody"):
        prepare_training(dataset=make_dataset(), parameters={})


@pytest.mark.parametrize(
    ("parameters", "field", "said"),
    [
        ({"methods": ["XY"]}, "methods", "there is no method 'XY'"),
        ({"runs": 0}, "runs", "greater than or equal to 1"),
        ({"search": 3, "learning_rate": 0.1}, "parameters", "leave one of them out"),
        ({"speed": 3}, "speed", "not permitted"),
    ],
)
def test_parameters_that_are_not_declared_are_refused_by_name(parameters, field, said):
    with pytest.raises(BadTraining, match=said) as caught:
        prepare_training(dataset=judged_dataset(), parameters=parameters)
    assert list(caught.value.fields) == [field]


def test_a_page_cannot_name_a_folder_of_the_server(tmp_path, settings):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "config.json").write_text("{}")
    dataset = judged_dataset()
    for named in (str(tmp_path / "secret"), "../secret", "tfidf", "owner/name"):
        with pytest.raises(UnknownEncoder, match=": small"):
            prepare_training(dataset=dataset, parameters={"encoder": named})
    settings.HLV_ENCODERS = str(tmp_path)
    assert prepare_training(dataset=dataset, parameters={"encoder": "secret"}).model == "secret"


def test_a_command_may_name_any_folder_with_an_encoder(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    training = prepare_training(dataset=judged_dataset(), parameters={"encoder": str(tmp_path)}, any_folder=True)
    assert training.parameters["encoder"] == str(tmp_path)
    with pytest.raises(UnknownEncoder, match=r"config\.json"):
        prepare_training(dataset=training.dataset, parameters={"encoder": "/nowhere"}, any_folder=True)


def test_two_trainings_cannot_make_systems_of_one_name():
    dataset = judged_dataset()
    first, second = measured(dataset), measured(dataset)
    start_training(training=first)
    with pytest.raises(CannotTrain, match="Give the model another name"):
        start_training(training=second)
    with pytest.raises(CannotTrain, match="Give the model another name"):
        prepare_training(dataset=dataset, parameters=TINY)
    prepare_training(dataset=dataset, parameters={**TINY, "model": "another"})


def test_trainings_that_ask_for_the_same_split_share_it():
    dataset = judged_dataset()
    one = prepare_training(dataset=dataset, parameters={**TINY, "model": "one"})
    other = prepare_training(dataset=dataset, parameters={**TINY, "model": "other"})
    prepare_training(dataset=dataset, parameters={**TINY, "model": "third"}, seed=1)
    assert one.split_id == other.split_id
    assert StoredSplit.objects.count() == 2


def test_a_search_needs_a_development_part():
    dataset = judged_dataset(given=True)
    dataset.instances.filter(split="dev").update(split="train")
    with pytest.raises(CannotSplit, match="has none"):
        prepare_training(dataset=dataset, parameters={"split": "given", "search": 2})


def test_what_is_worth_knowing_is_said_before_the_start():
    dataset = judged_dataset()
    HumanAnnotation.objects.filter(instance__dataset=dataset, instance__position=0, annotator="p0").update(
        annotator="once"
    )
    said = " ".join(prepare_training(dataset=dataset, parameters={**TINY, "split": "folds", "folds": 2}).notes)
    assert "1 of 4 annotators " in said


def test_files_without_a_test_part_are_split_into_folds_unless_asked_otherwise():
    dataset = judged_dataset(given=True)
    whole = prepare_training(dataset=dataset, parameters={**TINY, "split": "auto", "model": "given"})
    assert whole.split.kind == "given"
    dataset.instances.filter(split="test").update(split="train")
    assert prepare_training(dataset=dataset, parameters={**TINY, "split": "auto"}).split.kind == "folds"


def test_each_method_run_and_fold_is_a_job_of_its_own():
    training = under_way(judged_dataset(), split="folds", folds=3, runs=2)
    fits = training.jobs.filter(kind=TrainingJob.Piece.FIT)
    assert {(job.method, job.run, job.fold) for job in fits} == {
        (method, run, fold) for method in ("MV", "SL") for run in (1, 2) for fold in (0, 1, 2)
    }


def test_only_a_training_that_was_checked_can_be_started():
    training = prepare_training(dataset=judged_dataset(), parameters=TINY)
    with pytest.raises(WrongState, match="being checked"):
        start_training(training=training)


def test_a_stop_stops_every_job_and_a_resume_brings_them_all_back():
    training = under_way(judged_dataset())
    first, *_ = training.jobs.filter(kind=TrainingJob.Piece.FIT)
    TrainingJob.objects.filter(pk=first.pk).update(state=JobState.RUNNING)
    stopped = stop_training(training=training)
    assert stopped.state == TrainingState.STOPPED
    assert TrainingJob.objects.get(pk=first.pk).cancel_requested
    assert not training.jobs.filter(state=JobState.QUEUED).exists()
    with pytest.raises(WrongState, match="still stopping"):
        resume_training(training=training)
    ended(first, JobState.CANCELLED)
    assert resume_training(training=training).state == TrainingState.TRAINING
    assert set(training.jobs.filter(kind=TrainingJob.Piece.FIT).values_list("state", flat=True)) == {JobState.QUEUED}


def test_starting_and_stopping_ask_as_often_for_many_jobs_as_for_few(django_assert_max_num_queries):
    few, many = measured(judged_dataset()), measured(judged_dataset(slug="many"), runs=50)
    with django_assert_max_num_queries(32) as asked:
        start_training(training=few)
    before = len(asked)
    with django_assert_max_num_queries(before + 20) as asked:
        start_training(training=many)
    with django_assert_max_num_queries(12):
        stop_training(training=many)


def test_the_history_says_what_was_done_with_a_training():
    training = under_way(judged_dataset())
    stop_training(training=training)
    resume_training(training=training)
    acts = Event.objects.filter(kind=EventKind.TRAINED).order_by("pk").values_list("data__act", flat=True)
    assert list(acts) == ["prepared", "started", "stopped", "resumed"]
