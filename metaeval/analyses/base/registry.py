"""The registry of analyses, and what every one of them declares.

An analysis is a function of inputs, its own parameters, a seed and a `Work`; it returns the part of the result that is
its own. It is pure: it reads nothing but its arguments. The decorator registers it; `base.computing` adds what every
result states. A package outside the project names its module in the entry-point group ``hlvstudy.analyses``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from annotations.errors import HLVError
from annotations.registry import Registry
from metaeval.analyses.base.parameters import Options, Parameters, StudyParameters, narrowed
from metaeval.analyses.base.work import Progress, Work
from metaeval.analyses.inputs import SubjectKind

__all__ = [
    "Analysis",
    "AnalysisError",
    "InvalidParameters",
    "Parameters",
    "Progress",
    "StudyParameters",
    "Work",
    "analyses",
    "analysis",
]


class AnalysisError(HLVError):
    """The analysis cannot be done on this subject, and the sentence says why."""

    code = "analysis_impossible"
    status = 409


class InvalidParameters(HLVError):  # noqa: N818 (reads as a sentence at the raise)
    """The parameters are not what the analysis declares; `data` has a sentence for each wrong one."""

    code = "invalid"


class Computation(Protocol):
    """The function that an analysis decorates."""

    __name__: str

    def __call__(self, inputs: Any, parameters: Any, seed: int, work: Work, /) -> dict[str, Any]: ...


C = TypeVar("C", bound=Computation)


@dataclass(frozen=True)
class Analysis:
    """A registered analysis."""

    name: str
    title: str
    description: str
    subjects: tuple[SubjectKind, ...]
    parameters: type[Parameters]
    figures: tuple[str, ...]
    version: int
    compute: Computation
    example: Mapping[str, Any] = field(default_factory=dict)

    def schema(self, options: Options | None = None) -> dict[str, Any]:
        """JSON Schema of the parameters, with bounds, defaults and help; with `options`, for one subject."""
        schema = self.parameters.model_json_schema()
        return schema if options is None else narrowed(schema, options)

    def validated(self, parameters: Mapping[str, Any]) -> Parameters:
        """The parameters with defaults filled in; raises `InvalidParameters`."""
        try:
            return self.parameters.model_validate(dict(parameters))
        except ValidationError as error:
            problems = {
                ".".join(map(str, problem["loc"])) or "parameters": problem["msg"] for problem in error.errors()
            }
            sentences = "; ".join(f"{name}: {reason}" for name, reason in problems.items())
            message = f"The parameters of {self.name} are not valid. {sentences}."
            raise InvalidParameters(message, **problems) from error


analyses: Registry[Analysis] = Registry("metaeval.analyses.*.analysis", kind="analysis", group="hlvstudy.analyses")


def analysis(
    *,
    title: str,
    subjects: Sequence[str],
    parameters: type[Parameters],
    figures: Sequence[str] = (),
    version: int = 1,
    example: Mapping[str, Any] | None = None,
) -> Callable[[C], C]:
    """Register the decorated computation under its own name; the first paragraph of its docstring is its description.

    `subjects` says what it can be about (`SubjectKind`). `figures` names the figures that draw its result, the most
    important one first. Raise `version` when the same inputs, parameters and seed give other numbers than before.
    `example` holds parameters with which it ends within a second: the test over all analyses uses them.
    """

    def register(compute: C) -> C:
        name = compute.__name__
        description = (inspect.getdoc(compute) or "").partition("\n\n")[0].replace("\n", " ")
        entry = Analysis(
            name=name,
            title=title,
            description=description,
            subjects=tuple(SubjectKind(subject) for subject in subjects),
            parameters=parameters,
            figures=tuple(figures),
            version=version,
            compute=compute,
            example=dict(example or {}),
        )
        analyses.register(name)(entry)
        return compute

    return register
