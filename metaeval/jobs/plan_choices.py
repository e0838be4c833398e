"""Choices that set a whole analysis plan at once, and the default of a new study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.models import Study, User
from metaeval.analyses.base.registry import analyses
from metaeval.jobs.planning import meant, set_plan


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
