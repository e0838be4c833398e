"""Planned analyses in sentences: what is asked, what changes places in a test, how many permutations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.designing.averaging import candidates
from annotations.designing.several_runs import counted
from annotations.designing.testing_unit import p_in_words
from annotations.errors import HLVError
from annotations.models import Study
from annotations.registry import UnknownName
from annotations.units import Crossing, count_permutations, default_exchangeable, explained, smallest_p
from metaeval.analyses.agreement.parameters import AgreementParameters
from metaeval.analyses.base.registry import Analysis, InvalidParameters, Parameters, analyses
from metaeval.analyses.method_ranking.parameters import MethodRanking
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.study_quality.parameters import StudyQuality

COEFFICIENTS = {"pearson": "Pearson’s r", "spearman": "Spearman’s rho", "kendall": "Kendall’s tau-b"}
RANKINGS = {
    "preference_fraction": "the share of answers that chose them",
    "rank_centrality": "rank centrality",
    "bradley_terry": "the Bradley-Terry model",
    "davidson": "Davidson’s model, which includes ties",
    "bradley_terry_map": "the Bradley-Terry model with a prior",
}
COMPARED = {
    "jackknife": "Two metrics are compared by leaving out each method in turn.",
    "exchange methods": "Two metrics are compared by exchanging their values of whole methods.",
    "exchange systems": "Two metrics are compared by exchanging their values of single systems, as if these were "
    "independent.",
}
JUDGED = {"labels": "the labels of the first step", "preferences": "the choices of the second step"}
TOGETHER = {
    "instances": "answers about one text stay together",
    "people": "the answers of one person stay together",
    "responses": "each answer is drawn alone",
}


@dataclass(frozen=True, slots=True)
class AnalysisInWords:
    """One planned analysis: the question that it answers, and how."""

    analysis: str
    title: str
    sentences: tuple[str, ...]


def in_words(study: Study, planned: Sequence[Mapping[str, Any]]) -> list[AnalysisInWords]:
    """Every planned analysis (`analysis`, `parameters`), in order. What is not installed any more says so."""
    crossing = Crossing.of([(one.model, one.method) for one in candidates(study).systems])
    return [_in_words(row, crossing) for row in planned]


def _in_words(row: Mapping[str, Any], crossing: Crossing) -> AnalysisInWords:
    name = str(row["analysis"])
    try:
        entry = analyses.get(name)
        parameters = entry.recalled(row.get("parameters") or {})
    except (UnknownName, InvalidParameters) as error:
        return AnalysisInWords(name, name.replace("_", " ").capitalize(), (_plainly(error),))
    say = SAID.get(type(parameters), _any)
    sentences = say(parameters, crossing, entry)
    if getattr(parameters, "include_pilot", False):
        sentences = (*sentences, "Answers of the pilot count, too.")
    return AnalysisInWords(name, entry.title, sentences)


def _plainly(error: HLVError) -> str:
    return f"It cannot be computed by this version of the program. {error.message}"


def _correlation(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    metrics = "Each of the six usual metrics" if not asked.metrics else counted(len(asked.metrics), "metric")
    measured = _listed([COEFFICIENTS[name] for name in asked.coefficients])
    unit = default_exchangeable(crossing) if asked.exchangeable == "default" else asked.exchangeable
    return (
        f"{metrics}: whether systems with better values are those that experts choose more often, by {measured} over "
        f"{counted(len(crossing), 'system')}.",
        explained(crossing, unit),
        _test(asked, crossing, unit),
        "Because several metrics are tested, p is corrected for their number.",
        COMPARED[asked.paired],
    )


def _test(asked: Any, crossing: Crossing, unit: Any) -> str:
    possible = count_permutations(crossing, unit) if len(crossing) > 1 else 1
    drawn = (
        f"All {counted_with_commas(possible)} are tried"
        if possible <= asked.permutations
        else f"{counted_with_commas(asked.permutations)} are drawn"
    )
    if asked.alternative != "two-sided":
        return f"{drawn}; the test looks at one side ({asked.alternative})."
    least = smallest_p(crossing, unit, permutations=asked.permutations) if len(crossing) > 1 else 1.0
    return f"{drawn}; the test is two-sided, and the smallest p that it can give is {p_in_words(least)}."


def counted_with_commas(permutations: int) -> str:
    """For example "100,000 permutations"."""
    return f"{permutations:,} permutation{'' if permutations == 1 else 's'}"


def _ranking(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    over = {"pooled": "over all models together", "per_model": "within each model"}
    return (
        f"{asked.units.capitalize()} are ranked {_listed([over[one] for one in asked.scopes])}, by "
        f"{_listed([RANKINGS[one] for one in asked.rankings])}.",
        f"{_intervals(asked)}; {TOGETHER[asked.cluster]}.",
    )


def _agreement(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    return (
        f"How far experts agree on {_listed([JUDGED[one] for one in asked.steps])}: Krippendorff’s alpha and other "
        "measures, over all texts, within groups of texts, and for every two people.",
        f"{_intervals(asked)} of texts.",
    )


def _quality(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    return (
        "Whether one side is chosen too often, whether people answer repeats the same way, how far each "
        "expert agrees with the rest, how long answers take, and who stops early.",
        f"{_intervals(asked)}.",
    )


def _any(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    """Of an analysis without words of its own: the first sentence of its description, and what is drawn."""
    described = " ".join(entry.description.split()).split(". ")[0].rstrip(".")
    drawn = [
        f"{getattr(asked, name):,} {what}"
        for name, what in (("permutations", "permutations"), ("resamples", "bootstrap samples"))
        if getattr(asked, name, 0)
    ]
    return (f"{described}.", *((f"{_listed(drawn)} are drawn.".capitalize(),) if drawn else ()))


Words = Callable[[Any, Crossing, Analysis], tuple[str, ...]]
SAID: dict[type[Parameters], Words] = {
    PreferenceCorrelation: _correlation,
    MethodRanking: _ranking,
    AgreementParameters: _agreement,
    StudyQuality: _quality,
}


def _intervals(asked: Any) -> str:
    return f"Intervals of {asked.level:.0%} come from {asked.resamples:,} bootstrap samples"


def _listed(words: Sequence[str]) -> str:
    """For example "x, y and z"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
