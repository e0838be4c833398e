"""Plan a study's analyses, stamp the plan when the study opens, and say which results were planned."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotations.ground.errors import Conflict
from annotations.ground.registry import UnknownName
from annotations.history import events
from annotations.models import EventKind, Study, StudyState, User
from metaeval.analyses.base.computing import check_subject
from metaeval.analyses.base.registry import InvalidParameters, analyses
from metaeval.analyses.base.result import plan_digest
from metaeval.analyses.inputs import SubjectKind
from metaeval.jobs.models import PlannedAnalysis, StampedPlan

EDITABLE = {StudyState.DRAFT, StudyState.PILOT}
PLANNED, EXPLORATORY = "planned", "exploratory"


class PlanIsFixed(Conflict):
    """The study has opened: the plan can no longer change."""

    code = "plan_is_fixed"


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
