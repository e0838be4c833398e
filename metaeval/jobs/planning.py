"""Plan a study's analyses, stamp the plan when the study opens, and say which results were planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from annotations import events
from annotations.errors import Conflict
from annotations.models import EventKind, Study, StudyState, User
from metaeval.analyses.base.computing import check_subject
from metaeval.analyses.base.plan_digest import plan_digest
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs import SubjectKind
from metaeval.jobs.plan_models import PlannedAnalysis, StampedPlan

EDITABLE = {StudyState.DRAFT, StudyState.PILOT}
PLANNED, EXPLORATORY = "planned", "exploratory"


class PlanIsFixed(Conflict):
    """The study has opened: what is planned cannot change any more."""

    code = "plan_is_fixed"


@transaction.atomic
def set_plan(*, study: Study, planned: Sequence[Mapping[str, Any]], actor: User | None = None) -> list[PlannedAnalysis]:
    """Replace the study's planned analyses: each has `analysis`, `parameters`, and may have `seed` and `note`.

    Raises `PlanIsFixed` once the study has opened, `UnknownName` and `InvalidParameters` as starting a run does.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.state not in EDITABLE or StampedPlan.objects.filter(study=locked).exists():
        raise PlanIsFixed(
            f"The study is {locked.state}: its analysis plan was fixed when it opened. Other analyses are exploratory.",
            state=locked.state,
        )
    rows = []
    for position, asked in enumerate(planned):
        entry = analyses.get(str(asked["analysis"]))
        check_subject(entry, SubjectKind.STUDY)
        parameters = entry.validated(asked.get("parameters") or {})
        seed = asked.get("seed")
        rows.append(
            PlannedAnalysis(
                study=locked,
                position=position,
                analysis=entry.name,
                parameters=parameters.model_dump(mode="json"),
                seed=locked.seed if seed is None else seed,
                note=str(asked.get("note") or ""),
            )
        )
    PlannedAnalysis.objects.filter(study=locked).delete()
    PlannedAnalysis.objects.bulk_create(rows)
    events.record(EventKind.ANALYSES_PLANNED, actor=actor, study=locked, analyses=[row.analysis for row in rows])
    return rows


def stamp_plan(*, study: Study, actor: User | None = None) -> StampedPlan | None:
    """Fix the plan of a study that opens, in the transaction that opens it. Nothing planned: nothing stamped."""
    content = [
        {"analysis": row.analysis, "parameters": row.parameters, "seed": row.seed, "note": row.note}
        for row in PlannedAnalysis.objects.filter(study=study).order_by("position")
    ]
    if not content or StampedPlan.objects.filter(study=study).exists():
        return None
    stamped = StampedPlan.objects.create(study=study, content=content, sha256=plan_digest(content))
    events.record(EventKind.PLAN_STAMPED, actor=actor, study=study, sha256=stamped.sha256, analyses=len(content))
    return stamped


def standing(*, study: Study | None, analysis: str, parameters: Mapping[str, Any], seed: int) -> dict[str, Any] | None:
    """Whether a result was planned: the same analysis, parameters and seed are in the stamped plan.

    None where there is no study. `{"status", "sha256", "stamped_at"}`; the last two are null where nothing was stamped.
    """
    if study is None:
        return None
    stamped = StampedPlan.objects.filter(study=study).first()
    found = stamped is not None and any(
        (row["analysis"], row["parameters"], row["seed"]) == (analysis, dict(parameters), seed)
        for row in stamped.content
    )
    return {
        "status": PLANNED if found else EXPLORATORY,
        "sha256": stamped.sha256 if stamped else None,
        "stamped_at": stamped.at.isoformat() if stamped else None,
    }
