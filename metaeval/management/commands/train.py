"""`manage.py train DATASET [--methods SL MV] [--encoder FOLDER] [--runs 3] [--search 20]`: train systems."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from annotations.management.console import QuickCommand, actor_of, ended_by_signals, progress_bar
from annotations.models import Dataset
from metaeval.management.options import add_options, given
from metaeval.threads import processors
from metaeval.training.extra import refuse_without_extra
from metaeval.training.lessons import trainers
from metaeval.training.registry import methods
from metaeval.training_jobs.executing import TRAINER
from metaeval.training_jobs.lifecycle import (
    help_with,
    prepare_training,
    resume_training,
    start_training,
    stop_training,
    work_through,
)
from metaeval.training_jobs.models import Training, TrainingState
from metaeval.training_jobs.parameters import TrainingParameters
from metaeval.training_jobs.progress import forecast_in_words, outcome_in_words

ALL = "all"
"""Another word for naming no method."""


class Command(QuickCommand):
    help = (
        "Train models on a dataset's annotations, by methods that learn from human label variation, and store what "
        "they predict as systems, one for each method and run. The data are checked, and time and memory measured, "
        "before anything is trained. What was interrupted goes on from its last epoch with --resume."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = f"Methods: {', '.join(methods.names())}."
        parser.add_argument("dataset", metavar="DATASET", nargs="?", help="The dataset's slug.")
        add_options(parser, TrainingParameters)
        parser.add_argument(
            "--seed",
            type=int,
            default=0,
            help="Of the split, the weights and the order of the texts. The same seed gives the same systems on the "
            "same machine's processor (default: 0).",
        )
        parser.add_argument("--processes", type=int, help="How many fits at once (default: as many as processors).")
        parser.add_argument(
            "--check", action="store_true", help="Stop after checking the data and measuring time and memory."
        )
        parser.add_argument(
            "--queue", action="store_true", help="Leave the work to workers that take the queue 'training'."
        )
        parser.add_argument(
            "--resume",
            metavar="ID",
            type=UUID,
            help="Start a training that was only checked, or go on with one that stopped or was killed.",
        )
        parser.add_argument(
            "--help-with", metavar="ID", type=UUID, help="Share the work of a training that another process began."
        )
        parser.add_argument("--by", metavar="EMAIL", help="Who does this: for the event log.")
        parser.add_argument("--quiet", action="store_true", help="No progress bar.")

    def act(self, **options: Any) -> None:
        trainer = trainers.get(TRAINER)
        if trainer.follow():
            return
        if not options["queue"]:
            refuse_without_extra()
        if options["help_with"]:
            with ended_by_signals():
                help_with(_training(options["help_with"]))
            return
        training = self._training(options)
        self.stdout.write(f"Training {training.pk}")
        if options["queue"]:
            return
        with trainer.leading() as is_followed:
            self._work(training, options, processes=1 if is_followed else options["processes"] or processors())

    def _training(self, options: dict[str, Any]) -> Training:
        actor = actor_of(options["by"])
        if options["resume"]:
            training = _training(options["resume"])
            if training.state == TrainingState.READY and options["queue"]:
                return start_training(training=training, actor=actor)
            # One whose process was killed still counts as under way: its jobs are free once their leases have expired.
            goes_on = training.state in {TrainingState.READY, *Training.UNDER_WAY}
            return training if goes_on else resume_training(training=training, actor=actor)
        if options["dataset"] is None:
            raise CommandError("Name the dataset to train on, or a training to go on with: --resume ID.")
        dataset = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            slugs = ", ".join(Dataset.objects.values_list("slug", flat=True)[:20]) or "none"
            raise CommandError(f"There is no dataset {options['dataset']!r}. Known: {slugs}.")
        parameters = given(options, TrainingParameters)
        if parameters.get("methods") == [ALL]:
            del parameters["methods"]
        return prepare_training(
            dataset=dataset,
            parameters=parameters,
            seed=options["seed"],
            actor=actor,
            any_folder=True,
            starts_itself=options["queue"],
        )

    def _work(self, training: Training, options: dict[str, Any], *, processes: int) -> None:
        actor = actor_of(options["by"])
        try:
            with ended_by_signals(), progress_bar(hidden=options["quiet"]) as bar:
                is_checked = training.state == TrainingState.TRAINING
                training = work_through(training, processes=processes if is_checked else 1, progress=bar)
                if training.state == TrainingState.READY:
                    self.stdout.write("\n".join([*training.notes, forecast_in_words(training)]))
                    if options["check"]:
                        self.stdout.write(f"Start it with: train --resume {training.pk}")
                        return
                    training = start_training(training=training, actor=actor)
                    training = work_through(training, processes=processes, progress=bar)
        except (KeyboardInterrupt, SystemExit):
            stop_training(training=training, actor=actor)
            raise CommandError(f"Stopped. Go on with: train --resume {training.pk}", returncode=130) from None
        if training.state != TrainingState.FINISHED:
            raise CommandError(training.error or f"The training is {training.get_state_display()}.")
        self.stdout.write(outcome_in_words(training))


def _training(pk: UUID) -> Training:
    training = Training.objects.filter(pk=pk).first()
    if training is None:
        raise CommandError(f"There is no training {pk}.")
    return training
