"""What a worker does with each kind of job, found by the name of the job's model.

A model says what a job is; the module that can do it registers itself here, so that neither imports the other:
code that only lists jobs should not have to load code that reads files and computes. Each app's `AppConfig` says where
its executors are; they are imported when the first one is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotations.ground.progress import Progress
from annotations.ground.registry import Registry

if TYPE_CHECKING:
    from annotations.models.jobs import BackgroundJob

Execute = Callable[[Any, Progress], Mapping[str, Any]]
"""Does a job's work and returns the fields to store on success. It must call the progress often, which also cancels it.
Delivery is at least once, so doing it twice must be harmless; only the lease's holder stores the outcome."""


def nothing() -> None:
    """Default tidying up: ended jobs leave nothing behind."""


@dataclass(frozen=True)
class Executor:
    """How one model's jobs are done, and how leftovers of ended ones are removed."""

    execute: Execute
    tidy_up: Callable[[], object] = nothing


executors: Registry[Executor] = Registry(kind="executor of jobs")


def executes(model: type[BackgroundJob], *, tidy_up: Callable[[], object] = nothing) -> Callable[[Execute], Execute]:
    """Register the decorated function for the jobs of a model. `tidy_up` runs after every job and in every sweep,
    so it must be repeatable.
    """

    def register(execute: Execute) -> Execute:
        executors.register(model._meta.label)(Executor(execute, tidy_up))
        return execute

    return register


def executor_of(model: type[BackgroundJob]) -> Executor:
    """The executor for a model's jobs; raises `UnknownName` if there is none."""
    return executors.get(model._meta.label)
