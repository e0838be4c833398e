"""Whether systems are as uncertain as people: as a question, and its answer in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import answered, because, listed, number, sentence, spelled, undefined
from metaeval.analyses.human_calibration.result import CalibratedEntry, CalibrationMeasure, HumanCalibrationResult
from metaeval.analyses.inputs import SubjectKind


def answer(result: HumanCalibrationResult) -> str:
    """How many systems are more certain than people on average; then which is closest to people's distributions.

    Nothing here tests one system against another, so only numbers are compared.
    """
    systems = [entry for entry in result.entries if entry.kind == "system"]
    signed = _values(systems, "entropy_signed")
    distances = {entry.name: value for entry, value in _values(systems, "distribution")}
    if not signed and not distances:
        return f"No system can be compared with people: {because(next((entry.reason for entry in systems), ''))}"
    nearest = _nearest(result, distances)
    lacking = [entry for entry in systems if entry.name not in distances]
    caution = sentence(
        [
            "no test compares the systems" if len(distances) > 1 else "",
            undefined([entry.name for entry in lacking], [entry.reason for entry in lacking]),
        ]
    )
    if not signed:
        return answered(sentence([nearest]), caution)
    return answered(_surer([value for _, value in signed], signed[0][0].name), sentence([nearest]), caution)


def _surer(values: Sequence[float], only: str) -> str:
    """Above 0, a system's entropy is higher than people's: it is less certain."""
    figures = f"mean entropy minus people’s: {_range(values)} nats"
    if len(values) == 1:
        than = (
            "more certain than people"
            if values[0] < 0
            else "less certain than people"
            if values[0] > 0
            else "as certain as people"
        )
        return f"On average, {listed([only])} is {than} ({figures})."
    surer, less = sum(value < 0 for value in values), sum(value > 0 for value in values)
    exactly = len(values) - surer - less
    if surer == len(values) or less == len(values):
        which = "Both" if len(values) == 2 else f"All {spelled(len(values))}"
        return f"{which} systems are {'more' if surer else 'less'} certain than people on average ({figures})."
    parts = [
        f"{spelled(surer) if surer else 'none'} {_are(surer)} more certain than people",
        f"{spelled(less) if less else 'none'} {_are(less)} less certain",
    ]
    if exactly:
        parts.append(f"{spelled(exactly)} {_are(exactly)} just as certain")
    return f"Of {spelled(len(values))} systems, {listed(parts)} on average ({figures})."


def _nearest(result: HumanCalibrationResult, distances: dict[str, float]) -> str:
    if not distances:
        return ""
    near = min(distances.values())
    best = [name for name, value in distances.items() if value == near]
    own = [value for _, value in _values([entry for entry in result.entries if entry.kind == "people"], "distribution")]
    beside = f", and people’s own votes, drawn again, by {_range(own)}" if own else ""
    differ = f"differ from people’s by {number(near)} on average (0 would be the same){beside}"
    if len(distances) == 1:
        return f"the distributions of {listed(best)} {differ}"
    return f"closest to people’s are the distributions of {listed(best)}, which {differ}"


def _values(entries: Sequence[CalibratedEntry], measure: CalibrationMeasure) -> list[tuple[CalibratedEntry, float]]:
    values = [(entry, entry.measures.get(measure)) for entry in entries]
    return [(entry, value) for entry, value in values if value is not None]


def _range(values: Sequence[float]) -> str:
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"


def _are(count: int) -> str:
    return "is" if count in {0, 1} else "are"


WORDS = PlainWords(
    question="Are the systems as uncertain as people?",
    group="The systems",
    shows="How far each system’s distributions are from people’s, compared with how much people’s own "
    "votes vary. It needs predictions of systems.",
    place=20,
    needs={SubjectKind.DATASET: ("systems",)},
    compared=("systems", "scaling", "fitted_on"),
    statistics=("temperature", "sample_size", "samples"),
    answer=answer,
)
