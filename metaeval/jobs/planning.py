"""Plan a study's analyses, stamp the plan when the study opens, and say which results were planned.

A plan in sentences is in the reader's language, and nothing of it is stored.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from annotations.designing.averaging import candidates
from annotations.designing.testing_unit import p_in_words
from annotations.ground.errors import Conflict
from annotations.ground.messages import marked
from annotations.ground.registry import UnknownName
from annotations.ground.units import Crossing, count_permutations, default_exchangeable, explained, smallest_p
from annotations.history import events
from annotations.models import EventKind, Study, StudyState, User
from annotations.shown.plurals import filled, in_percent, said, with_and
from metaeval.analyses.agreement.parameters import AgreementParameters
from metaeval.analyses.base.computing import check_subject
from metaeval.analyses.base.registry import Analysis, InvalidParameters, Parameters, analyses
from metaeval.analyses.base.result import plan_digest
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.method_ranking.parameters import MethodRanking
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.study_quality.parameters import StudyQuality
from metaeval.jobs.models import PlannedAnalysis, StampedPlan

EDITABLE = {StudyState.DRAFT, StudyState.PILOT}
PLANNED, EXPLORATORY = "planned", "exploratory"


class PlanIsFixed(Conflict):
    """The study has opened: the plan can no longer change."""


@transaction.atomic
def set_plan(*, study: Study, planned: Sequence[Mapping[str, Any]], actor: User | None = None) -> list[PlannedAnalysis]:
    """Replace the study's planned analyses: each has `analysis`, `parameters`, and may have `seed` and `note`.

    Without a seed, it gets its own, drawn now, because other choices depend on the study's seed. An analysis that was
    already planned with the same parameters keeps its seed.

    Raises `PlanIsFixed` once the study has opened, and `UnknownName` and `InvalidParameters` like starting a run.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.state not in EDITABLE or StampedPlan.objects.filter(study=locked).exists():
        raise PlanIsFixed(
            f"The study is {locked.state}: its analysis plan was fixed when it opened. Other analyses are exploratory.",
            state=locked.state,
        )
    before = planned_rows(locked)
    rows = []
    for position, request in enumerate(planned):
        entry = analyses.get(str(request["analysis"]))
        check_subject(entry, SubjectKind.STUDY)
        parameters = entry.validated(request.get("parameters") or {})
        plain = parameters.model_dump(mode="json")
        seed = request.get("seed")
        if seed is None:
            seed = _seed_in(before, entry.name, plain)
        rows.append(
            PlannedAnalysis(
                study=locked,
                position=position,
                analysis=entry.name,
                parameters=plain,
                seed=secrets.randbelow(2**53) if seed is None else seed,
                note=str(request.get("note") or ""),
            )
        )
    PlannedAnalysis.objects.filter(study=locked).delete()
    PlannedAnalysis.objects.bulk_create(rows)
    events.record(EventKind.ANALYSES_PLANNED, actor=actor, study=locked, analyses=[row.analysis for row in rows])
    return rows


def stamp_plan(*, study: Study, actor: User | None = None) -> StampedPlan | None:
    """Fix the plan of a study in the transaction that opens it. If nothing is planned, nothing is stamped."""
    content = planned_rows(study)
    if not content or StampedPlan.objects.filter(study=study).exists():
        return None
    stamped = StampedPlan.objects.create(study=study, content=content, sha256=plan_digest(content))
    events.record(EventKind.PLAN_STAMPED, actor=actor, study=study, sha256=stamped.sha256, analyses=len(content))
    return stamped


def planned_rows(study: Study) -> list[dict[str, Any]]:
    """What a study plans, in order, as it will be stamped: with all parameters that the analyses now have."""
    rows = PlannedAnalysis.objects.filter(study=study).order_by("position")
    return [in_todays_words(row) for row in rows.values("analysis", "parameters", "seed", "note")]


def stored_plan(study: Study) -> tuple[list[dict[str, Any]], StampedPlan | None]:
    """What a study plans, in today's words, and its stamp if the plan is fixed."""
    stamped = StampedPlan.objects.filter(study=study).first()
    return [in_todays_words(row) for row in stamped.content] if stamped else planned_rows(study), stamped


def in_todays_words(row: Mapping[str, Any]) -> dict[str, Any]:
    """A planned analysis with all its parameters: missing ones mean what was meant when it was planned. An analysis
    that is no longer installed, or no longer accepts them, stays as it is."""
    return {**row, "parameters": meant(row["analysis"], row["parameters"])}


def meant(analysis: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """All stored parameters, in terms of today's declaration (`metaeval.analyses.base.parameters`)."""
    try:
        return analyses.get(analysis).recalled(parameters).model_dump(mode="json")
    except (UnknownName, InvalidParameters):
        return dict(parameters)


def planned_seed(*, study: Study | None, analysis: str, parameters: Mapping[str, Any]) -> int | None:
    """The seed with which the study's stamped plan asks this question; None if it does not."""
    stamped = StampedPlan.objects.filter(study=study).first() if study else None
    return None if stamped is None else _seed_in(stamped.content, analysis, parameters)


def _seed_in(rows: Sequence[Mapping[str, Any]], analysis: str, parameters: Mapping[str, Any]) -> int | None:
    parameters_meant = meant(analysis, parameters)
    same = (
        row for row in rows if row["analysis"] == analysis and meant(analysis, row["parameters"]) == parameters_meant
    )
    return next((int(row["seed"]) for row in same), None)


def standing(*, study: Study | None, analysis: str, parameters: Mapping[str, Any], seed: int) -> dict[str, Any] | None:
    """Whether a result was planned: the same analysis, parameters and seed are in the stamped plan.

    Parameters are compared by meaning: a plan that was stamped before an analysis got one of its parameters means what
    was computed without it.

    None without a study, else `{"status", "sha256", "stamped_at"}`; the last two are null if nothing was stamped.
    """
    if study is None:
        return None
    stamped = StampedPlan.objects.filter(study=study).first()
    parameters_meant = meant(analysis, parameters)
    is_in_plan = stamped is not None and any(
        (row["analysis"], row["seed"]) == (analysis, seed) and meant(analysis, row["parameters"]) == parameters_meant
        for row in stamped.content
    )
    return {
        "status": PLANNED if is_in_plan else EXPLORATORY,
        "sha256": stamped.sha256 if stamped else None,
        "stamped_at": stamped.at.isoformat() if stamped else None,
    }


def is_planned(plan: Mapping[str, Any] | None) -> bool | None:
    """The same in one word; None without a study."""
    return None if plan is None else plan["status"] == PLANNED


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """A named choice of analyses, each with its default parameters unless others are given."""

    name: str
    title: str
    sentence: str
    analyses: tuple[str, ...]

    @property
    def planned(self) -> list[dict[str, Any]]:
        """The plan for `set_plan`, with all parameters: those left out would mean what they once meant."""
        return [
            {"analysis": name, "parameters": analyses.get(name).validated({}).model_dump(mode="json")}
            for name in self.analyses
        ]

    def is_made(self, planned: Sequence[Mapping[str, Any]]) -> bool:
        """Whether a plan is this choice, whatever its seeds and notes."""
        mine = [(row["analysis"], row["parameters"]) for row in self.planned]
        return mine == [(row["analysis"], meant(row["analysis"], row["parameters"])) for row in planned]


CHOICES = (
    PlanChoice(
        "original",
        title="As in the original study",
        sentence="Which metric agrees with the experts, which method they prefer, how far they agree with one another, "
        "and how well the study went. The tests use the unit of analysis that suits these systems.",
        analyses=("preference_correlation", "method_ranking", "agreement", "study_quality"),
    ),
    PlanChoice(
        "metrics",
        title="Only which metric agrees with the experts",
        sentence="The question of the original study, and nothing else.",
        analyses=("preference_correlation",),
    ),
    PlanChoice(
        "none",
        title="No analysis plan",
        sentence="Everything computed later counts as exploratory.",
        analyses=(),
    ),
)


def plan_by_default(*, study: Study, actor: User | None) -> None:
    """The plan of a new study: by default, what the original study computed."""
    set_plan(study=study, planned=CHOICES[0].planned, actor=actor)


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
    crossing = Crossing.of([(system.model, system.method) for system in candidates(study).systems])
    return [_in_words(row, crossing) for row in planned]


def _in_words(row: Mapping[str, Any], crossing: Crossing) -> AnalysisInWords:
    name = str(row["analysis"])
    try:
        entry = analyses.get(name)
        parameters = entry.recalled(row.get("parameters") or {})
    except (UnknownName, InvalidParameters) as error:
        cannot = f"{_('It cannot be computed by this version of the program.')} {error.message}"
        return AnalysisInWords(name, name.replace("_", " ").capitalize(), (cannot,))
    say = SAID.get(type(parameters), _any)
    sentences = say(parameters, crossing, entry)
    if getattr(parameters, "include_pilot", False):
        sentences = (*sentences, _("Answers of the pilot count, too."))
    return AnalysisInWords(name, translation.gettext(entry.title), sentences)


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
    sentences = [sentence for number, sentence in zip((permutations, resamples), drawn, strict=True) if number]
    return (f"{translation.gettext(entry.description).rstrip('.')}.", *sentences)


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
