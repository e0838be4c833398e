"""How much people agree: as a question, and its answer in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from metaeval.analyses.agreement.result import AgreementByMeasure, AgreementOfJudgements, AgreementResult
from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import answered, counted, interval, number, sentence, why, within
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.judged_items import Kind

ON: Mapping[Kind, str] = {
    "labels": "on labels",
    "preferences": "on which side is better",
    "annotations": "on labels",
    "votes": "on which system is better",
}
ONE_FORM: Mapping[str, str] = {"instances": "text", "comparisons": "comparison", "items": "item"}


def answer(result: AgreementResult) -> str:
    """Krippendorff's alpha of everything that was judged, and whether its interval excludes chance."""
    if not result.judged:
        return "No agreement can be measured: nothing has been judged."
    level = float(result.parameters.get("level", 0.95))
    mains = [(judged, _main(judged)) for judged in result.judged]
    defined = [(judged, row) for judged, row in mains if row is not None and row.value is not None]
    undefined = [
        f"{ON[judged.name]} agreement is undefined ({why('' if row is None else row.reason)})"
        for judged, row in mains
        if row is None or row.value is None
    ]
    if not defined:
        return sentence(undefined)
    scale = "0 means chance and 1 means full agreement" if any(_is_alpha(row) for _, row in defined) else ""
    excluded = sum(row.excluded for _, row in defined)
    exclusion = (
        f"{counted(excluded, 'item')} judged by fewer than two people {'is' if excluded == 1 else 'are'} left out"
        if excluded
        else ""
    )
    clauses = [_clause(judged, row, level, again=number > 0) for number, (judged, row) in enumerate(defined)]
    return answered(sentence(clauses), sentence([scale, exclusion, *undefined]))


def _clause(judged: AgreementOfJudgements, row: AgreementByMeasure, level: float, *, again: bool) -> str:
    """How much people agree and, only with an interval, whether this is beyond chance."""
    value, on = row.value or 0.0, ON[judged.name]
    they, of_people = ("they", "their agreement") if again else (judged.people, f"the agreement of {judged.people}")
    bounds = interval(row.low, row.high, level)
    over = counted(row.n_items, ONE_FORM.get(judged.items, judged.items.removesuffix("s"))) if row.n_items else ""
    called = "Krippendorff’s alpha" if _is_alpha(row) else row.title
    figures = f"{called} {number(value)}{within(bounds or 'no interval', over)}"
    if not _is_alpha(row) or row.low is None or row.high is None:
        return f"{of_people} {on} is {figures}"
    if row.low > 0:
        return f"{they} agree {on} beyond chance: {figures}"
    if row.high < 0:
        return f"{they} agree {on} less than expected by chance: {figures}"
    return f"{of_people} {on} cannot be told apart from chance: {figures}"


def _is_alpha(row: AgreementByMeasure) -> bool:
    return row.measure.startswith("alpha_")


def _main(judged: AgreementOfJudgements) -> AgreementByMeasure | None:
    """The alpha with the distance that fits the labels."""
    alpha = f"alpha_{judged.distance}"
    return next((row for row in judged.measures if row.measure == alpha), next(iter(judged.measures), None))


WORDS = PlainWords(
    question="How far do people agree with each other?",
    group="The experts",
    shows="Agreement beyond chance as a number from 0 to 1 with its interval, by label, by text and by "
    "pair of people. It needs texts that at least two people have judged.",
    place=0,
    needs={SubjectKind.STUDY: ("answers",), SubjectKind.DATASET: ("annotations",)},
    compared=("steps", "judges", "partitions", "least_annotations", "include_pilot"),
    statistics=("distance", "weighting", "resamples", "level", "interval"),
    answer=answer,
)
