"""The report, built once from the database; its first page, its limits and what referees ask are written here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from annotations.ground.progress import Progress, silent
from annotations.models import Compares, Study
from metaeval.analyses.base.wording import counted
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.documents.report.blocks import (
    Block,
    Items,
    KeyFacts,
    Paragraph,
    Pointer,
    Pointers,
    References,
    ReportContent,
    Section,
    moment,
)
from metaeval.documents.report.integrity import integrity
from metaeval.documents.report.material import Material, ReportedResult, main_figure, material_of
from metaeval.documents.report.method_section import method, other_methods, provenance, systems_in_words, text_of
from metaeval.documents.report.methods import cited
from metaeval.documents.report.people import people
from metaeval.documents.report.results_section import results
from metaeval.jobs.planning import PLANNED

FEW_SYSTEMS, FEW_EXPERTS = 20, 5


def limits(inputs: StudyInputs, results: Sequence[dict[str, Any]], *, stale: int, shares_dataset: bool) -> list[str]:
    """The limits of this study, the most serious first."""
    sentences = []
    if inputs.is_simulated:
        sentences.append(
            "The study holds simulated data or simulated experts: its numbers say nothing about real people."
        )
    if inputs.state != "closed":
        sentences.append(
            f"The study is {inputs.state}: answers may still come in and change every number. Anyone who "
            "reads this has seen unblinded data before the study closed, and its history says so."
        )
    if stale:
        sentences.append(
            f"{stale} of the results were computed from earlier data than those counted here; they say so."
        )
    exploratory = sum((result.get("plan") or {}).get("status") != PLANNED for result in results)
    if exploratory:
        sentences.append(
            f"{exploratory} of {len(results)} results were not planned before the study opened: they are exploratory, "
            "and their p-values do not account for the analyses that are not shown."
        )
    sentences += _of_units(results)
    sentences += _of_power(results)
    sentences += _of_design(inputs)
    if shares_dataset:
        sentences.append("Other studies use the same dataset; their results are not independent of these.")
    sentences.append(
        "Preference fractions are based on a limited number of judgements by few people; unless a result "
        "says that it takes this into account, its p-values are about other systems or methods and treat "
        "the fractions as exact."
    )
    return sentences


def _of_units(results: Sequence[dict[str, Any]]) -> list[str]:
    """What the unit of analysis of a result does not allow to conclude."""
    sentences = []
    units = [result["unit"] for result in results if result.get("unit")]
    for unit in (stated for stated in units if "cannot_reject" in stated):  # the unit of power is about future tests
        if unit["cannot_reject"]:
            sentences.append(f"{unit['cannot_reject']} So if a test does not reject, that says nothing.")
        if unit["exchangeable"] == "systems" and not unit["by_default"]:
            sentences.append(
                f"In one result, systems were exchanged freely because this was requested. {unit['words']}"
            )
    return list(dict.fromkeys(sentences))


def _of_power(results: Sequence[dict[str, Any]]) -> list[str]:
    """Whether a study as planned, or as judged, is too small for any answer to be significant."""
    powers = [result for result in results if result.get("analysis") == "power"]
    units = [part.get("unit") for power in powers for part in (power, power.get("observed") or {})]
    return list(dict.fromkeys(unit["warning"] for unit in units if unit and unit["warning"]))


def _texts(count: int) -> str:
    return f"{counted(count, 'text')} {'was' if count == 1 else 'were'}"


def _of_design(inputs: StudyInputs) -> list[str]:
    answers = inputs.answers
    counted_answers = answers.counting(answers.is_answered).kept
    sentences = []
    experts = len(set(answers.expert[counted_answers].tolist()))
    if len(inputs.systems) < FEW_SYSTEMS:
        sentences.append(
            f"{len(inputs.systems)} systems are few: a correlation over them is detected only if it is "
            "strong, and one system can produce it."
        )
    if experts < FEW_EXPERTS:
        sentences.append(
            f"{experts} {'expert is' if experts == 1 else 'experts are'} few: others may not share what these have "
            "in common."
        )
    if open_places := int((~answers.is_answered & ~answers.is_skipped).sum()):
        sentences.append(f"{_texts(open_places)} assigned and never answered.")
    if skipped := int(answers.is_skipped.sum()):
        sentences.append(f"{_texts(skipped)} skipped by experts who reported a problem; skipped texts do not count.")
    if missing := int((counted_answers & (answers.certainty != answers.certainty)).sum()):
        sentences.append(f"In {counted(missing, 'answer')}, no certainty was given.")
    return sentences


QUESTION = "Which predicted label distributions do experts find accurate?"
"""The question of a study without results."""

LIMITS = 3
"""As many limits as the page has room for, the most serious first."""

COLUMNS = 6
"""Columns of the first page's table: value, interval and p of the first coefficient."""

FIGURE = {"preference_correlation": "correlation_dots"}
"""The figure of the first page, if different from the section's."""


def front(material: Material, limits: Sequence[str]) -> Section:
    """Everything that a reader with one minute needs."""
    main = material.main
    blocks: list[Block] = [
        Paragraph(main.question if main else QUESTION, lead="Question."),
        Paragraph(_design_in_words(material.study, material.inputs), lead="Design."),
        KeyFacts(_facts(material), compact=True),
    ]
    blocks += _answered(material, main) if main else [Paragraph(_not_yet(material), "warning", lead="Answer.")]
    more = len(limits) > LIMITS
    blocks += [Paragraph("All are in section 6." if more else "", lead="Limits."), Items(limits[:LIMITS])]
    return Section("summary", "Summary", blocks)


def _facts(material: Material) -> list[tuple[str, str]]:
    study, plan = material.study, material.plan
    planned = "fixed when the study opened" if plan.is_fixed else "not fixed yet" if plan.rows else "none"
    return [
        ("State", study.get_state_display()),
        ("Opened", moment(study.opened_at)),
        ("Closed", moment(study.closed_at)),
        ("Analysis plan", planned),
    ]


def _answered(material: Material, main: ReportedResult) -> list[Block]:
    numbering, table = material.numbering, main.main_table
    blocks: list[Block] = [
        *main.answered(lead="Answer."),
        Paragraph(f"{_standing(material, main)}{_stale(main)}", "soft"),
    ]
    figure = FIGURE.get(main.analysis.name, "")
    if figure in main.figure_names():
        blocks.append(numbering.figure(main.chart_of_answer(figure)))
    elif (chosen := main_figure(main, is_central=False)) is not None:
        blocks.append(numbering.figure(chosen.chart, columns=chosen.columns))
    if table and table.rows:
        blocks.append(numbering.short_table(table, where=f"Section {main.number}", columns=COLUMNS))
    return blocks


def _standing(material: Material, main: ReportedResult) -> str:
    if main.is_planned:
        return "This analysis was planned before the study opened, with these parameters and this seed."
    if material.plan.is_fixed:
        return "This analysis is exploratory: it is not in the plan that was fixed when the study opened."
    return "This analysis is exploratory: no plan was fixed when the study opened."


def _stale(main: ReportedResult) -> str:
    return " It was computed from data that have changed since: compute it again." if main.is_stale else ""


def _not_yet(material: Material) -> str:
    study, answers = material.study, material.inputs.answers
    if not answers.is_answered.any():
        steps = {
            "draft": "Plan the study, invite experts and open it.",
            "pilot": "Wait for the pilot, then open the study.",
        }
        return (
            f"No expert has answered yet, so there is nothing to analyse. {steps.get(study.state, 'Invite experts.')}"
        )
    return (
        "No analysis has been run yet. Start one on the study’s page under Results, or with "
        f"`manage.py analyse {study.slug} preference_correlation`; then create this report again."
    )


ASKED = (
    "Question",
    "Unit of analysis",
    "Multiplicity",
    "Effect size",
    "Interval",
    "Power",
    "Exclusions",
    "Sensitivity",
    "Limits",
)


def where_things_stand(material: Material) -> Section:
    """One line per question, with the section that answers it."""
    main = material.main
    results = main.anchor if main else "results"
    powers = [entry for entry in material.entries if entry.analysis.name == "power"]
    varied = bool(main and main.result.get("sensitivity"))
    excluded = sum(bool(entry.result["exclusions"]) for entry in material.entries)
    lines = {
        "Question": ("the study’s question and its answer", "summary"),
        "Unit of analysis": ("what the tests exchange, and why", "tests"),
        "Multiplicity": ("what p-values are corrected for, and what not", "tests"),
        "Effect size": ("the sizes with their table" if main else "no analysis has been run yet", results),
        "Interval": ("beside every size" if main else "no analysis has been run yet", results),
        "Power": (
            ("what a study of this size can detect", powers[0].anchor)
            if powers
            else ("not computed: run the analysis `power`", "limits")
        ),
        "Exclusions": (
            f"reasons in {counted(excluded, 'result')}; skips and withdrawn texts" if excluded else "none",
            "left-out",
        ),
        "Sensitivity": (
            ("whether the answer holds when one thing is changed", results)
            if varied
            else ("not computed: `preference_correlation` reports it", "limits")
        ),
        "Limits": ("what must not be concluded", "limits"),
    }
    pointers = [Pointer(question, *lines[question]) for question in ASKED]
    opening = Paragraph("What referees ask, and where it is answered.")
    return Section("where", "Where things stand", [opening, Pointers(pointers)], number="7")


def report_of(study: Study, progress: Progress = silent) -> ReportContent:
    """The whole report.

    Sections are built in their final order, because they number their figures and tables.
    """
    progress(0, 3, "Reading the data")
    material = material_of(study, gather_study(study))
    progress(1, 3, "Drawing the figures")
    warned = _limits(material)
    appendix: list[Section] = []
    methods, others = method(material), other_methods(material)
    sections = [
        front(material, warned),
        methods,
        results(material, appendix),
        people(material, appendix),
        integrity(material),
        Section("limits", "Limits", [Items(warned)], number="6"),
        where_things_stand(material),
        Section("references", "References", [References(cited(f"{text_of(methods)} {text_of(others)}"))]),
    ]
    progress(2, 3, "Writing")
    return ReportContent(
        title=study.title,
        slug=study.slug,
        made_at=timezone.now(),
        is_simulated=material.inputs.is_simulated,
        sections=sections,
        appendix=[*([others] if others.blocks else []), *appendix, provenance(material)],
    )


def _limits(material: Material) -> list[str]:
    study = material.study
    return limits(
        material.inputs,
        [entry.result for entry in material.entries],
        stale=sum(entry.is_stale for entry in material.entries),
        shares_dataset=study.dataset.studies.exclude(pk=study.pk).exists(),
    )


COMPARED = {
    Compares.HUMAN_VS_SYSTEM: "what people said with what one of {systems} predicted",
    Compares.SYSTEM_VS_SYSTEM: "what two of {systems} predicted",
}


def _design_in_words(study: Study, inputs: StudyInputs) -> str:
    """The design in one paragraph: who judged what, how much, and how it was planned."""
    answers = inputs.answers
    counted_answers = answers.counting(answers.is_answered).kept
    experts = len(set(answers.expert[counted_answers].tolist()))
    texts = len(set(answers.instance[counted_answers].tolist()))
    task = (
        "Each read a text and chose its labels, then saw two label distributions without their sources and said which "
        "is more accurate (A, B, both or neither) and how certain they are."
    )
    planned = (
        f"The plan was {counted(study.instances_per_system, 'text')} per system and "
        f"{counted(study.experts_per_comparison, 'expert')} per comparison."
    )
    if not counted_answers.any():
        pilot = int(answers.counting(answers.is_answered, include_pilot=True).kept.sum())
        so_far = f"only the {counted(pilot, 'answer')} of the pilot, which do not count" if pilot else "no answers"
        return (
            f"Experts compare {_compared(study, inputs)}, on texts of {study.dataset.title}. {planned} There are "
            f"{so_far} yet."
        )
    who = counted(experts, "simulated expert" if study.is_simulated else "expert")
    return (
        f"{who[0].upper()}{who[1:]} compared {_compared(study, inputs)}, on {counted(texts, 'text')} of "
        f"{study.dataset.title}. {task} {planned} {counted(int(counted_answers.sum()), 'answer')} count."
    )


def _compared(study: Study, inputs: StudyInputs) -> str:
    """What an expert compared."""
    return COMPARED[Compares(study.compares)].format(systems=systems_in_words(inputs))
