"""The tables of the quality of a study."""

from __future__ import annotations

from metaeval.analyses.base.table import Column, Kind, Row, Table, column, table
from metaeval.analyses.inputs.parts import Part
from metaeval.analyses.study_quality.naming import STEPS
from metaeval.analyses.study_quality.result import ShapeLeak, StudyQualityFindings

EXPERT = column("expert", "Expert")
NOTES = column("notes", "Notes")


def tables_of(found: StudyQualityFindings, *, level: float, quick_seconds: float) -> list[Table]:
    """The measures over all experts, then a table for each aspect."""
    tables = [
        _measures(found, _limits(level)),
        _people(found),
        _times(found, quick_seconds),
        _agreement(found, _limits(level)),
        _sides(found, _limits(level, kind="share")),
        _consistency(found, _limits(level, kind="share")),
    ]
    if found.groups:
        tables.append(_groups(found))
    if found.guesses:
        tables.append(_guesses(found, _limits(level)))
    if found.leak:
        tables.append(_leak(found.leak))
    tables.append(_reports(found))
    if found.skips:
        tables += [_skips(found), _skipped_systems(found)]
    if found.reported_instances:
        tables.append(_reported_instances(found))
    return tables


def _limits(level: float, *, kind: Kind = "") -> list[Column]:
    interval = f"{100 * level:g}%"
    return [column("low", f"{interval} low", kind=kind), column("high", f"{interval} high", kind=kind)]


def _measures(found: StudyQualityFindings, limits: list[Column]) -> Table:
    return table(
        "measures",
        "The study as a whole",
        [
            column("title", "Measure"),
            column("value", "Value"),
            *limits,
            column("n", "n"),
            column("p_value", "p", kind="p"),
            NOTES,
        ],
        [_row(row, row.reason, *row.notes) for row in found.measures],
        notes=[
            "p of the blinding index: exact, for guesses by a fair coin. Share of A: 1/2 without bias, "
            "because sides are drawn at random; interval over resampled experts."
        ],
    )


def _people(found: StudyQualityFindings) -> Table:
    drop_out = found.drop_out
    return table(
        "people",
        "What became of the experts’ places",
        [
            EXPERT,
            column("state", "State"),
            column("answered", "Answered"),
            column("part", "of"),
            column("share", "Share", kind="share"),
            column("half", "Step 1 only"),
            column("waiting", "Waiting"),
            column("skipped", "Skipped"),
            column("withdrawn", "Withdrawn", detail=True),
            column("corrected", "Corrected", detail=True),
            column("pilot", "In the pilot", detail=True),
            column("repeats", "Repeats", detail=True),
            column("reports", "Reports"),
            NOTES,
        ],
        [_row(row, row.reason, "" if row.is_active else "no longer takes part") for row in found.people],
        notes=[
            f"{drop_out.experts} experts: {drop_out.done} done, {drop_out.under_way} under way, "
            f"{drop_out.stopped} stopped, {drop_out.never_began} never began. In a pool, “of” is each "
            "expert’s equal part of the planned places.",
        ],
    )


def _times(found: StudyQualityFindings, quick_seconds: float) -> Table:
    return table(
        "times",
        "Seconds per step",
        [
            column("step", "Step"),
            EXPERT,
            column("answers", "Answers"),
            column("median", "Median"),
            column("q1", "25%"),
            column("q3", "75%"),
            column("quick", "Quick"),
            column("quick_share", "of known times", kind="share"),
            column("total", "Total", detail=True),
            column("unknown", "Time unknown", detail=True),
            NOTES,
        ],
        [_row(row, row.reason) | {"step": STEPS[row.step]} for row in found.times],
        notes=[(f"Time in which the page was visible and in use. Quick: under {quick_seconds:g} s.")],
    )


def _agreement(found: StudyQualityFindings, limits: list[Column]) -> Table:
    return table(
        "agreement",
        "Agreement of each expert with the rest",
        [
            column("step", "Step"),
            EXPERT,
            column("n_items", "Common items"),
            column("equal", "Equal answers", kind="share"),
            column("value", "Alpha with the rest"),
            *limits,
            column("others", "Alpha without them"),
            NOTES,
        ],
        [_row(row, row.reason, row.interval_reason) | {"step": STEPS[row.step]} for row in found.agreement],
        notes=[
            "Alpha with the rest: 1 minus the expert’s mean distance to the others who judged the same "
            "items, divided by the distance expected by chance. Alpha without them: that of all others "
            "among themselves; it is higher than everybody’s alpha if this expert differs from the "
            "others."
        ],
    )


def _sides(found: StudyQualityFindings, limits: list[Column]) -> Table:
    return table(
        "sides",
        "Which side was chosen",
        [
            EXPERT,
            column("answers", "Answers"),
            column("a", "A"),
            column("b", "B"),
            column("both", "Both"),
            column("neither", "Neither"),
            column("value", "Share of A", kind="share"),
            *limits,
            column("p_value", "p", kind="p"),
            column("p_holm", "p Holm", kind="p"),
            column("certainty", "Certainty", kind="share"),
            column("without_certainty", "Without", detail=True),
            column("first_is_a", "First source on A", kind="share", detail=True),
            NOTES,
        ],
        [_row(row, row.reason) for row in found.sides],
        notes=[
            "Share of A among the answers that chose one side, with Wilson’s interval, which treats "
            "answers as independent; p: exact test of 1/2; Holm’s correction over experts."
        ],
    )


def _consistency(found: StudyQualityFindings, limits: list[Column]) -> Table:
    return table(
        "consistency",
        "Repeats that got the same answer",
        [
            column("step", "Step"),
            EXPERT,
            column("n", "Repeats"),
            column("value", "Same answer", kind="share"),
            *limits,
            column("kappa", "Kappa"),
            NOTES,
        ],
        [
            _row(row, row.reason, f"kappa undefined: {row.kappa_reason}" if row.kappa_reason else "")
            | {"step": STEPS[row.step]}
            for row in found.consistency
        ],
        notes=[
            "Step 1: of a text that the expert labelled before; step 2: of a comparison that the expert judged before. "
            "Kappa: how far the share is above chance (Scott’s pi)."
        ],
    )


def _groups(found: StudyQualityFindings) -> Table:
    return table(
        "groups",
        "Experts by what they said about themselves",
        [
            column("question", "Question"),
            column("group", "Said"),
            column("experts", "Experts"),
            column("answers", "Answers"),
            column("people_chosen", "People’s side chosen", kind="share"),
            column("one_side", "of answers for one side"),
            column("label_agreement", "Alpha, step 1"),
            column("preference_agreement", "Alpha, step 2"),
            NOTES,
        ],
        [_row(row, row.reason) for row in found.groups],
        notes=[
            "Alpha: of the group’s experts with each other. Groups saw different texts and were not "
            "drawn at random: a difference between them is a hint, not a test."
        ],
    )


def _guesses(found: StudyQualityFindings, limits: list[Column]) -> Table:
    return table(
        "guesses",
        "Which side was people’s: what experts guess",
        [
            EXPERT,
            column("right", "Right"),
            column("wrong", "Wrong"),
            column("unsure", "Cannot say"),
            column("value", "Bang’s index"),
            *limits,
            column("p_value", "p", kind="p"),
            NOTES,
        ],
        [row.plain() for row in found.guesses],
        notes=[("1: everybody guesses right; 0: chance level, the blinding holds; -1: everybody guesses wrong.")],
    )


def _leak(leak: ShapeLeak) -> Table:
    return table(
        "leak",
        "Which side is people’s: what the shapes tell",
        [
            column("comparisons", "Comparisons answered, sides different"),
            column("value", "Guessed correctly, at least", kind="share"),
            *_limits(0.95, kind="share"),
            column("surest", "In the most certain fifth", kind="share"),
            column("given_away", "Give themselves away"),
            NOTES,
        ],
        [_row(leak, leak.reason)],
        notes=[
            "How often a classifier guesses people’s side correctly after seeing the shapes of both "
            "sides in the other texts (number, sum and heights of the bars; no labels, no text); chance "
            "gives 50%. It is a lower bound; the 95% interval resamples texts. A side gives itself away "
            "if its sum is lower than any that people’s sides show, or if it has more bars. Bang’s index "
            "shows what the experts made of it."
        ],
    )


def _reports(found: StudyQualityFindings) -> Table:
    return table(
        "reports",
        "Reported problems",
        [
            column("reason", "Problem"),
            column("reports", "Reports"),
            column("left", "Place left"),
            column("instances", "Instances"),
            column("experts", "Experts"),
        ],
        [row.plain() for row in found.reports],
    )


def _skips(found: StudyQualityFindings) -> Table:
    return table(
        "skips",
        "Skipped after step 2 was shown, by expert",
        [
            EXPERT,
            column("shown", "Step 2 shown"),
            column("skipped", "Skipped then"),
            column("share", "Share", kind="share"),
        ],
        [row.plain() for row in found.skips],
        notes=[("Experts who skip after seeing both sides influence which comparisons count. The turn is used up.")],
    )


def _skipped_systems(found: StudyQualityFindings) -> Table:
    return table(
        "skipped_systems",
        "Skipped after step 2 was shown, by system",
        [
            column("system", "System"),
            column("answers", "Answers"),
            column("chosen", "Chosen"),
            column("skipped", "Skipped"),
            column("fraction", "Preference fraction", kind="share"),
            column("worst", "At worst", kind="share"),
            column("best", "At best", kind="share"),
        ],
        [row.plain() for row in found.skipped_systems],
        notes=[("At worst, the system would have been chosen in none of the skipped comparisons; at best, in all.")],
    )


def _reported_instances(found: StudyQualityFindings) -> Table:
    return table(
        "reported_instances",
        "Instances that were reported",
        [
            column("instance", "Instance"),
            column("reports", "Reports"),
            column("experts", "Experts who had it"),
            column("reasons", "Problems"),
        ],
        [row.plain() for row in found.reported_instances],
    )


def _row(part: Part, reason: str, *more: str) -> Row:
    """A part's fields as cells, with its remarks: why something is undefined, and anything else."""
    words = [f"undefined: {reason}"] if reason else []
    return part.plain() | {"notes": "; ".join([*words, *(word for word in more if word)])}
