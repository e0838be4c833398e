"""The report, built once from the database; its first page, its limits and what referees ask are written here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from annotations.ground.progress import Progress, silent
from annotations.models import Compares, EventKind, Study
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.table import Table, column, table
from metaeval.analyses.base.wording import counted, listed, number, share
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
from metaeval.documents.report.material import Material, ReportedResult, main_figure, material_of
from metaeval.documents.report.method_section import method, other_methods, provenance, systems_in_words, text_of
from metaeval.documents.report.methods import cited
from metaeval.documents.report.people import people
from metaeval.documents.report.results_section import results
from metaeval.jobs.planning import PLANNED, meant

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
    pointers = [Pointer(question, *answer) for question, answer in lines.items()]
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
    return COMPARED[Compares(study.compares)].format(systems=systems_in_words(inputs))


OTHERWISE_ONLY = "only with other parameters or another seed"
MOST = 8
"""How many exclusions are listed; the results state all of them."""


def integrity(material: Material) -> Section:
    """What a referee asks before trusting a number."""
    left_out = _left_out(material)
    sections = [
        Section("blinding", "Blinding", [Items(_blinding(material))], number="5.1"),
        Section("handed-back", "Skipped, corrected and withdrawn", [Items(_handled(material))], number="5.2"),
        Section("plan", "Plan and what was done", _plan(material), number="5.3"),
        Section(
            "left-out",
            "What was left out",
            [Items(left_out) if left_out else Paragraph("Nothing was left out of any result.")],
            number="5.4",
        ),
    ]
    return Section("integrity", "Integrity", [], sections, "5")


def _quality(material: Material) -> dict[str, Any] | None:
    """The newest readable result of the study's quality."""
    entries = [entry for entry in material.entries if entry.analysis.name == "study_quality" and not entry.unreadable]
    return entries[-1].result if entries else None


def _blinding(material: Material) -> list[str]:
    study, answers = material.study, material.inputs.answers
    sentences = []
    quality = _quality(material)
    leak = (quality or {}).get("leak") or {}
    if study.compares != "human_vs_system":
        sentences.append("Neither side is people’s, so there is none to be recognised.")
    elif leak.get("value") is not None:
        sentences.append(
            "Leak: a classifier that has seen the shapes of the other texts guesses people’s side "
            f"correctly in {share(leak['value'])} of {leak['comparisons']:,} comparisons (50% is chance); "
            f"in {leak['given_away']:,} of them, one side can only be a system’s."
        )
    else:
        reason = leak.get("reason") or "`study_quality` measures it, and was not run"
        sentences.append(f"Leak (what the shapes give away about people’s side): not known, because {reason}.")
    guesses = int((answers.guess >= 0).sum())
    index = next((row for row in (quality or {}).get("measures", []) if row["measure"] == "blinding"), None)
    if not guesses:
        state = "nobody has said yet" if material.inputs.asks_guess else "experts were not asked"
        sentences.append(f"Guesses: {state} which side was people’s.")
    else:
        unsure = int((answers.guess == 2).sum())
        bang = (
            f"; Bang’s blinding index is {number(index['value'])} (0 is perfect blinding)"
            if index and index["value"] is not None
            else ""
        )
        sentences.append(
            f"Guesses: {counted(guesses, 'expert')} guessed which side was people’s ({unsure} could not say){bang}."
        )
    sentences += material.inputs.notes
    if study.known_texts:
        sentences.append(
            "Known texts: experts could get texts that they had in another study that is closed. The researchers' "
            f"reason: {study.known_texts}"
        )
    looked = study.events.filter(kind=EventKind.UNBLINDED_VIEW)
    looks = (looked.filter(at__lte=study.closed_at) if study.closed_at else looked).count()
    sentences.append(
        f"Looks: unblinded data were viewed {counted(looks, 'time')} before the study closed; its history says by whom."
    )
    return sentences


def _handled(material: Material) -> list[str]:
    """What happened to answers, if anything."""
    inputs = material.inputs
    answers = inputs.answers
    shown = int((answers.is_skipped & answers.was_shown).sum())
    happened = {
        "skips": (
            int(answers.is_skipped.sum()),
            f"{{}} {{be}} skipped, {shown} of them after both sides had been shown. Skipped texts do not count.",
            "text",
        ),
        "reports": (len(inputs.reports.reason), "{} {be} reported by experts.", "problem"),
        "sides that looked the same": (
            int((answers.identical & answers.is_answered).sum()),
            "{} {be} about two sides that looked the same: only “both” or “neither” could be chosen.",
            "answer",
        ),
        "corrections": (
            int((answers.preference_revisions > 1).sum() + (answers.labels_revisions > 1).sum()),
            "{} {be} corrected later; the newest counts.",
            "answer",
        ),
        "withdrawn texts": (
            int(answers.is_withdrawn.sum()),
            "{} {be} about a text that was withdrawn because it identifies a person.",
            "place",
        ),
    }
    sentences = [
        words.format(counted(count, what), be="was" if count == 1 else "were")
        for count, words, what in happened.values()
        if count
    ]
    none = [name for name, (count, _, _) in happened.items() if not count]
    return [*sentences, *([f"None here: {', '.join(none)}."] if none else [])]


def _plan(material: Material) -> list[Block]:
    plan = material.plan
    if not plan.rows:
        return [Paragraph("No analysis was planned: all results are exploratory."), *_standing_table(material)]
    fixed = (
        f"The plan was fixed when the study opened, {moment(plan.at)}; its SHA-256 is in the appendix."
        if plan.is_fixed
        else "The plan is not fixed yet: it can change until the study opens."
    )
    return [Paragraph(fixed), *_standing_table(material)]


def _standing_table(material: Material) -> list[Block]:
    rows = [_planned_row(row, material) for row in material.plan.rows]
    rows += [
        {"analysis": entry.analysis.title, "planned": "no", "done": entry.section, "note": ""}
        for entry in material.entries
        if not entry.is_planned
    ]
    if not rows:
        return []
    made: Table = table(
        "plan",
        "What was planned and what was done",
        [
            column("analysis", "Analysis"),
            column("planned", "Planned"),
            column("done", "Done"),
            *([column("note", "Note in the plan")] if any(row["note"] for row in rows) else []),
        ],
        rows,
    )
    return [material.numbering.table(made)]


def _planned_row(row: dict[str, Any], material: Material) -> dict[str, str]:
    """The status of a planned analysis; it is not done if the parameters or the seed differ from the plan."""
    is_installed = row["analysis"] in analyses.names()
    same = [entry for entry in material.entries if entry.analysis.name == row["analysis"]]
    exact = [
        entry
        for entry in same
        if entry.run.seed == row["seed"] and meant(entry.run.analysis, entry.run.parameters) == row["parameters"]
    ]
    done = exact[0].section if exact else "no"
    if same and not exact:
        done = OTHERWISE_ONLY
    title = analyses.get(row["analysis"]).title if is_installed else f"{row['analysis']} (not installed here)"
    planned = "yes" if material.plan.is_fixed else "yes, not fixed yet"
    return {"analysis": title, "planned": planned, "done": done, "note": row["note"]}


def _left_out(material: Material) -> list[str]:
    """Every exclusion once, with the sections of the results that state it."""
    where: dict[tuple[str, str, int], list[str]] = {}
    for entry in material.entries:
        seen: set[tuple[str, str, int]] = set()
        for exclusion in entry.result["exclusions"]:
            of = exclusion.get("of") or exclusion.get("metric") or exclusion.get("machine") or ""
            key = (f"{exclusion['what']}{f' ({of})' if of else ''}", exclusion["reason"], exclusion["count"])
            if key not in seen:
                where.setdefault(key, []).append(entry.section)
            seen.add(key)
    sentences = [
        f"{what[0].upper()}{what[1:]}, {count:,}: {reason} ({listed(list(dict.fromkeys(numbers)), most=6)})."
        for (what, reason, count), numbers in where.items()
    ]
    more = len(sentences) - MOST
    return [*sentences[:MOST], f"{counted(more, 'further reason')}: the results list them."] if more > 0 else sentences
