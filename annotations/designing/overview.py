"""A study's plan and its progress: what each system, expert and instance has, and who is missing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from annotations.designing.averaging import candidates, runs_averaged
from annotations.designing.concealing import Concealment, concealment
from annotations.designing.displays import DisplayChoice, at_random, display_choices, plan_figures
from annotations.designing.keys import StatedHash, hashes_in_words, stated_hashes
from annotations.designing.plans import StudyPlan, active_experts, missing_in, propose, used_up
from annotations.designing.testing_unit import TestingUnit, unit_of
from annotations.designing.workload import Workload, workload
from annotations.ground.errors import HLVError
from annotations.models import Study, StudyState, System
from annotations.models.studies import Layout
from annotations.shown.languages import in_words
from annotations.shown.place_counts import PlaceCounts, by_comparison, by_expert, main_places
from annotations.shown.plurals import filled

MOST_DRAWN, MOST_MEASURED = 1_000, 250
"""For a plan that is not stored: up to how many comparisons it is drawn, and on how many it is measured."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One instance shown for one system."""

    instance: int  # its position in the dataset
    places: int
    completed: int


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One row of the matrix systems x instances; only instances on which the system is shown have a cell."""

    name: str
    cells: tuple[Cell, ...] = ()
    runs: tuple[str, ...] = ()
    """For a mean, the names of the runs it averages."""
    counted: tuple[int, int, int] | None = None
    """Instances, places and answers, if the cells are left out."""

    @property
    def instances(self) -> int:
        return self.counted[0] if self.counted else len(self.cells)

    @property
    def places(self) -> int:
        return self.counted[1] if self.counted else sum(cell.places for cell in self.cells)

    @property
    def completed(self) -> int:
        return self.counted[2] if self.counted else sum(cell.completed for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ExpertRow:
    number: int
    assigned: int
    completed: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A plan for people to read: applied, or only proposed."""

    is_applied: bool
    systems: tuple[SystemRow, ...]
    experts: tuple[ExpertRow, ...]
    instances: int
    missing_experts: int
    statement: str
    concealment: Concealment | None = None
    unit: TestingUnit | None = None
    choices: tuple[DisplayChoice, ...] = ()
    """The study's own way of drawing; while it can still be changed, also the others."""
    side_keys: tuple[StatedHash, ...] = ()
    """For each phase that has begun, the SHA-256 of the key that draws its sides."""
    pilot_warning: str = ""
    """A sentence if the people who answered the pilot would be too few for the main study."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should be fixed before the study opens."""
        warnings = [part.warning for part in (self.concealment, self.unit) if part]
        return tuple(warning for warning in (*warnings, self.pilot_warning) if warning)


def overview(*, study: Study, quickly: bool = False) -> Overview:
    """The stored plan with its progress or, for a draft without one, the plan that its settings would give.

    `quickly`: a plan that is not stored is not measured in full and, if large, not drawn, because people setting up a
    study look at it often.
    """
    if study.pk and study.comparisons.exists():
        return _stored(study)
    try:
        if not quickly:
            return of_plan(propose(study=study), study=study)
        load = workload(study)
        if load.comparisons > MOST_DRAWN and not load.problems:
            return _counted(study, load)
        return of_plan(propose(study=study), study=study, most_measured=MOST_MEASURED)
    except HLVError as error:
        statement = _("There is no plan yet. {message}").format(message=error.message)
        return Overview(False, (), (), study.dataset.instances.count(), missing_experts=0, statement=statement)


def _counted(study: Study, load: Workload) -> Overview:
    compared = candidates(study)
    averaged = {place: tuple(run.name for run in runs) for place, runs in compared.means.items()}
    each, people = load.instances_per_system, active_experts(study) if study.pk else []
    unit = unit_of([(system.model, system.method, system.run) for system in compared.systems])
    choices = display_choices(study=study, shown=at_random(study), learns=False)
    measured = choices[0].distortion.comparisons if choices else None
    statement = _("Not applied yet. {sentence} The texts for each system are drawn when the plan is created.").format(
        sentence=load.sentence
    )
    return Overview(
        is_applied=False,
        systems=tuple(
            SystemRow(system.name, (), averaged.get(place, ()), (each, each * load.experts_per_comparison, 0))
            for place, system in enumerate(compared.systems)
        ),
        experts=tuple(ExpertRow(expert.number, load.texts_per_expert, 0) for expert in people),
        instances=load.texts,
        missing_experts=load.missing_experts,
        statement=_with(f"{statement} {_asked(study)}", unit, None, choices, measured=measured),
        unit=unit,
        choices=choices,
    )


def of_plan(plan: StudyPlan, *, study: Study, most_measured: int | None = None) -> Overview:
    """The overview of a plan that is not stored; its study need not be either.

    `most_measured`: for a larger plan, measure only this many comparisons, and not what can be learned from shapes.
    """
    rows = tuple(
        SystemRow(
            name=system.name,
            cells=tuple(Cell(int(i), plan.experts_per_comparison, 0) for i in row.nonzero()[0]),
            runs=tuple(run.name for run in plan.candidates.means.get(place, ())),
        )
        for place, (system, row) in enumerate(zip(plan.systems, plan.matrix, strict=True))
    )
    experts = tuple(ExpertRow(number, load, 0) for number, load in sorted(plan.loads.items()))
    is_large = most_measured is not None and len(plan.draws) > most_measured
    shown = plan.shown[:most_measured] if is_large else plan.shown  # which are in shuffled order
    hidden = concealment(study=study, shown=((second, instance) for _, second, instance in shown), learns=not is_large)
    unit = unit_of([(system.model, system.method, system.run) for system in plan.systems])
    choices = display_choices(study=study, shown=shown, learns=not is_large)
    return Overview(
        is_applied=False,
        systems=rows,
        experts=experts,
        instances=len(plan.instances),
        missing_experts=plan.missing_experts,
        statement=_with(
            _("Not applied yet. {statement} {study}").format(statement=plan.statement, study=_asked(study)),
            unit,
            hidden,
            choices,
            measured=len(shown) if is_large else None,
        ),
        concealment=hidden,
        unit=unit,
        choices=choices,
    )


def _stored(study: Study) -> Overview:
    planned = main_places(study)
    by_pair, held, none = by_comparison(planned), by_expert(planned), PlaceCounts()
    comparisons = study.comparisons.order_by("position")
    counted = [
        (first, second, instance, by_pair.get(pk, none).places, by_pair.get(pk, none).answered)
        for pk, first, second, instance in comparisons.values_list(
            "pk", "first_system", "second_system", "instance__position"
        )
    ]
    is_announced = not study.comparisons.filter(identical=None).exists() or study.state == StudyState.DRAFT
    cells: dict[int, list[Cell]] = {}
    for first, second, instance, places, completed in counted:
        for system in (first, second):
            if system is not None:
                cells.setdefault(system, []).append(Cell(instance, places, completed))
    systems = sorted(System.compared.filter(pk__in=cells), key=lambda stored: (stored.model, stored.method, stored.run))
    experts = study.memberships.experts().order_by("number").values_list("pk", "number", "is_active")
    rows = [
        ExpertRow(number, held.get(pk, none).places, held.get(pk, none).answered)
        for pk, number, is_active in experts
        if is_active or pk in held
    ]
    missing = max(0, missing_in(study))
    averaged = runs_averaged(study)
    unit = unit_of([(system.model, system.method, system.run) for system in systems])
    hidden, choices = plan_figures(study=study)
    side_keys = stated_hashes(study)
    return Overview(
        is_applied=True,
        systems=tuple(
            SystemRow(
                stored.name,
                tuple(sorted(cells[stored.pk], key=lambda cell: cell.instance)),
                tuple(run.name for run in averaged.get(stored.pk, ())),
            )
            for stored in systems
        ),
        experts=tuple(rows),
        instances=study.dataset.instances.count(),
        missing_experts=missing,
        statement=_with(
            f"{_progress(study, counted, sum(row.assigned for row in rows), missing)} {_asked(study)}",
            unit,
            hidden,
            choices,
            hashes_in_words(side_keys),
            is_announced=is_announced,
        ),
        concealment=hidden,
        unit=unit,
        choices=choices,
        side_keys=side_keys,
        pilot_warning=_after_the_pilot(study),
    )


def _asked(study: Study) -> str:
    questions = [
        in_words(study),
        _("Step 1 asks: “{question}”").format(question=study.question_labels),
        _("Step 2 asks: “{question}”").format(question=study.question_preference),
    ]
    if study.question_certainty:
        questions.append(_("Next to the slider: “{question}”").format(question=study.question_certainty))
    questions.append(
        _("Step 2 shows two lists, each in the order of its own values.")
        if study.layout == Layout.SEPARATE
        else _("Step 2 shows one chart with a row for each label, side A on the left and side B on the right.")
    )
    return " ".join(questions)


def with_cells(plan: Overview, *, most: int) -> Overview:
    """A plan with at most this many cells of its matrix; the last systems have no cells then, only their totals."""
    rows = []
    for row in plan.systems:
        counted = (row.instances, row.places, row.completed)
        rows.append(row if len(row.cells) <= most else replace(row, cells=(), counted=counted))
        most -= len(row.cells)
    return replace(plan, systems=tuple(rows))


def _after_the_pilot(study: Study) -> str:
    """A sentence if the main study lacks people for the texts that were shown in the pilot."""
    begun = used_up(study) if study.state in {StudyState.PILOT, StudyState.PAUSED} else None
    if not begun:
        return ""
    missing = missing_in(study, used_up=begun)
    if missing <= 0:
        return ""
    return filled(
        _(
            "Pilot answers do not count, and nobody is asked about a text twice. When the study opens, "
            "{number, plural, one {# more expert is} other {# more experts are}} needed to replace those who took part "
            "in the pilot."
        ),
        number=missing,
    )


def _with(
    statement: str,
    unit: TestingUnit | None,
    hidden: Concealment | None,
    choices: Sequence[DisplayChoice],
    keys: str = "",
    *,
    is_announced: bool = True,
    measured: int | None = None,
) -> str:
    """A statement and the plan's measurements, one line per topic: how much there is, what an analysis exchanges, what
    reveals a side, what drawing costs, the keys. `is_announced`: whether experts learn that two sides are the same.
    `measured`: on how many comparisons, if not all."""
    some = _(
        "The figures below are based on {measured} randomly chosen comparisons. All "
        "comparisons are measured when the plan is created."
    ).format(measured=measured)
    lines = [statement, *([unit.statement] if unit else []), *([some] if measured else [])]
    lines += [hidden.statement] if hidden else []
    for own in (choice.distortion for choice in choices if choice.is_chosen):
        same = (
            _(
                "In {number} of {comparisons} comparisons, both sides look the same. They are shown as one, and "
                "experts can only answer “both” or “neither”."
            )
            if is_announced
            else _(
                "In {number} of {comparisons} comparisons, both sides look the same. Experts are not told that they do."
            )
        )
        same = same.format(number=own.identical, comparisons=own.comparisons)
        lines.append(f"{own.statement} {same}" if own.identical else own.statement)
    return "\n".join([*lines, keys] if keys else lines)


def _progress(study: Study, counted: Sequence[tuple[int | None, int, int, int, int]], taken: int, missing: int) -> str:
    """What is answered and who is needed. `counted`: both systems, instance, places and answers of each comparison."""
    places, completed = sum(places for *_, places, _ in counted), sum(completed for *_, completed in counted)
    most = max(Counter(row[2] for row in counted).values())
    sentences = [
        filled(
            _(
                "{comparisons, plural, one {# comparison} other {# comparisons}} with {places, plural, one {# place} "
                "other {# places}}: {answered} answered, {begun} in progress, {free} free."
            ),
            comparisons=len(counted),
            places=places,
            answered=completed,
            begun=taken - completed,
            free=places - taken,
        ),
        filled(
            _(
                "At least {number, plural, one {# expert is} other {# experts are}} needed, because nobody sees a text "
                "twice."
            ),
            number=most * study.experts_per_comparison,
        ),
    ]
    if missing:
        sentences.append(
            filled(
                _(
                    "{number, plural, one {# more expert is} other {# more experts are}} needed for the places that "
                    "are still free."
                ),
                number=missing,
            )
        )
    elif places > taken:
        sentences.append(_("The active experts are enough for the places that are still free."))
    return " ".join(sentences)
