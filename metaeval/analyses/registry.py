"""The registry of analyses, and what every one of them declares.

An analysis is a function of a study's inputs, its own parameters, a seed and a progress callback; it returns the
part of the result that is its own. The decorator registers it; `run` adds what every result states. A package outside
the project names its module in the entry-point group ``hlvstudy.analyses``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotations.errors import HLVError
from annotations.models import Study
from annotations.registry import Registry
from metaeval.analyses.inputs import Responses, StudyInputs, gather
from metaeval.stats import plain

SCHEMA_VERSION = 1
LIBRARIES = ("numpy", "scipy", "numba")


class Progress(Protocol):
    """Told how far the work is; raises to stop it. Jobs and commands bring theirs."""

    def __call__(self, done: int, total: int, message: str = "") -> None: ...


class Parameters(BaseModel):
    """Base of every analysis's parameters: the API's validation, the command's options and the page's form in one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    include_pilot: bool = Field(
        default=False, title="Include the pilot", description="Count the responses of the pilot too."
    )


class AnalysisError(HLVError):
    """The analysis cannot be done on this study, and the sentence says why."""

    code = "analysis_impossible"
    status = 409


class InvalidParameters(HLVError):  # noqa: N818 (reads as a sentence at the raise)
    """The parameters are not what the analysis declares; `data` has a sentence for each wrong one."""

    code = "invalid"


class Computation(Protocol):
    """The function that an analysis decorates."""

    def __call__(
        self, study: StudyInputs, responses: Responses, parameters: Any, seed: int, progress: Progress
    ) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Analysis:
    """A registered analysis."""

    name: str
    title: str
    description: str
    parameters: type[Parameters]
    figures: tuple[str, ...]
    compute: Computation

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameters, with bounds, defaults and help."""
        return self.parameters.model_json_schema()

    def validated(self, parameters: dict[str, Any]) -> Parameters:
        """The parameters with defaults filled in; raises `InvalidParameters`."""
        try:
            return self.parameters.model_validate(parameters)
        except ValidationError as error:
            problems = {
                ".".join(map(str, problem["loc"])) or "parameters": problem["msg"] for problem in error.errors()
            }
            sentences = "; ".join(f"{name}: {reason}" for name, reason in problems.items())
            message = f"The parameters of {self.name} are not valid. {sentences}."
            raise InvalidParameters(message, **problems) from error


analyses: Registry[Analysis] = Registry(kind="analysis", package="metaeval.analyses", group="hlvstudy.analyses")


def analysis(
    *, title: str, parameters: type[Parameters], figures: tuple[str, ...] = ()
) -> Callable[[Computation], Computation]:
    """Register the decorated computation under its own name; its docstring is the description that people read."""

    def register(compute: Computation) -> Computation:
        name = str(getattr(compute, "__name__", ""))
        description = (inspect.getdoc(compute) or "").partition("\n\n")[0].replace("\n", " ")
        analyses.register(name)(Analysis(name, title, description, parameters, figures, compute))
        return compute

    return register


def run(*, study: Study, entry: Analysis, parameters: Parameters, seed: int, progress: Progress) -> dict[str, Any]:
    """Gather the inputs, compute, and state what every result states. The answer is plain JSON.

    The same inputs, parameters, seed and libraries give the same answer to the last digit.
    """
    progress(0, 0, "Reading the study")
    inputs, responses = gather(study, include_pilot=parameters.include_pilot)
    own = entry.compute(inputs, responses, parameters, seed, progress)
    result: dict[str, Any] = plain(
        {
            "schema": SCHEMA_VERSION,
            "analysis": entry.name,
            "title": entry.title,
            "study": {
                "slug": inputs.slug,
                "title": inputs.title,
                "dataset": inputs.dataset,
                "task": inputs.task,
                "compares": inputs.compares,
                "state": inputs.state,
            },
            "is_simulated": inputs.is_simulated,
            "parameters": parameters.model_dump(mode="json"),
            "seed": seed,
            "fingerprint": inputs.fingerprint,
            "versions": {library: version(library) for library in LIBRARIES},
            **own,
            "counts": {**inputs.counts, **responses.counts, **own.get("counts", {})},
            "exclusions": [*responses.exclusions, *own.get("exclusions", [])],
        }
    )
    return result
