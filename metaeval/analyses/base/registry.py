"""The registry of analyses, and what each of them declares.

An analysis is a function of inputs, its own parameters, a seed and a `Work`; it returns its own part of the result. It
is pure: it reads nothing but its arguments. The decorator registers it; `base.computing` adds what every result states.
A package outside the project names its module in the entry-point group ``hlvstudy.analyses``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import ValidationError

from annotations.ground.errors import HLVError
from annotations.ground.registry import Registry
from metaeval import figures as drawing
from metaeval import metrics
from metaeval.analyses.base.parameter_wording import plain_reason, say_plainly
from metaeval.analyses.base.parameters import Options, Parameters, StudyParameters, held, narrowed, recalled
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.wording import GROUP_KEY, MOST, PlainWords
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.parts import Json

if TYPE_CHECKING:  # Altair takes most of a second to import, so only when drawing
    from altair.typing import ChartType as Chart

__all__ = [
    "Analysis",
    "AnalysisError",
    "InvalidParameters",
    "Parameters",
    "StudyParameters",
    "Work",
    "analyses",
    "analysis",
]


class AnalysisError(HLVError):
    """The analysis cannot be done on this subject; the message says why."""

    code = "analysis_impossible"
    status = 409


class InvalidParameters(HLVError):
    """The parameters are not what the analysis declares; `data` has a sentence for each invalid one."""

    code = "invalid"

    def __init__(self, message: str, *, fields: Mapping[str, list[str]] | None = None, **data: str) -> None:
        super().__init__(message, **data)
        self.fields = dict(fields or {})


class UnreadableResult(HLVError):
    """A stored result does not fit its analysis: it was made by another version, or changed since."""

    status = 409


class Computation(Protocol):
    """The function that an analysis decorates."""

    __name__: str

    def __call__(self, inputs: Any, parameters: Any, seed: int, work: Work, /) -> Findings: ...


C = TypeVar("C", bound=Computation)


@dataclass(frozen=True)
class Analysis:
    """A registered analysis."""

    name: str
    title: str
    description: str
    subjects: tuple[SubjectKind, ...]
    parameters: type[Parameters]
    result: type[Result]
    ordered_figures: tuple[str, ...]
    """The figures that it lists, the most important first."""
    version: int
    compute: Computation
    words: PlainWords
    example: Mapping[str, object] = field(default_factory=dict)

    @property
    def figures(self) -> tuple[str, ...]:
        """Those that it names, then all others in its `figures`: a new one is found automatically."""
        own = drawing.names_in(f"{self.compute.__module__.rpartition('.')[0]}.figures")
        return tuple(dict.fromkeys([*self.ordered_figures, *own]))

    def schema(self, options: Options | None = None) -> Json:
        """JSON Schema of the parameters, with bounds, defaults and help; with `options`, for one subject."""
        schema = self.parameters.model_json_schema()
        for name, parameter in schema.get("properties", {}).items():
            parameter[GROUP_KEY] = self.words.group_of(name)
        say_plainly(self.name, schema.get("properties", {}))
        return schema if options is None else narrowed(schema, options)

    def read(self, stored: Mapping[str, object]) -> Any:  # of the type that `result` names
        """A stored result as the analysis's own type; raises `UnreadableResult` for one of another shape."""
        try:
            return self.result.from_json(dict(stored))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise UnreadableResult(
                f"This result of {self.name} cannot be read by this version of the program ({where}: {first['msg']}). "
                "Compute it again.",
                field=where,
            ) from error

    def answer(self, stored: Mapping[str, object]) -> str:
        """A stored result in plain sentences, which say so if the data are simulated."""
        result: Result = self.read(stored)
        sentence = self.words.answer(result)
        if not sentence:
            return ""
        more = ""
        if result.is_simulated:
            more = " This is from a simulation." if result.subject.kind == "nothing" else " The data are simulated."
        room = MOST - len(more) - 1
        return (sentence if len(sentence) <= room else f"{sentence[: room - 1]}…") + more

    def figure_names(self, stored: Mapping[str, object]) -> list[str]:
        """The names of every figure of a stored result."""
        return drawing.names(self.figures, self.read(stored))

    def draw(self, name: str, stored: Mapping[str, object], *, size: str | drawing.Size = "screen") -> Chart:
        """A figure of a stored result; `UnknownName` lists the known ones."""
        return drawing.draw(name, self.figures, self.read(stored), size=size)

    def validated(self, parameters: Mapping[str, object]) -> Parameters:
        """The parameters with defaults filled in; raises `InvalidParameters`."""
        try:
            return self.parameters.model_validate(dict(parameters))
        except ValidationError as error:
            problems: dict[str, str] = {}
            fields: dict[str, list[str]] = {}
            for problem in error.errors():
                where = ".".join(map(str, problem["loc"])) or "parameters"
                problems[where] = problem["msg"].rstrip(".")
                reason = plain_reason(problem["type"], problem.get("ctx", {}), problem["msg"])
                fields.setdefault(where, []).append(reason)
            sentences = "; ".join(f"{name}: {reason}" for name, reason in problems.items())
            message = f"The parameters of {self.name} are not valid. {sentences}."
            raise InvalidParameters(message, fields=fields, **problems) from error

    def recalled(self, stored: Mapping[str, object]) -> Parameters:
        """Stored parameters, perhaps of an earlier version: those it did not know mean what was meant then.

        Raises `InvalidParameters` for those that today's declaration does not accept.
        """
        return self.validated(recalled(self.parameters, stored))

    def asked_in(self, result: Json) -> Parameters:
        """The parameters that reproduce a stored result: `recalled`, and what "all" meant when it was computed."""
        return self.validated(held(self.parameters, recalled(self.parameters, result["parameters"]), result))


analyses: Registry[Analysis] = Registry("metaeval.analyses.*.analysis", kind="analysis", group="hlvstudy.analyses")


def analysis(
    *,
    title: str,
    subjects: Sequence[str],
    parameters: type[Parameters],
    result: type[Result],
    figures: Sequence[str] = (),
    version: int = 1,
    example: Mapping[str, object] | None = None,
    words: PlainWords | None = None,
) -> Callable[[C], C]:
    """Register the decorated computation under its own name; the first paragraph of its docstring is its description.

    `result` declares the whole result, of which the computation returns the findings. `subjects` says what it can be
    about (`SubjectKind`). `figures` lists the figures of its result, the most important first; those in its
    `figures` that are not listed follow. A plug-in lists all of its own. Raise `version` when the same inputs,
    parameters and seed give different numbers than before. `words` put it as a question for everyone, and its result in
    a sentence; without them, the title is the question. `example` holds parameters with which it finishes within a
    second, for the test over all analyses.
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
            result=result,
            ordered_figures=tuple(figures),
            version=version,
            compute=compute,
            words=words or PlainWords(question=title, shows=description),
            example=dict(example or {}),
        )
        analyses.register(name)(entry)
        return compute

    return register


def figure_titles(names: Sequence[str]) -> dict[str, str]:
    """The titles of a result's figures in a list, before they are drawn.

    Figures are titled by family, and those of one metric by its title; unknown ones have none.

    >>> figure_titles(["scatter", "scatter-po_jsd", "scatter-theirs", "of_a_package"])
    {'scatter': 'Each metric and the experts’ preference', 'scatter-po_jsd': 'PO-JSD'}
    """
    of_metrics = {metric.name: metric.title for metric in metrics.available()}
    variants = {name: of_metrics.get(name.partition("-")[2]) for name in names}
    return drawing.titles(names) | {name: title for name, title in variants.items() if title}
