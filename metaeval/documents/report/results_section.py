"""One section per result: its answer, its main figure and table, and where to find the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metaeval.analyses.base.table import Table, column, table
from metaeval.analyses.base.wording import counted, share
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.fractions import preference_fractions
from metaeval.documents.report.blocks import Block, Paragraph, Section, moment
from metaeval.documents.report.material import HIGHEST_ASIDE, Material, ReportedResult, is_cut, label_of, main_figure
from metaeval.documents.report.people import share_of
from metaeval.documents.report.tables import BESIDE, COLUMNS

NOTHING_RUN = "No analysis has been run yet."
NUMBER = 3


def results(material: Material, appendix: list[Section]) -> Section:
    """All results, each after its appendix was written, so that it can refer to the tables there."""
    sections = [_preferences(material, appendix)]
    for entry in material.entries:
        further, section = _result(material, entry)
        if entry.is_aside:
            appendix.append(replace(section, blocks=[*section.blocks, *further]))
            continue
        sections.append(section)
        if further:
            appendix.append(Section(f"more-{entry.anchor}", entry.question, further))
    opening = [] if material.entries else [Paragraph(NOTHING_RUN, "warning")]
    if material.not_installed:
        opening.append(Paragraph(f"Not shown, because it is not installed here: {', '.join(material.not_installed)}."))
    return Section("results", "Results", opening, sections, str(NUMBER))


def _preferences(material: Material, appendix: list[Section]) -> Section:
    """What experts chose, and how often each system was chosen: the numbers behind everything else."""
    inputs, numbering = material.inputs, material.numbering
    title = "What did experts choose?"
    blocks: list[Block] = [Paragraph(_chosen(inputs), "answer")]
    if inputs.answers.counting(inputs.answers.is_answered).kept.any():
        choices, fractions = choices_table(inputs), fractions_table(inputs)
        blocks.append(numbering.table(choices, notes=choices.notes))
        block, further = numbering.body_table("preferences", fractions)
        blocks.append(block)
        if further:
            appendix.append(Section("more-preferences", title, further))
    return Section("preferences", title, blocks, number=f"{NUMBER}.1")


def _chosen(inputs: StudyInputs) -> str:
    answers = inputs.answers
    counts = answers.counting(answers.is_answered).kept
    if not answers.is_answered.any():
        return "No expert has answered yet."
    if not counts.any():
        return "No answers count yet: those given so far are from the pilot."
    both = float((answers.a_chosen[counts] & answers.b_chosen[counts]).mean())
    neither = float((~answers.a_chosen[counts] & ~answers.b_chosen[counts]).mean())
    sentence = (
        f"Of {counted(int(counts.sum()), 'answer')}, {share(both)} chose both sides and {share(neither)} neither."
    )
    if inputs.compares == "human_vs_system":
        people, system = float(answers.first_chosen[counts].mean()), float(answers.second_chosen[counts].mean())
        sentence = (
            f"Experts chose what people said in {share(people)} of {counted(int(counts.sum()), 'answer')}, "
            f"and what a system predicted in {share(system)} ({share(both)} chose both, {share(neither)} "
            "neither)."
        )
    return sentence


def _result(material: Material, entry: ReportedResult) -> tuple[list[Block], Section]:
    """Its blocks for the appendix, and its section."""
    numbering = material.numbering
    main, is_central = entry.main_table, entry is material.main
    columns = COLUMNS if is_central else BESIDE
    further: list[Block] = []
    named: list[str] = []
    whole = ""
    for part in entry.tables:
        if not part.rows or (part is main and not is_cut(part, columns=columns)):
            continue
        long = numbering.long_table(entry.analysis.name, part)
        if part is main:
            whole = label_of(long)
        else:
            named.append(f"{part.title} ({label_of(long)})")
        further += long
    blocks: list[Block] = [*entry.answered()]
    if entry.is_stale:
        blocks.append(
            Paragraph(f"Computed on {moment(entry.run.finished_at)} from data that have changed since.", "warning")
        )
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in entry.result["counts"].items())
    blocks.append(Paragraph(f"{entry.standing.capitalize()}; {counts}.", "soft"))
    chosen = main_figure(entry, is_central=is_central)
    shown: list[Block] = []
    if chosen:
        shown.append(numbering.figure(chosen.chart, columns=chosen.columns, appendix=entry.is_aside))
    if main and main.rows:
        short = numbering.short_table(main, where=whole, columns=columns, appendix=entry.is_aside)
        shown.append(short if whole else replace(short, notes=_shared(main, entry)))
    notes = [Paragraph(" ".join(entry.result["notes"]), "soft")] if entry.result["notes"] else []
    if named:
        notes.append(Paragraph(f"In the appendix: {'; '.join(named)}.", "soft"))
    # A high figure may have to wait for the next page; everything else fills this one.
    blocks += [*shown[1:], *notes, *shown[:1]] if is_central else [*shown, *notes]
    further += _further_figures(material, entry, shown=chosen.name if chosen else "")
    return further, Section(entry.anchor, entry.question, blocks, number=entry.number)


def _shared(table: Table, entry: ReportedResult) -> Sequence[str]:
    """A table's notes, without those that the result states itself."""
    return [note for note in table.notes if note not in entry.result["notes"]]


def _further_figures(material: Material, entry: ReportedResult, *, shown: str) -> list[Block]:
    """All other figures for the study's main question; for anything else the first, if the body had no room for it."""
    others = [name for name in entry.figure_names() if name != shown]
    if entry is not material.main:
        others = [] if shown else others[:1]
    return [material.numbering.figure(entry.chart(name, height=HIGHEST_ASIDE), appendix=True) for name in others]


def choices_table(inputs: StudyInputs) -> Table:
    """What was answered in step 2, by side and by source."""
    answers = inputs.answers
    counted_answers = answers.counting(answers.is_answered).kept
    a, b = answers.a_chosen[counted_answers], answers.b_chosen[counted_answers]
    sides = [("A", a & ~b), ("B", b & ~a), ("Both", a & b), ("Neither", ~a & ~b)]
    rows = [{"choice": name, "count": int(chosen.sum()), "share": share_of(chosen)} for name, chosen in sides]
    if inputs.compares == "human_vs_system":
        people, system = answers.first_chosen[counted_answers], answers.second_chosen[counted_answers]
        rows += [
            {"choice": "What people said (alone or both)", "count": int(people.sum()), "share": share_of(people)},
            {"choice": "The system (alone or both)", "count": int(system.sum()), "share": share_of(system)},
        ]
    return table(
        "choices",
        "Step 2: which is more accurate?",
        [column("choice", "Answer"), column("count", "Count"), column("share", "Share", kind="share")],
        rows,
        notes=["Without the pilot, deliberate repeats and skipped texts."],
    )


def fractions_table(inputs: StudyInputs) -> Table:
    """How often each system was chosen, the most preferred first."""
    fractions = preference_fractions(inputs.responses(), inputs.systems, both="1", weights="none", average="responses")
    rows = [
        {
            "system": fraction.system,
            "responses": fraction.responses,
            "fraction": None if fraction.reason else float(fraction.fraction),
            "notes": fraction.reason or "",
        }
        for fraction in sorted(fractions, key=lambda system: -system.fraction if not system.reason else 1.0)
    ]
    return table(
        "systems",
        "Preference fractions",
        [
            column("system", "System"),
            column("responses", "Judgements"),
            column("fraction", "Preference fraction"),
            column("notes", "Notes"),
        ],
        rows,
        notes=["The share of judgements in which the system’s distribution was chosen; “both” counts."],
    )
