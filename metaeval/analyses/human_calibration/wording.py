"""Whether systems are as uncertain as people: as a question, and its answer in a sentence."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import because, name, number
from metaeval.analyses.human_calibration.result import CalibratedEntry, HumanCalibrationResult, Kind
from metaeval.analyses.inputs import SubjectKind


def answer(result: HumanCalibrationResult) -> str:
    """The system whose distributions are nearest to people's, beside how near people are to each other."""
    known = _distances(result, "system")
    if not known:
        reason = next((entry.reason for entry in result.entries if entry.kind == "system"), "")
        return f"No system can be compared with people: {because(reason)}"
    near, best = min(known, key=lambda row: row[0])
    people = [distance for distance, _ in _distances(result, "people")]
    beside = ""
    if people:
        low, high = number(min(people)), number(max(people))
        beside = f"; people, drawn again, differ from themselves by {low if low == high else f'{low} to {high}'}"
    lead = f"Of {len(known)} systems, {name(best.name)} is" if len(known) > 1 else f"{name(best.name)} is"
    nearest = " nearest to people" if len(known) > 1 else " compared with people"
    return f"{lead}{nearest}: its distributions differ from theirs by {number(near)} on average (0 is equal){beside}."


def _distances(result: HumanCalibrationResult, kind: Kind) -> list[tuple[float, CalibratedEntry]]:
    found = [(entry.measures.get("distribution"), entry) for entry in result.entries if entry.kind == kind]
    return [(distance, entry) for distance, entry in found if distance is not None]


WORDS = PlainWords(
    question="Are the systems as uncertain as people are?",
    group="The systems",
    shows="How far each system’s distributions are from people’s, beside how far people are from themselves. It needs "
    "predictions of systems.",
    place=20,
    needs={SubjectKind.DATASET: ("systems",)},
    compared=("systems", "scaling", "fitted_on"),
    statistics=("temperature", "sample_size", "samples"),
    answer=answer,
)
