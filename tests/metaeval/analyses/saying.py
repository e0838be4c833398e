"""What tests of all answers share: generated typed results, and the rules that every answer must follow."""

from __future__ import annotations

import inspect
import re
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.wording import ALPHA, MOST

MANY = settings(
    max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None
)
"""How many examples of one analysis's answers are tried."""

SENTENCES = 3
TOO_STRONG = re.compile(
    r"no relation|no difference|no effect|\bequal\b|equally|proves?\b|significan|insignificant|certainly|clearly"
)
"""Words that no test can give."""

P_VALUES = st.one_of(st.none(), st.sampled_from([0.00001, 0.001, 0.02, 0.049, 0.0499999, 0.05, 0.2, 1.0]))
CORRELATIONS = st.one_of(st.none(), st.sampled_from([-1.0, -0.4, 0.0, 0.3, 0.5, 0.71, 1.0]), st.floats(-1, 1))
SHARES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
REASONS = st.sampled_from(["every system has the same value", "Fewer than two people judged it. Ask more.", ""])


def made(analysis: str, *, parameters: dict[str, Any] | None = None, **findings: Any) -> Any:
    """A result of the analysis's own type, with an invented common part."""
    entry = analyses.get(analysis)
    common = {
        "schema_version": 2,
        "analysis": analysis,
        "version": entry.version,
        "title": entry.title,
        "subject": {"kind": "nothing", "slug": None, "title": "Simulation"},
        "is_simulated": False,
        "parameters": {**entry.validated({}).model_dump(mode="json"), **(parameters or {})},
        "seed": 1,
        "fingerprint": "0" * 64,
        "versions": {},
        "tables": [],
    }
    return filled(entry.result, **{**common, **findings})


def said(result: Any) -> str:
    """The answer, without what the registry adds."""
    return analyses.get(result.analysis).words.answer(result)


def faults(answer: str) -> list[str]:
    """What is wrong with an answer, whatever it is about."""
    found = []
    if not answer.endswith(".") or ".." in answer or "…." in answer.replace("….", "", 1):
        found.append("it does not end as a sentence does")
    if len(re.findall(r"\.(?=\s|$)", answer)) > SENTENCES:
        found.append("it has too many sentences")
    if len(answer) > MOST:
        found.append("it is too long")
    if re.search(r"  |\( |\(\)| ,| ;| \.(?!\d)|;\.|:\.|\bNone(?! of)\b|\bnan\b|\binf\b|_", answer):
        found.append("a gap, or a word of the program")
    if answer.count("(") != answer.count(")"):
        found.append("a bracket is left open")
    if answer[0].islower():
        found.append("it begins with a small letter")
    if word := TOO_STRONG.search(answer):
        found.append(f"“{word.group()}” is more than a test can give")
    return found + [
        f"p = {p} is printed on the other side" for p in re.findall(r"p = (1\.\d+|\.\d+)", answer) if float(p) > 1
    ]


def rejects(p: float | None) -> bool:
    """Whether a test finds something."""
    return p is not None and p < ALPHA


def pick(draw: st.DrawFn, values: list[Any]) -> Any:
    """One of some values."""
    return cast(Any, draw(st.sampled_from(values)))


def filled(part: type[BaseModel], /, **given: Any) -> Any:
    """A part of a result with only the given fields; the rest is empty, or undefined where allowed."""
    missing = {
        name: _empty(field.annotation)
        for name, field in part.model_fields.items()
        if name not in given and field.is_required()
    }
    return part.model_validate({**missing, **given})


def _empty(annotation: Any) -> Any:
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _empty(inside[0])
    if origin is Literal:
        return inside[0]
    if type(None) in inside:
        return None
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return filled(annotation)
    return (origin or annotation)()


def bounds_of(value: float | None, *, low: float, high: float) -> st.SearchStrategy[tuple[float | None, float | None]]:
    """An interval around a value, within the possible range; none without a value."""
    if value is None:
        return st.just((None, None))
    inside = st.tuples(st.floats(low, value), st.floats(value, high))
    return st.one_of(st.just((None, None)), inside, inside)
