"""How far people agree: as a question, and its answer in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from metaeval.analyses.agreement.result import AgreementByMeasure, AgreementOfJudgements, AgreementResult
from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import after, because, interval, number
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.judged_items import Kind

ON: Mapping[Kind, str] = {
    "labels": "on labels",
    "preferences": "on which side is better",
    "annotations": "on labels",
    "votes": "on which system is better",
}


def answer(result: AgreementResult) -> str:
    """Krippendorff's alpha of everything that was judged."""
    if not result.judged:
        return "Nothing was judged, so that there is no agreement to measure."
    level = float(result.parameters.get("level", 0.95))
    parts = [_one(judged, level) for judged in result.judged]
    people = result.judged[0].people.capitalize()
    return f"{people} agree {'; '.join(parts)}." if any(parts) else ""


def _one(judged: AgreementOfJudgements, level: float) -> str:
    row = _main(judged)
    if row is None or row.value is None:
        reason = "" if row is None else row.reason
        return f"{ON[judged.name]} to an extent that is undefined, because {because(reason)[:-1]}"
    items = judged.items.replace("instances", "texts")
    count = f", from {row.n_items:,} {items}" if row.n_items else ""
    bounds = after(interval(row.low, row.high, level))
    return f"{ON[judged.name]} at Krippendorff’s alpha {number(row.value)} (0 is chance, 1 is full{bounds}{count})"


def _main(judged: AgreementOfJudgements) -> AgreementByMeasure | None:
    """The alpha by the distance that fits the labels."""
    wanted = f"alpha_{judged.distance}"
    return next((row for row in judged.measures if row.measure == wanted), next(iter(judged.measures), None))


WORDS = PlainWords(
    question="How far do people agree with each other?",
    group="The experts",
    shows="Agreement beyond chance as a number from 0 to 1 with its interval, by label, by text and by pair of people. "
    "It needs texts that two people or more have judged.",
    place=0,
    needs={SubjectKind.STUDY: ("answers",), SubjectKind.DATASET: ("annotations",)},
    compared=("steps", "judges", "partitions", "least_annotations", "include_pilot"),
    statistics=("distance", "weighting", "resamples", "level", "interval"),
    answer=answer,
)
