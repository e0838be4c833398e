"""What a draft's settings amount to, in numbers that follow from counts alone, without drawing any texts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from django.utils.translation import gettext as _

from annotations.designing.averaging import all_candidates, candidates
from annotations.designing.drawing import MOST_PLANNED
from annotations.models import Compares, LabelResponse, PreferenceResponse, Study
from annotations.models.comparisons import not_taken_along
from annotations.shown.plurals import filled, written

ASSUMED_SECONDS = 120
MEASURED_FROM, MEASURED_OF = 20, 500


@dataclass(frozen=True, slots=True)
class Pace:
    """How long one text typically takes an expert, and how that is known."""

    seconds: int
    is_measured: bool

    @property
    def sentence(self) -> str:
        if self.is_measured:
            return _("So far, experts have spent {seconds} seconds on a text (median).").format(seconds=self.seconds)
        return _("No times have been measured yet. {seconds} seconds per text are assumed.").format(
            seconds=self.seconds
        )


@dataclass(frozen=True, slots=True)
class Workload:
    """The comparisons, places and people that a draft's settings amount to. `texts` counts the dataset's texts."""

    systems: int
    texts: int
    instances_per_system: int
    experts_per_comparison: int
    compares: str
    experts: int
    pace: Pace
    repeats_per_expert: int = 0

    @property
    def comparisons(self) -> int:
        return comparisons_of(self.systems, self.instances_per_system, self.compares)

    @property
    def places(self) -> int:
        return self.comparisons * self.experts_per_comparison

    @property
    def most_per_text(self) -> int:
        """How many comparisons the most-used text appears in; texts are used evenly."""
        return math.ceil(self.comparisons / self.texts) if self.texts else 0

    @property
    def fewest_per_text(self) -> int:
        return self.comparisons // self.texts if self.texts else 0

    @property
    def experts_needed(self) -> int:
        """How many experts are needed: nobody sees a text twice, so each place of a text needs a different one."""
        return self.most_per_text * self.experts_per_comparison

    @property
    def missing_experts(self) -> int:
        return max(0, self.experts_needed - self.experts)

    @property
    def texts_per_expert(self) -> int:
        people = max(self.experts, self.experts_needed)
        once = math.ceil(self.places / people) if people else 0
        return once + min(self.repeats_per_expert, once)

    @property
    def hours_per_expert(self) -> float:
        return round(self.texts_per_expert * self.pace.seconds / 3600, 2)

    @property
    def sentence(self) -> str:
        """For example: 728 comparisons, 2,912 answers. 122 texts for each of 24 experts, about 4 h each."""
        people = max(self.experts, self.experts_needed)
        return filled(
            _(
                "{comparisons, plural, one {# comparison} other {# comparisons}}, {answers, plural, one {# answer} "
                "other {# answers}}. {texts, plural, one {# text} other {# texts}} for each of {experts, plural, one "
                "{# expert} other {# experts}}, about {time} each."
            ),
            comparisons=self.comparisons,
            answers=self.places,
            texts=self.texts_per_expert,
            experts=people,
            time=in_hours(self.texts_per_expert * self.pace.seconds),
        )

    @property
    def problems(self) -> list[str]:
        """Why no plan can be made from these numbers; empty if one can."""
        needed = 1 if self.compares == Compares.HUMAN_VS_SYSTEM else 2
        problems = []
        if self.systems < needed:
            problems.append(
                filled(
                    _(
                        "At least {needed, plural, one {# system} other {# systems}} must be compared, but "
                        "there are {have}."
                    ),
                    needed=needed,
                    have=self.systems,
                )
            )
        if self.instances_per_system > self.texts:
            problems.append(
                filled(
                    _(
                        "The dataset has {texts, plural, one {# text} other {# texts}}, so a system cannot get "
                        "{wanted}."
                    ),
                    texts=self.texts,
                    wanted=self.instances_per_system,
                )
            )
        elif self.places > MOST_PLANNED:
            problems.append(too_many(self.places))
        return problems


def comparisons_of(systems: int, instances_per_system: int, compares: str) -> int:
    each = systems * instances_per_system
    return each if compares == Compares.HUMAN_VS_SYSTEM else each // 2


def too_many(places: int) -> str:
    """Why a plan of so many places cannot be made."""
    return filled(
        _(
            "This would be {places} places for experts, but the limit is {most}. Set fewer texts per system, or fewer "
            "experts per comparison."
        ),
        places=written(places),
        most=written(MOST_PLANNED),
    )


def in_hours(seconds: int) -> str:
    """Rounded up to five minutes.

    >>> in_hours(122 * 75), in_hours(60), in_hours(7200)
    ('2 h 35 min', '5 min', '2 h')
    """
    hours, minutes = divmod(math.ceil(seconds / 300) * 5, 60)
    return " ".join(part for part in (f"{hours} h" if hours else "", f"{minutes} min" if minutes else "") if part)


def measured_pace() -> Pace:
    """The median time of people's newest answers, over all studies in this installation. Two queries."""
    real: dict[str, object] = {"assignment__expert__is_simulated": False, "revision": 0, "active_ms__isnull": False}
    newest = (
        PreferenceResponse.objects.filter(not_taken_along("assignment__"), **real)
        .order_by("-pk")
        .values_list("assignment", "active_ms")
    )
    second = dict(newest[:MEASURED_OF])
    first = LabelResponse.objects.filter(revision=0, assignment__in=second).values_list("assignment", "active_ms")
    times = [
        first_time + second_time
        for assignment, first_time in first
        if first_time is not None and (second_time := second[assignment]) is not None
    ]
    if len(times) < MEASURED_FROM:
        return Pace(ASSUMED_SECONDS, is_measured=False)
    return Pace(max(1, round(median(times) / 1000)), is_measured=True)


def workload(study: Study, *, experts: int | None = None) -> Workload:
    """The workload of a study's current settings in memory; `experts`: how many there will be, if not as now."""
    return Workload(
        systems=len(candidates(study).systems),
        texts=study.dataset.instances.count(),
        instances_per_system=study.instances_per_system,
        experts_per_comparison=study.experts_per_comparison,
        compares=study.compares,
        experts=study.memberships.experts().filter(is_active=True).count() if experts is None else experts,
        pace=measured_pace(),
        repeats_per_expert=study.repeats_per_expert,
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One decision in setting up a study: `step` is for programs, the sentence for people."""

    step: str
    done: bool
    sentence: str


def checklist(study: Study, load: Workload) -> list[Step]:
    """What is decided and what is missing, next step first."""
    chosen = filled(
        _("{chosen} of {systems, plural, one {# system} other {# systems}} selected for comparison."),
        chosen=load.systems,
        systems=len(all_candidates(study).systems),
    )
    is_planned = study.comparisons.exists()
    missing = load.missing_experts
    steps = [
        Step(
            "data",
            load.texts > 0,
            filled(
                _("{dataset}: {texts, plural, one {# text} other {# texts}}."),
                dataset=study.dataset.title,
                texts=load.texts,
            ),
        ),
        Step(
            "compared",
            load.systems >= (1 if load.compares == Compares.HUMAN_VS_SYSTEM else 2),
            chosen if load.systems else _("Import predictions from at least one system."),
        ),
        Step(
            "asked",
            bool(study.instructions.strip()),
            _("The questions and instructions are ready.")
            if study.instructions.strip()
            else _("Write instructions for the experts. There are none yet."),
        ),
        Step("how_much", not load.problems, " ".join(load.problems) or load.sentence),
        Step(
            "people",
            load.experts > 0 and not missing,
            filled(
                _(
                    "{number, plural, one {Invite 1 more expert to collect all answers.} "
                    "other {Invite at least # more experts to collect all answers.}}"
                ),
                number=missing,
            )
            if missing
            else filled(
                _("{number, plural, one {# expert takes part.} other {# experts take part.}}"), number=load.experts
            ),
        ),
        Step(
            "plan",
            is_planned,
            _("The plan is saved.") if is_planned else _("Create the plan that decides who sees which texts."),
        ),
    ]
    return sorted(steps, key=lambda step: step.done)
