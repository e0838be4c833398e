"""How a study's plan stands: what each system, each expert and each instance has, and who is missing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from annotations.designing.averaging import runs_averaged
from annotations.designing.concealing import Concealment, concealment
from annotations.designing.distorting import DisplayChoice, display_choices
from annotations.designing.figures import plan_figures
from annotations.designing.keys import StatedHash, hashes_in_words, stated_hashes
from annotations.designing.pilot_places import used_up
from annotations.designing.plans import StudyPlan, active_experts, propose
from annotations.designing.several_runs import counted
from annotations.designing.testing_unit import TestingUnit, unit_of
from annotations.errors import HLVError
from annotations.languages import in_words
from annotations.models import Assignment, Study, StudyState, System
from annotations.models.comparisons import in_plan, of_main

PLANNED = in_plan("assignments__") & of_main("assignments__")
ANSWERED = PLANNED & Q(assignments__completed_at__isnull=False)


@dataclass(frozen=True, slots=True)
class Cell:
    """One instance of one system."""

    instance: int  # its position in the dataset
    places: int
    completed: int


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One line of the matrix systems x instances; only instances that the system is shown on have a cell."""

    name: str
    cells: tuple[Cell, ...]
    runs: tuple[str, ...] = ()
    """Of a mean, the names of the runs that it averages."""

    @property
    def instances(self) -> int:
        return len(self.cells)

    @property
    def places(self) -> int:
        return sum(cell.places for cell in self.cells)

    @property
    def completed(self) -> int:
        return sum(cell.completed for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ExpertRow:
    number: int
    assigned: int
    completed: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A plan for people: applied, or only proposed."""

    is_applied: bool
    systems: tuple[SystemRow, ...]
    experts: tuple[ExpertRow, ...]
    instances: int
    missing_experts: int
    statement: str
    concealment: Concealment | None = None
    unit: TestingUnit | None = None
    choices: tuple[DisplayChoice, ...] = ()
    """The study's own way to draw; while it can be chosen, the others, too."""
    side_keys: tuple[StatedHash, ...] = ()
    """Of each phase that has begun: the SHA-256 of the key that its sides are drawn by."""
    pilot_warning: str = ""
    """Where those who answered the pilot would be too few for the main study."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should be mended before the study opens."""
        told = [part.warning for part in (self.concealment, self.unit) if part]
        return tuple(warning for warning in (*told, self.pilot_warning) if warning)


def overview(*, study: Study) -> Overview:
    """The stored plan with what was answered, or, for a draft without one, what its settings would give."""
    if study.pk and study.comparisons.exists():
        return _stored(study)
    try:
        return of_plan(propose(study=study), study=study)
    except HLVError as error:
        return Overview(False, (), (), study.dataset.instances.count(), 0, f"There is no plan yet. {error.message}")


def of_plan(plan: StudyPlan, *, study: Study) -> Overview:
    """A plan that is not stored, of a study that may not be either."""
    rows = tuple(
        SystemRow(
            name=system.name,
            cells=tuple(Cell(int(i), plan.experts_per_comparison, 0) for i in row.nonzero()[0]),
            runs=tuple(run.name for run in plan.candidates.means.get(place, ())),
        )
        for place, (system, row) in enumerate(zip(plan.systems, plan.matrix, strict=True))
    )
    experts = tuple(ExpertRow(number, load, 0) for number, load in sorted(plan.loads.items()))
    shown = plan.shown
    hidden = concealment(study=study, shown=((second, instance) for _, second, instance in shown))
    unit = unit_of([(system.model, system.method, system.run) for system in plan.systems])
    choices = display_choices(study=study, shown=shown)
    return Overview(
        is_applied=False,
        systems=rows,
        experts=experts,
        instances=len(plan.instances),
        missing_experts=plan.missing_experts,
        statement=_with(f"Not applied yet. {plan.statement} {in_words(study)}", unit, hidden, choices),
        concealment=hidden,
        unit=unit,
        choices=choices,
    )


def missing_in(study: Study, *, used_up: Counter[int] | None = None) -> int:
    """How many experts the places that are still free lack; who has seen an instance cannot take it again.

    `used_up`: places of each instance that will be free besides.
    """
    experts = len(active_experts(study))
    free = Counter(
        dict(
            Assignment.objects.free()
            .filter(study=study)
            .order_by()
            .values_list("instance")
            .annotate(places=Count("pk"))
        )
    )
    free.update(used_up or {})
    seen = dict(
        Assignment.objects.filter(study=study, expert__is_active=True)
        .order_by()
        .values_list("instance")
        .annotate(experts=Count("expert", distinct=True))
    )
    return max((places - (experts - seen.get(instance, 0)) for instance, places in free.items()), default=0)


def _stored(study: Study) -> Overview:
    counted = list(
        study.comparisons.order_by("position")
        .values_list("first_system", "second_system", "instance__position")
        .annotate(
            places=Count("assignments", filter=PLANNED),
            completed=Count("assignments", filter=ANSWERED),
        )
    )
    told = not study.comparisons.filter(identical=None).exists() or study.state == StudyState.DRAFT
    cells: dict[int, list[Cell]] = {}
    for first, second, instance, places, completed in counted:
        for system in (first, second):
            if system is not None:
                cells.setdefault(system, []).append(Cell(instance, places, completed))
    systems = sorted(System.compared.filter(pk__in=cells), key=lambda one: (one.model, one.method, one.run))
    experts = study.memberships.experts().annotate(
        assigned=Count("assignments", filter=PLANNED),
        completed=Count("assignments", filter=ANSWERED),
    )
    rows = [
        ExpertRow(*row)
        for row in experts.filter(Q(is_active=True) | Q(assigned__gt=0))
        .order_by("number")
        .values_list("number", "assigned", "completed")
    ]
    missing = max(0, missing_in(study))
    averaged = runs_averaged(study)
    unit = unit_of([(system.model, system.method, system.run) for system in systems])
    used = Counter(instance for _, _, instance, _, _ in counted)
    shown = [(first, second, instance) for first, second, instance, _, _ in counted]
    hidden, choices = plan_figures(study=study, shown=shown)
    side_keys = stated_hashes(study)
    return Overview(
        is_applied=True,
        systems=tuple(
            SystemRow(
                one.name,
                tuple(sorted(cells[one.pk], key=lambda cell: cell.instance)),
                tuple(run.name for run in averaged.get(one.pk, ())),
            )
            for one in systems
        ),
        experts=tuple(rows),
        instances=study.dataset.instances.count(),
        missing_experts=missing,
        statement=_with(
            _statement(
                comparisons=len(counted),
                uses=used,
                places=sum(places for *_, places, _ in counted),
                completed=sum(completed for *_, completed in counted),
                taken=sum(row.assigned for row in rows),
                experts_per_comparison=study.experts_per_comparison,
                missing=missing,
            )
            + f" {in_words(study)}",
            unit,
            hidden,
            choices,
            hashes_in_words(side_keys),
            told=told,
        ),
        concealment=hidden,
        unit=unit,
        choices=choices,
        side_keys=side_keys,
        pilot_warning=_after_the_pilot(study),
    )


def _after_the_pilot(study: Study) -> str:
    """A text that was shown in the pilot needs other people in the main study; an empty string where they are there."""
    begun = used_up(study) if study.state in {StudyState.PILOT, StudyState.PAUSED} else None
    if not begun:
        return ""
    missing = missing_in(study, used_up=begun)
    if missing <= 0:
        return ""
    return (
        "The pilot's answers do not count, and nobody is asked about a text twice. When the study opens, "
        f"{_needed(missing, 'more expert')} to answer in place of those who took part in the pilot."
    )


def _with(
    statement: str,
    unit: TestingUnit | None,
    hidden: Concealment | None,
    choices: Sequence[DisplayChoice],
    keys: str = "",
    *,
    told: bool = True,
) -> str:
    """A statement and what is measured of the plan, a line a theme: how much there is, what an analysis exchanges, what
    gives a side away, what drawing costs, the keys. `told`: whether experts learn that two sides are the same."""
    lines = [statement, *(part.statement for part in (unit, hidden) if part)]
    for own in (choice.distortion for choice in choices if choice.is_chosen):
        same = (
            f" {own.identical} of {own.comparisons} comparisons draw two sides that look the same: "
            + ("they are shown as one, and take both or neither." if told else "experts are not told so.")
            if own.identical
            else ""
        )
        lines.append(own.statement + same)
    return "\n".join([*lines, keys] if keys else lines)


def _statement(
    *,
    comparisons: int,
    uses: Counter[int],
    places: int,
    completed: int,
    taken: int,
    experts_per_comparison: int,
    missing: int,
) -> str:
    most = max(uses.values())
    sentences = [
        f"{comparisons} comparisons with {places} places: {completed} answered, {taken - completed} in hand, "
        f"{places - taken} free.",
        f"At least {_needed(most * experts_per_comparison)}, since nobody sees an instance twice.",
    ]
    if missing:
        sentences.append(f"{_needed(missing, 'more expert')} for the places that are still free.")
    elif places > taken:
        sentences.append("The active experts are enough for the places that are still free.")
    return " ".join(sentences)


def _needed(count: int, whom: str = "expert") -> str:
    return f"{counted(count, whom)} {'is' if count == 1 else 'are'} needed"
