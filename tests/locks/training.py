"""The locks of trainings: of the dataset that is to be learnt from, and of the training whose state changes."""

from collections.abc import Sequence

from django.db.models import Model

from annotations.models import Dataset
from metaeval.training_jobs.lifecycle import advance, prepare_training, resume_training, start_training, stop_training
from metaeval.training_jobs.models import Training
from tests.locks.cases import Case
from tests.locks.world import World
from tests.metaeval.training_jobs.world import TINY


def ready(w: World) -> Sequence[Model]:
    return [w.ready]


def under_way(w: World) -> Sequence[Model]:
    return [w.trained]


def stopped(w: World) -> Sequence[Model]:
    return [w.stopped]


def prepare(w: World) -> object:
    return prepare_training(dataset=w.ready.dataset, parameters={**TINY, "model": "one more"})


TRAINING = [
    Case("training_jobs.lifecycle.prepare_training", Dataset, lambda w: [w.ready.dataset], prepare),
    Case("training_jobs.lifecycle.start_training", Training, ready, lambda w: start_training(training=w.ready)),
    Case("training_jobs.lifecycle.stop_training", Training, under_way, lambda w: stop_training(training=w.trained)),
    Case("training_jobs.lifecycle.resume_training", Training, stopped, lambda w: resume_training(training=w.stopped)),
    Case("training_jobs.lifecycle.advance", Training, under_way, lambda w: advance(w.trained.pk)),
]
