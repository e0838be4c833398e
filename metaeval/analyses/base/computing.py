"""Run an analysis: gather the inputs, compute, and state what every result states."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from metaeval.analyses.base.parameters import Parameters
from metaeval.analyses.base.registry import Analysis, AnalysisError
from metaeval.analyses.base.result import COMMON, SCHEMA_VERSION, AnyResult, Findings
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import Inputs, SubjectKind
from metaeval.analyses.inputs.gathering import Subject, gather
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.stats import plain

LIBRARIES = ("numpy", "scipy", "numba")
ADDED_TO = frozenset({"counts", "exclusions", "notes", "tables"})
"""The common keys that an analysis fills itself."""


def made_with(entry: Analysis) -> str:
    """The versions on which the digits of a result depend: of the analysis and of the libraries."""
    libraries = "; ".join(f"{library} {version(library)}" for library in LIBRARIES)
    return f"{entry.name} {entry.version}; {libraries}"


def run(*, subject: Subject, entry: Analysis, parameters: Parameters, seed: int, work: Work) -> dict[str, Any]:
    """The result of an analysis, as plain JSON.

    The same inputs, parameters, seed and libraries give the same answer to the last digit. Raises `AnalysisError` and
    `InputsError` with a sentence for what cannot be analysed.
    """
    check_subject(entry, subject.kind)
    return result_of(inputs=gather(subject), entry=entry, parameters=parameters, seed=seed, work=work)


def result_of(*, inputs: Inputs, entry: Analysis, parameters: Parameters, seed: int, work: Work) -> dict[str, Any]:
    """The result of an analysis of inputs that are there already: needs no database."""
    found = entry.compute(inputs, parameters, seed, work)
    own = found.plain() if isinstance(found, Findings) else found
    if taken := own.keys() & (COMMON - ADDED_TO):
        raise TypeError(f"{entry.name} returns {', '.join(sorted(taken))}, which every result states already")
    result: dict[str, Any] = plain(
        {
            "schema": SCHEMA_VERSION,
            "analysis": entry.name,
            "version": entry.version,
            "title": entry.title,
            "subject": inputs.stated.plain(),
            "is_simulated": inputs.is_simulated,
            "parameters": parameters.model_dump(mode="json"),
            "seed": seed,
            "fingerprint": inputs.fingerprint,
            "versions": {library: version(library) for library in LIBRARIES},
            "notes": [],
            **own,
            "counts": {**inputs.counts, **own.get("counts", {})},
            "exclusions": [Exclusion.model_validate(left_out).plain() for left_out in own.get("exclusions", [])],
        }
    )
    (entry.result or AnyResult).model_validate(result)
    return result


def check_subject(entry: Analysis, kind: SubjectKind) -> None:
    """Refuse a subject that the analysis does not know."""
    if kind not in entry.subjects:
        possible = ", ".join(entry.subjects)
        raise AnalysisError(
            f"{entry.name} cannot be about {_in_words(kind)}; it can be about: {possible}.",
            subjects=list(entry.subjects),
        )


def _in_words(kind: SubjectKind) -> str:
    words = {
        SubjectKind.STUDY: "a study",
        SubjectKind.DATASET: "a dataset",
        SubjectKind.VOTES: "votes",
        SubjectKind.DATASETS: "several datasets",
        SubjectKind.NOTHING: "nothing",
    }
    return words[kind]
