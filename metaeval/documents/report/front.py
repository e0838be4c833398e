"""The first page: the question, the design, the answer with its figure and table, and the limits."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.documents.report.blocks import Block, Items, KeyFacts, Paragraph, Section
from metaeval.documents.report.entries import ReportedResult
from metaeval.documents.report.material import Material
from metaeval.documents.report.numbering import main_figure
from metaeval.documents.report.words import design_in_words, moment

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
        Paragraph(design_in_words(material.study, material.inputs), lead="Design."),
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
    wanted = FIGURE.get(main.analysis.name, "")
    if wanted in main.figure_names():
        blocks.append(numbering.figure(main.chart_of_answer(wanted)))
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
