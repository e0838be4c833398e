"""Tables of who answered what, counted from the arrays that the analyses read. Experts are identified by number."""

from __future__ import annotations

from collections import Counter

import numpy as np

from annotations.ground.arrays import Mask
from metaeval.analyses.base.table import Table, column, table
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.fractions import preference_fractions

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


def choices_table(inputs: StudyInputs) -> Table:
    """What was answered in step 2, by side and by source."""
    answers = inputs.answers
    kept = answers.counting(answers.is_answered).kept
    a, b = answers.a_chosen[kept], answers.b_chosen[kept]
    sides = [("A", a & ~b), ("B", b & ~a), ("Both", a & b), ("Neither", ~a & ~b)]
    rows = [{"choice": name, "count": int(chosen.sum()), "share": _share(chosen)} for name, chosen in sides]
    if inputs.compares == "human_vs_system":
        people, system = answers.first_chosen[kept], answers.second_chosen[kept]
        rows += [
            {"choice": "What people said (alone or both)", "count": int(people.sum()), "share": _share(people)},
            {"choice": "The system (alone or both)", "count": int(system.sum()), "share": _share(system)},
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
        for fraction in sorted(fractions, key=lambda one: -one.fraction if not one.reason else 1.0)
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


def labels_table(inputs: StudyInputs) -> Table:
    """What was answered in step 1, the most chosen label first."""
    answers = inputs.answers
    kept = answers.counting_labels().kept
    chosen = answers.labels[kept]
    order = np.argsort(-chosen.sum(axis=0), kind="stable")
    rows = [
        {"label": inputs.labels[place], "count": int(chosen[:, place].sum()), "share": _share(chosen[:, place])}
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
    said = Counter((question, answer) for _, question, answer in inputs.profiles)
    if not said:
        return None
    return table(
        "profiles",
        "What experts said about themselves",
        [column("question", "Question"), column("answer", "Answer"), column("experts", "Experts")],
        [
            {"question": question, "answer": answer, "experts": count}
            for (question, answer), count in sorted(said.items())
        ],
    )


def _median(times: np.ndarray) -> float | None:
    known = times[~np.isnan(times)]
    return float(np.median(known)) / MINUTE if len(known) else None


def _mean(values: np.ndarray) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _share(chosen: Mask) -> float | None:
    return float(chosen.mean()) if len(chosen) else None
