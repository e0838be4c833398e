"""Run an analysis: gather the inputs, compute, and add what every result states."""

from __future__ import annotations

from importlib.metadata import version

from metaeval.analyses.base.parameters import Parameters
from metaeval.analyses.base.registry import Analysis, AnalysisError
from metaeval.analyses.base.result import SCHEMA_VERSION
from metaeval.analyses.base.rules import RULES
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import Inputs, SubjectKind
from metaeval.analyses.inputs.gathering import Subject, gather
from metaeval.analyses.inputs.parts import Json
from metaeval.analyses.inputs.studies import StudyInputs

LIBRARIES = ("numpy", "scipy", "numba")


def made_with(entry: Analysis) -> str:
    """The versions on which a result's digits depend: of the analysis and of the libraries."""
    libraries = "; ".join(f"{library} {version(library)}" for library in LIBRARIES)
    return f"{entry.name} {entry.version}; {libraries}"


def run(*, subject: Subject, entry: Analysis, parameters: Parameters, seed: int, work: Work) -> Json:
    """The result of an analysis, as plain JSON.

    The same inputs, parameters, seed and libraries give the same answer to the last digit. Raises `AnalysisError` or
    `InputsError` with a sentence if something cannot be analysed.
    """
    check_subject(entry, subject.kind)
    return result_of(inputs=gather(subject), entry=entry, parameters=parameters, seed=seed, work=work)


def result_of(*, inputs: Inputs, entry: Analysis, parameters: Parameters, seed: int, work: Work) -> Json:
    """The result of an analysis of inputs that were already gathered: needs no database."""
    findings = entry.compute(inputs, parameters, seed, work)
    result = {
        "schema": SCHEMA_VERSION,
        "analysis": entry.name,
        "version": entry.version,
        "rules": RULES,
        "title": entry.title,
        "subject": inputs.stated.plain(),
        "is_simulated": inputs.is_simulated,
        "parameters": parameters.model_dump(mode="json"),
        "seed": seed,
        "fingerprint": inputs.fingerprint,
        "versions": {library: version(library) for library in LIBRARIES},
        **findings.plain(),
        "counts": {**inputs.counts, **findings.counts},
        "notes": [*findings.notes, *(inputs.notes if isinstance(inputs, StudyInputs) else [])],
    }
    entry.result.from_json(result)
    return result


def check_subject(entry: Analysis, kind: SubjectKind) -> None:
    """Refuse a subject that the analysis does not support."""
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
