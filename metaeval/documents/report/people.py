"""Who the experts were and what they did. Experts are identified by number."""

from __future__ import annotations

from collections import Counter

import numpy as np

from annotations.ground.arrays import Mask
from annotations.models import Role, Study
from metaeval.analyses.base.table import Table, column, table
from metaeval.analyses.base.wording import counted, share
from metaeval.analyses.inputs import StudyInputs
from metaeval.documents.report.blocks import Block, Paragraph, Section
from metaeval.documents.report.material import Material, label_of

MINUTE = 60_000


def people_table(inputs: StudyInputs) -> Table:
    """One row per expert: places, answers, time, certainty. Everything counts, including the pilot and repeats."""
    answers = inputs.answers
    rows = []
    for number in inputs.experts:
        mine = answers.expert == number
        rows.append(
            {
                "expert": f"Expert {number}",
                "places": int(mine.sum()),
                "answered": int((mine & answers.is_answered).sum()),
                "skipped": int((mine & answers.is_skipped).sum()),
                "first": _median(answers.labels_ms[mine]),
                "second": _median(answers.preference_ms[mine]),
                "certainty": _mean(answers.certainty[mine & answers.is_answered]),
                "reports": int((answers.expert[inputs.reports.answer] == number).sum()),
            }
        )
    return table(
        "people",
        "Experts",
        [
            column("expert", "Expert"),
            column("places", "Texts taken"),
            column("answered", "Answered"),
            column("skipped", "Skipped"),
            column("first", "Step 1, minutes"),
            column("second", "Step 2, minutes"),
            column("certainty", "Certainty"),
            column("reports", "Reports"),
        ],
        rows,
        notes=["Minutes are medians of active time; certainty is a mean from 0 (guessing) to 1 (certain)."],
    )


def counts_table(inputs: StudyInputs) -> Table:
    """How much was answered, skipped, corrected and reported."""
    answers = inputs.answers
    answered = answers.is_answered & ~answers.is_skipped
    reasons = {
        f"Reported: {reason.replace('_', ' ')}": inputs.reports.reason.count(reason)
        for reason in sorted(set(inputs.reports.reason))
    }
    counts = {
        "Texts taken by experts": len(answers),
        "Step 1 answered": int(answers.is_labelled.sum()),
        "Step 2 answered": int(answers.is_answered.sum()),
        "of these in the pilot": int((answered & answers.is_pilot).sum()),
        "of these deliberate repeats": int((answered & (answers.repeat_of >= 0)).sum()),
        "of these with two sides that looked the same": int((answered & answers.identical).sum()),
        "Skipped": int(answers.is_skipped.sum()),
        "Corrected later (step 2)": int((answers.preference_revisions > 1).sum()),
        "Count in the results by default": int(answers.counting(answers.is_answered).kept.sum()),
        **reasons,
    }
    rows = [{"what": what, "count": count} for what, count in counts.items()]
    return table("counts", "Responses", [column("what", "What"), column("count", "Count")], rows)


def labels_table(inputs: StudyInputs) -> Table:
    """What was answered in step 1, the most chosen label first."""
    answers = inputs.answers
    counted_answers = answers.counting_labels().kept
    chosen = answers.labels[counted_answers]
    order = np.argsort(-chosen.sum(axis=0), kind="stable")
    rows = [
        {"label": inputs.labels[place], "count": int(chosen[:, place].sum()), "share": share_of(chosen[:, place])}
        for place in order
    ]
    return table(
        "labels",
        "Step 1: chosen labels",
        [column("label", "Label"), column("count", "Count"), column("share", "Share of answers", kind="share")],
        rows,
    )


def profile_table(inputs: StudyInputs) -> Table | None:
    """What experts said about themselves: how many gave which answer; None if nothing was asked."""
    tally = Counter((question, answer) for _, question, answer in inputs.profiles)
    if not tally:
        return None
    return table(
        "profiles",
        "What experts said about themselves",
        [column("question", "Question"), column("answer", "Answer"), column("experts", "Experts")],
        [
            {"question": question, "answer": answer, "experts": count}
            for (question, answer), count in sorted(tally.items())
        ],
    )


def _median(times: np.ndarray) -> float | None:
    measured = times[~np.isnan(times)]
    return float(np.median(measured)) / MINUTE if len(measured) else None


def _mean(values: np.ndarray) -> float | None:
    measured = values[~np.isnan(values)]
    return float(measured.mean()) if len(measured) else None


def share_of(chosen: Mask) -> float | None:
    return float(chosen.mean()) if len(chosen) else None


def people(material: Material, appendix: list[Section]) -> Section:
    """How many experts there were, what they said about themselves, how much they did; individual experts in the
    appendix."""
    inputs, numbering = material.inputs, material.numbering
    blocks: list[Block] = [Paragraph(_who(material))]
    profile = profile_table(inputs)
    tables: list[Table] = [counts_table(inputs), *([profile] if profile else [])]
    if inputs.answers.is_labelled.any():
        tables.append(labels_table(inputs))
    further: list[Block] = []
    for counts in tables:
        block, whole = numbering.body_table("people", counts)
        blocks.append(block)
        further += whole
    if inputs.experts:
        each = numbering.long_table("people", people_table(inputs))
        further += each
        blocks.insert(1, Paragraph(f"{label_of(each)} shows what each of them did.", "soft"))
    if further:
        appendix.append(Section("more-people", "People", further))
    return Section("people", "People", blocks, number="4")


def _who(material: Material) -> str:
    study, answers = material.study, material.inputs.answers
    answered = answers.is_answered
    sentences = f"{_roles(study)} Experts are known by number only."
    times = answers.preference_ms[answered & ~np.isnan(answers.preference_ms)] / 1000
    if len(times):
        sentences += f" The median time of step 2 is {np.median(times):.0f} seconds."
    certainty = answers.certainty[answered & ~np.isnan(answers.certainty)]
    if len(certainty):
        sentences += f" Their mean certainty is {share(float(certainty.mean()))} (0 is guessing, 100% certain)."
    return sentences


def _roles(study: Study) -> str:
    """How many there are of each role. Nobody is named."""
    members = study.memberships.filter(is_active=True)
    simulated = members.experts().filter(is_simulated=True).count()
    counts = {role: members.filter(role=role).count() for role in Role}
    experts = counted(counts[Role.EXPERT], "expert")
    if simulated:
        experts += f", {simulated} of them simulated"
    others = [counted(counts[role], str(role.label)) for role in (Role.RESEARCHER, Role.ADMIN)]
    return f"The study has {experts}; and {others[0]} and {others[1]}."
