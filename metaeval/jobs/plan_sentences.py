"""Planned analyses in sentences: what is asked, what changes places in a test, how many permutations.

In the reader's language: nothing of it is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _

from annotations.designing.averaging import candidates
from annotations.designing.testing_unit import p_in_words
from annotations.ground.errors import HLVError
from annotations.ground.messages import marked
from annotations.ground.registry import UnknownName
from annotations.ground.units import Crossing, count_permutations, default_exchangeable, explained, smallest_p
from annotations.models import Study
from annotations.shown.plurals import filled, in_percent, said, with_and
from metaeval.analyses.agreement.parameters import AgreementParameters
from metaeval.analyses.base.registry import Analysis, InvalidParameters, Parameters, analyses
from metaeval.analyses.method_ranking.parameters import MethodRanking
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.study_quality.parameters import StudyQuality

COEFFICIENTS = marked({"pearson": "Pearson’s r", "spearman": "Spearman’s rho", "kendall": "Kendall’s tau-b"})
RANKED = marked({"methods": "Methods", "systems": "Systems", "models": "Models"})
OVER = marked({"pooled": "over all models together", "per_model": "within each model"})
RANKINGS = marked(
    {
        "preference_fraction": "the share of answers that chose them",
        "rank_centrality": "rank centrality",
        "bradley_terry": "the Bradley-Terry model",
        "davidson": "Davidson’s model, which includes ties",
        "bradley_terry_map": "the Bradley-Terry model with a prior",
    }
)
COMPARED = marked(
    {
        "jackknife": "Two metrics are compared by leaving out each method in turn.",
        "exchange methods": "Two metrics are compared by exchanging their values of whole methods.",
        "exchange systems": "Two metrics are compared by exchanging their values of single systems, as if these were "
        "independent.",
    }
)
JUDGED = marked({"labels": "the labels of the first step", "preferences": "the choices of the second step"})
SIDES = marked({"greater": "only higher", "less": "only lower"})
TOGETHER = marked(
    {
        "instances": "answers about one text stay together",
        "people": "the answers of one person stay together",
        "responses": "each answer is drawn alone",
    }
)


@dataclass(frozen=True, slots=True)
class AnalysisInWords:
    """One planned analysis: the question that it answers, and how."""

    analysis: str
    title: str
    sentences: tuple[str, ...]


def in_words(study: Study, planned: Sequence[Mapping[str, Any]]) -> list[AnalysisInWords]:
    """Every planned analysis (`analysis`, `parameters`), in order. Those no longer installed say so."""
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
        sentences = (*sentences, _("Answers of the pilot count, too."))
    return AnalysisInWords(name, translation.gettext(entry.title), sentences)


def _plainly(error: HLVError) -> str:
    return f"{_('It cannot be computed by this version of the program.')} {error.message}"


def _correlation(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    usual = _(
        "Each of the six usual metrics: whether systems with better values are those that experts choose more often, "
        "by {measured} over {systems, plural, one {# system} other {# systems}}."
    )
    chosen = _(
        "{metrics, plural, one {# metric} other {# metrics}}: whether systems with better values are those that "
        "experts choose more often, by {measured} over {systems, plural, one {# system} other {# systems}}."
    )
    unit = default_exchangeable(crossing) if asked.exchangeable == "default" else asked.exchangeable
    return (
        filled(
            chosen if asked.metrics else usual,
            metrics=len(asked.metrics),
            measured=_listed(COEFFICIENTS, asked.coefficients),
            systems=len(crossing),
        ),
        explained(crossing, unit, say=said),
        _test(asked, crossing, unit),
        _("Because several metrics are tested, p is corrected for their number."),
        translation.gettext(COMPARED[asked.paired]),
    )


def _test(asked: Any, crossing: Crossing, unit: Any) -> str:
    possible = count_permutations(crossing, unit) if len(crossing) > 1 else 1
    if possible <= asked.permutations:
        tried = filled(
            _("{possible, plural, one {The only permutation is tried.} other {All # permutations are tried.}}"),
            possible=possible,
        )
    else:
        tried = filled(
            _("{drawn, plural, one {# permutation is drawn.} other {# permutations are drawn.}}"),
            drawn=asked.permutations,
        )
    if asked.alternative != "two-sided":
        side = translation.gettext(SIDES[asked.alternative])
        return f"{tried} {_('The test looks at one side ({side}).').format(side=side)}"
    least = smallest_p(crossing, unit, permutations=asked.permutations) if len(crossing) > 1 else 1.0
    smallest = _("The test is two-sided, and the smallest p that it can give is {p}.").format(p=p_in_words(least))
    return f"{tried} {smallest}"


def _ranking(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    ranked = _("{what} are ranked {over}, by {ways}.").format(
        what=translation.gettext(RANKED[asked.units]),
        over=_listed(OVER, asked.scopes),
        ways=_listed(RANKINGS, asked.rankings),
    )
    message = _(
        "Intervals of {level} come from {resamples, plural, one {# bootstrap sample} other {# bootstrap samples}}; "
        "{together}."
    )
    return (ranked, _with_intervals(message, asked, together=translation.gettext(TOGETHER[asked.cluster])))


def _agreement(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    message = _(
        "How far experts agree on {judged}: Krippendorff’s alpha and other measures, over all texts, within groups of "
        "texts, and for every two people."
    )
    intervals = _(
        "Intervals of {level} come from {resamples, plural, one {# bootstrap sample} other {# bootstrap samples}} of "
        "texts."
    )
    return (message.format(judged=_listed(JUDGED, asked.steps)), _with_intervals(intervals, asked))


def _quality(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    intervals = _(
        "Intervals of {level} come from {resamples, plural, one {# bootstrap sample} other {# bootstrap samples}}."
    )
    return (
        _(
            "Whether one side is chosen too often, whether people answer repeats the same way, how far each "
            "expert agrees with the rest, how long answers take, and who stops early."
        ),
        _with_intervals(intervals, asked),
    )


def _any(asked: Any, crossing: Crossing, entry: Analysis) -> tuple[str, ...]:
    """For an analysis without its own words: its description, and what is drawn."""
    permutations, resamples = getattr(asked, "permutations", 0), getattr(asked, "resamples", 0)
    drawn = (
        filled(
            _("{drawn, plural, one {# permutation is drawn.} other {# permutations are drawn.}}"), drawn=permutations
        ),
        filled(
            _("{drawn, plural, one {# bootstrap sample is drawn.} other {# bootstrap samples are drawn.}}"),
            drawn=resamples,
        ),
    )
    told = [sentence for number, sentence in zip((permutations, resamples), drawn, strict=True) if number]
    return (f"{translation.gettext(entry.description).rstrip('.')}.", *told)


Words = Callable[[Any, Crossing, Analysis], tuple[str, ...]]
SAID: dict[type[Parameters], Words] = {
    PreferenceCorrelation: _correlation,
    MethodRanking: _ranking,
    AgreementParameters: _agreement,
    StudyQuality: _quality,
}


def _with_intervals(message: str, asked: Any, **values: object) -> str:
    return filled(message, level=in_percent(asked.level), resamples=asked.resamples, **values)


def _listed(words: Mapping[str, str], names: Sequence[str]) -> str:
    """For example "x, y and z"."""
    return with_and([translation.gettext(words[name]) for name in names])
