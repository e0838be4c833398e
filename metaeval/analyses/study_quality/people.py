"""How far experts got, how long they took, and what they reported: counts of a study's places."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from metaeval.analyses.inputs import Flags, Reports, StudyInputs
from metaeval.analyses.study_quality.parameters import Pilot
from metaeval.stats import wilson_interval

STEPS = {"labels": "Step 1: labels", "preferences": "Step 2: preference"}
NEVER, UNDER_WAY, LEFT, DONE = "never began", "under way", "stopped", "done"
REASONS = {
    "unreadable": "cannot be read",
    "distressing": "distressing",
    "identifies_person": "identifies a person",
    "other": "something else",
}
ALL = "All experts"


def expert_name(number: int) -> str:
    """How results know an expert: never by name."""
    return f"Expert {number}"


def in_scope(study: StudyInputs, pilot: Pilot) -> tuple[StudyInputs, Pilot]:
    """The study with the places that are looked at, and what became of `auto`."""
    answers = study.answers
    given = answers.is_labelled | answers.is_answered
    if pilot == "auto":
        pilot = "leave_out" if (given & ~answers.is_pilot).any() or not given.any() else "only"
    kept: Flags = {
        "include": np.ones(len(answers), dtype=np.bool_),
        "leave_out": ~answers.is_pilot,
        "only": answers.is_pilot,
    }[pilot]
    place = np.cumsum(kept) - 1
    reported = kept[study.reports.answer]
    reports = Reports(
        answer=place[study.reports.answer[reported]],
        reason=tuple(reason for reason, stays in zip(study.reports.reason, reported, strict=True) if stays),
        skipped=study.reports.skipped[reported],
    )
    return replace(study, answers=answers.of(kept), reports=reports), pilot


def people_rows(study: StudyInputs, pilot: Pilot) -> list[dict[str, Any]]:
    """One row an expert: the places that they had, and what became of them."""
    answers = study.answers
    reports = Counter(answers.expert[study.reports.answer].tolist())
    part = _part(study)
    is_empty = not study.is_named and _left_in_pool(study) <= 0
    rows = []
    for number in study.experts:
        mine = answers.expert == number
        kept = mine & ~answers.is_skipped
        answered = kept & answers.is_answered
        half = kept & answers.is_labelled & ~answers.is_answered & ~answers.is_withdrawn
        waiting = kept & ~answers.is_labelled & ~answers.is_answered & ~answers.is_withdrawn
        gone = kept & ~answers.is_answered & answers.is_withdrawn
        had = int(answered.sum() + half.sum() + waiting.sum())
        # Repeats come on top of a part of the pool, and belong to what was given to somebody by name.
        due = math.nan if pilot == "only" else had if study.is_named else part
        done = int((answered & (study.is_named | (answers.repeat_of < 0))).sum())
        row = {
            "expert": expert_name(number),
            "answered": int(answered.sum()),
            "half": int(half.sum()),
            "waiting": int(waiting.sum()),
            "skipped": int((mine & answers.is_skipped).sum()),
            "withdrawn": int(gone.sum()),
            "repeats": int((answered & (answers.repeat_of >= 0)).sum()),
            "pilot": int((answered & answers.is_pilot).sum()),
            "corrected": int((answered & ((answers.labels_revisions > 1) | (answers.preference_revisions > 1))).sum()),
            "reports": reports[number],
            "part": due,
            "share": min(1.0, done / due) if due > 0 else math.nan,
            "is_active": number not in study.inactive,
        }
        begun = bool((mine & answers.is_labelled).any() or row["answered"])
        rows.append(
            row | {"state": _state(study, row, begun=begun, is_empty=is_empty), "reason": _no_share(pilot, due)}
        )
    return rows


def _part(study: StudyInputs) -> float:
    """Everybody's equal part of the pool: the planned places over the experts who take part, rounded up."""
    taking_part = len(study.experts) - len(study.inactive)
    return math.ceil(study.comparisons * study.experts_per_comparison / taking_part) if taking_part else math.nan


def _left_in_pool(study: StudyInputs) -> int:
    """How many of the planned places nobody has answered."""
    answers = study.answers
    answered = answers.is_answered & ~answers.is_skipped & ~answers.is_withdrawn & (answers.repeat_of < 0)
    return study.comparisons * study.experts_per_comparison - int(answered.sum())


def _state(study: StudyInputs, row: dict[str, Any], *, begun: bool, is_empty: bool) -> str:
    """An expert is done with their part, or when the pool has nothing left to give."""
    if row["share"] >= 1:
        return DONE
    if not begun:
        return NEVER
    if is_empty and not row["half"]:
        return DONE
    return LEFT if study.state == "closed" or not row["is_active"] else UNDER_WAY


def _no_share(pilot: Pilot, due: float) -> str:
    if pilot == "only":
        return "the pilot has no part that everybody has to do"
    return "" if due > 0 else "nothing was given to this expert"


def drop_out(study: StudyInputs, rows: Sequence[dict[str, Any]], pilot: Pilot, level: float) -> dict[str, Any]:
    """Of the experts who began, the share who stopped before their part was done."""
    states = Counter(row["state"] for row in rows)
    began = len(rows) - states[NEVER]
    answer: dict[str, Any] = {
        "experts": len(rows),
        "never_began": states[NEVER],
        "under_way": states[UNDER_WAY],
        "stopped": states[LEFT],
        "done": states[DONE],
        "value": math.nan,
        "low": math.nan,
        "high": math.nan,
        "n": began,
    }
    if pilot == "only":
        return answer | {"reason": "the pilot has no part that everybody has to do"}
    if not began:
        return answer | {"reason": "no expert has begun"}
    if states[UNDER_WAY]:
        return answer | {
            "reason": f"the study is {study.state}, and {states[UNDER_WAY]} of {began} experts may still go on"
        }
    low, high = wilson_interval(states[LEFT], began, level=level)
    return answer | {"value": states[LEFT] / began, "low": low, "high": high, "reason": ""}


def time_rows(study: StudyInputs, quick_seconds: float) -> list[dict[str, Any]]:
    """Seconds of each step, one row for all and one for each expert: the time in which the page was used."""
    answers = study.answers
    rows = []
    for step, there, ms in (
        ("labels", answers.is_labelled, answers.labels_ms),
        ("preferences", answers.is_answered, answers.preference_ms),
    ):
        for name, mine in [
            (ALL, np.ones(len(answers), dtype=np.bool_)),
            *((expert_name(number), answers.expert == number) for number in study.experts),
        ]:
            given = there & mine & ~answers.is_skipped
            rows.append({"step": step, "expert": name} | _times(ms[given] / 1000, quick_seconds))
    return rows


def _times(seconds: np.ndarray[Any, np.dtype[np.float64]], quick_seconds: float) -> dict[str, Any]:
    known = seconds[np.isfinite(seconds)]
    answer = {
        "answers": len(seconds),
        "unknown": len(seconds) - len(known),
        "median": math.nan,
        "q1": math.nan,
        "q3": math.nan,
        "total": float(known.sum()),
        "quick": int((known < quick_seconds).sum()),
        "quick_share": math.nan,
    }
    if not len(known):
        return answer | {"reason": "no answer" if not len(seconds) else "the time of no answer is known"}
    q1, middle, q3 = np.quantile(known, [0.25, 0.5, 0.75])
    return answer | {
        "median": float(middle),
        "q1": float(q1),
        "q3": float(q3),
        "quick_share": answer["quick"] / len(known),
        "reason": "",
    }


def report_rows(study: StudyInputs) -> list[dict[str, Any]]:
    """Reports by reason."""
    reports = study.reports
    about = study.answers.instance[reports.answer]
    by = study.answers.expert[reports.answer]
    rows = []
    for reason, title in REASONS.items():
        these = np.array([one == reason for one in reports.reason], dtype=np.bool_)
        rows.append(
            {
                "reason": title,
                "reports": int(these.sum()),
                "left": int(reports.skipped[these].sum()),
                "instances": len(np.unique(about[these])),
                "experts": len(np.unique(by[these])),
            }
        )
    return rows


def reported_instances(study: StudyInputs) -> list[dict[str, Any]]:
    """Every instance that somebody reported, those with most reports first."""
    found: dict[int, list[int]] = {}
    for number, place in enumerate(study.answers.instance[study.reports.answer].tolist()):
        found.setdefault(place, []).append(number)
    shown = np.bincount(study.answers.instance, minlength=len(study.P))
    return [
        {
            "instance": study.data.instances[place],
            "reports": len(numbers),
            "experts": int(shown[place]),
            "reasons": ", ".join(sorted({REASONS[study.reports.reason[number]] for number in numbers})),
        }
        for place, numbers in sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]


def reported_share(study: StudyInputs, level: float) -> dict[str, Any]:
    """The share of the places that were taken about which something was reported."""
    n, reported = len(study.answers), len(np.unique(study.reports.answer))
    if not n:
        return {"value": math.nan, "low": math.nan, "high": math.nan, "n": 0, "reason": "no place was taken"}
    low, high = wilson_interval(reported, n, level=level)
    return {"value": reported / n, "low": low, "high": high, "n": n, "reason": ""}
