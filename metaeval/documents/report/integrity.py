"""Whether the numbers can be trusted: blinding, what was skipped or left out, what was planned and what was done."""

from __future__ import annotations

from typing import Any

from annotations.models import EventKind
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.table import Table, column, table
from metaeval.analyses.base.wording import counted, listed, number, share
from metaeval.documents.report.blocks import Block, Items, Paragraph, Section, moment
from metaeval.documents.report.material import Material, ReportedResult
from metaeval.jobs.planning import meant

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
        asked = "nobody has said yet" if material.inputs.asks_guess else "experts were not asked"
        sentences.append(f"Guesses: {asked} which side was people’s.")
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
    exact = [entry for entry in same if _is_as_planned(entry, row)]
    done = exact[0].section if exact else "no"
    if same and not exact:
        done = OTHERWISE_ONLY
    title = analyses.get(row["analysis"]).title if is_installed else f"{row['analysis']} (not installed here)"
    planned = "yes" if material.plan.is_fixed else "yes, not fixed yet"
    return {"analysis": title, "planned": planned, "done": done, "note": row["note"]}


def _is_as_planned(entry: ReportedResult, row: dict[str, Any]) -> bool:
    return bool(entry.run.seed == row["seed"]) and meant(entry.run.analysis, entry.run.parameters) == row["parameters"]


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
