"""What a worker does with each kind of job, found by the name of the job's model.

A model says what a job is; the module that can do it registers itself here, so that neither imports the other:
code that only lists jobs should not have to load what reads files and computes. Each app says in its `AppConfig` where
its executors are; they are imported when the first of them is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotations.progress import Progress
from annotations.registry import Registry

if TYPE_CHECKING:
    from annotations.models.jobs import BackgroundJob

Execute = Callable[[Any, Progress], Mapping[str, Any]]
"""Does the work of a job and returns the fields to store with its success; calls the progress often: it also cancels.
Delivery is at least once, so that doing it twice must be harmless; only the lease's holder stores the answer."""


def nothing() -> None:
    """What ended jobs leave behind, where they leave nothing."""


@dataclass(frozen=True)
class Executor:
    """How jobs of one model are done, and how what ended ones need no more is removed."""

    execute: Execute
    tidy_up: Callable[[], object] = nothing


executors: Registry[Executor] = Registry(kind="executor of jobs")


def executes(model: type[BackgroundJob], *, tidy_up: Callable[[], object] = nothing) -> Callable[[Execute], Execute]:
    """Register the decorated function for the jobs of a model. `tidy_up` runs after every end and in every sweep, so
    that it must be repeatable."""

    def register(execute: Execute) -> Execute:
        executors.register(model._meta.label)(Executor(execute, tidy_up))
        return execute

    return register


def executor_of(model: type[BackgroundJob]) -> Executor:
    """Of the jobs of a model; raises `UnknownName` where nobody can do them."""
    return executors.get(model._meta.label)
