"""Submissions to LeWiDi 2025: one `id<TAB>python list` per line, for the soft and the perspectivist task."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.ground import bounded_json
from annotations.ground.arrays import Matrix, Vector
from annotations.ground.progress import Progress
from annotations.importing.checking import SUM_TOLERANCE
from annotations.importing.formats import PredictionReader, registered
from annotations.importing.memory.limits import SYSTEM_PART_LENGTH, refuse_large_matrices
from annotations.importing.memory.options import SystemOptions, or_leave_out
from annotations.importing.memory.problems import ImportRefused, Place, Problems, listed
from annotations.importing.memory.tables import AnswersTable, PredictionTable, SystemTable, Target
from annotations.importing.reading.files import Files, SourceFile, refuse_wrong_encoding
from annotations.importing.reading.item_judgements import canonical_label
from annotations.models import Task
from annotations.shown.plurals import filled, written

LONGEST = 100_000
DEEPEST = 3
PLAIN = re.compile(r"[\[\](),\s0-9eE.+-]*")
# Python writes .5, 1. and +1, and a comma after the last entry; JSON does not.
BARE_POINT = re.compile(r"(?<![0-9])\.(?=[0-9])")
LAST_POINT = re.compile(r"(?<=[0-9])\.(?![0-9])")
PLUS = re.compile(r"(?<![eE])\+")
BRACKETS = re.compile(r"[\[\]]")
LAST_COMMA = re.compile(r",(?=\s*\])")
REMEDY_LINE = gettext_noop("Each line needs the item's id, a tab, and a list of numbers such as [0.25, 0.75].")
Align = Literal["id", "position"]
Row = list[Any]
ROUNDING = 0.02
SOFT, PERSPECTIVIST = ("_soft",), ("_pe", "_perspectivist")
Key = tuple[str, str, str]


def list_in(text: str) -> list[Any] | None:
    """A text as a list of numbers, or of lists of them; None if it is something else or too long.

    >>> list_in("[0.25, .75]"), list_in("[(0, 1), [1., +0]]"), list_in("[1][0]"), list_in("[1 + 1]")
    ([0.25, 0.75], [[0, 1], [1.0, 0]], None, None)
    >>> list_in("[__import__('os')]"), list_in('"[1, 2]"'), list_in("7")
    (None, [1, 2], None)
    """
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':  # quoted by a CSV writer because of its commas
        text = text[1:-1]
    if len(text) > LONGEST or not PLAIN.fullmatch(text):
        return None
    text = text.replace("(", "[").replace(")", "]")
    if _depth(text) > DEEPEST:
        return None
    for pattern, becomes in ((BARE_POINT, "0."), (LAST_POINT, ".0"), (PLUS, ""), (LAST_COMMA, "")):
        text = pattern.sub(becomes, text)
    try:
        value = bounded_json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, list) else None


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in BRACKETS.findall(text):
        depth += 1 if bracket == "[" else -1
        deepest = max(deepest, depth)
    return deepest


def is_number(value: Any) -> bool:
    """Whether it is a finite number; True and False are not.

    >>> is_number(0.5), is_number(True), is_number(float("inf"))
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


@dataclass(frozen=True, slots=True)
class Submission:
    """One file's lists in the order of the dataset's instances; None for missing lines."""

    file: SourceFile
    rows: list[Row | None]
    places: list[Place | None]


def _lines(file: SourceFile, problems: Problems, progress: Progress) -> Iterator[tuple[Place, str, Row]]:
    """Place, id and list of every line; other lines are noted."""
    refuse_wrong_encoding(file, problems)
    with file.path.open(encoding="utf-8-sig", newline="") as lines:
        for number, line in enumerate(lines, start=1):
            if number % 2000 == 1:
                progress(number, number, f"reading {file.name}")
            if not line.strip():
                continue
            place = Place(problems, file.name, number)
            id_, _tab, text = line.partition("\t")
            values = list_in(text)
            if values is None:
                place.problem(_("this is not an id and a list"), field="", value=text.strip(), remedy=REMEDY_LINE)
            else:
                yield place, id_.strip().strip('"'), values


def read_submission(  # noqa: PLR0917 (one place calls it)
    file: SourceFile,
    align: Align,
    target: Target,
    problems: Problems,
    progress: Progress,
    notes: list[str],
    *,
    may_lack: bool = False,
) -> Submission:
    """The file's lists, aligned by id or by position; invalid lines and ids are noted and stop the reading.

    Oddities that are not mistakes are added to `notes`.
    """
    lines = list(_lines(file, problems, progress))
    problems.stop_if_any()
    N = len(target.external_ids)
    if align == "position":
        if len(lines) != N:
            remedy = _("Provide one line per instance of the dataset, in the same order.")
            problems.stop(
                file.name,
                _("there are {found} lines for {N} instances").format(found=written(len(lines)), N=written(N)),
                remedy=remedy,
            )
        others = sum(id_ != external_id for (_, id_, _), external_id in zip(lines, target.external_ids, strict=True))
        if others:
            message = _("{file}: {count} of {ids} ids are not the instances' at their position.")
            notes.append(filled(message, file=file.name, count=written(others), ids=written(N)))
        return Submission(file, [row for _, _, row in lines], [place for place, _, _ in lines])
    submission = Submission(file, [None] * N, [None] * N)
    positions = target.positions
    for place, id_, row in lines:
        i = positions.get(id_)
        if i is None:
            remedy = _("Use the dataset's ids, or set the option 'align' to 'position' if the lines are in its order.")
            place.problem(_("the item is not in the dataset"), field="id", value=id_, remedy=remedy)
        elif submission.rows[i] is not None:
            place.problem(_("the item appears twice"), field="id", value=id_, remedy=_("Keep only one of the lines."))
        else:
            submission.rows[i], submission.places[i] = row, place
    absent = [id_ for id_, row in zip(target.external_ids, submission.rows, strict=True) if row is None]
    if absent and not (may_lack and len(absent) < N):
        problems.add_lacking(
            file.name,
            _("the submission"),
            absent,
            N,
            field="id",
            remedy=or_leave_out(
                _("Import the split that was predicted as a separate dataset, or give a line for every instance.")
            ),
        )
    problems.stop_if_any()
    return submission


class SubmissionOptions(SystemOptions):
    predicts: Literal["infer", "distributions", "annotations"] = Field(
        "infer",
        description="What the lists are: distributions (soft task) or annotations (perspectivist); infer: by the "
        "file's name (_soft, _pe), else by the lists.",
    )
    align: Align = Field(
        "id", description="How a line is matched to its item: by id, or by position, as the organisers match them."
    )
    rescale: bool = Field(
        False,
        description="Divide distributions whose sum is only roughly 1 (within 0.02) by their sum.",
    )
    refused: Literal["refuse_all", "leave_out"] = Field(
        "refuse_all",
        description="What happens to the other files if one of several is refused: refuse_all, or leave_out the "
        "refused one.",
    )


@registered
class Lewidi2025SubmissionReader(PredictionReader[SubmissionOptions]):
    """Submissions: one line per item, `id<TAB>python list`.

    - soft (`_soft`): a share for every label, in the labels' order; in VariErrNLI a pair [no, yes] for every label; a
      system
    - perspectivist (`_pe`): an answer for every annotator of the item, in the item's order; in VariErrNLI for every
      label a list of 0 and 1; predicted annotations, under the same name

    The file's name or the lists determine the task; if they leave it open, `predicts` must (`distributions`,
    `annotations`). Lines are matched by id; the organisers score by position and never look at ids, and so does `align`
    = `position` (the report counts the wrong ids). Distributions that sum to 1 only roughly are refused, or
    divided by their sum with `rescale`. The lists are parsed, never run.

    Official submissions are accepted as they are, and the report notes what is odd about them. CSC's have seven
    bins, 0 to 6, although the scale is 1 to 6: bin 0's share is given to point 1, the nearest, and also kept
    separately, so that the leaderboard's Wasserstein distance is over seven bins; the divisor of the perspectivist task
    stays 6. VariErrNLI's may list more answers than an item has annotators: the first ones count, as the organisers
    score them. If one of several files is refused, the whole import is, and it says that nothing is wrong with the
    others; `refused` = `leave_out` imports these, and notes what was left out and why.
    """

    name = "lewidi2025"
    title = "LeWiDi 2025 submission"
    description = (
        "Tab-separated lines of an id and a python list, as submitted to Learning With Disagreements, third edition: "
        "shares of labels (soft task), or an answer for every annotator (perspectivist task)."
    )
    options = SubmissionOptions

    def detect(self, files: Files) -> float:
        return 0.9 if files and all(_looks_like_it(file) for file in files) else 0.0

    def read(
        self, files: Files, options: SubmissionOptions, target: Target, problems: Problems, progress: Progress
    ) -> PredictionTable:
        soft: dict[Key, SystemTable] = {}
        single: dict[Key, AnswersTable] = {}
        notes: list[str] = []
        refusals: dict[str, Problems] = {}
        people = target.annotations_of()
        for file in files:
            mine = Problems(shown=problems.shown)
            remarks: list[str] = []
            try:
                table = _table(file, options, target, people, mine, progress, remarks)
                taken: dict[Key, Any] = soft if isinstance(table, SystemTable) else single
                if table.key in taken:
                    remedy = _("Import the submissions of the two systems separately, each with the option 'model'.")
                    mine.stop(
                        file.name, _("two files predict the same"), field="model", value=table.model, remedy=remedy
                    )
            except ImportRefused:
                refusals[file.name] = mine
                continue
            taken[table.key] = table
            notes += remarks
        notes += _refused(refusals, options, [file.name for file in files if file.name not in refusals], problems)
        return PredictionTable(tuple(soft.values()), notes=tuple(notes), answers=tuple(single.values()))


def _refused(
    refusals: Mapping[str, Problems], options: SubmissionOptions, others: Sequence[str], problems: Problems
) -> list[str]:
    """Refuse all files because of some or, if requested and others remain, say which are left out."""
    if options.refused == "leave_out" and others:
        return [filled(_("Left out: {why}"), why=mine.refusal().message) for mine in refusals.values()]
    for mine in refusals.values():
        problems.take(mine)
    if refusals:
        for name in others:
            remedy = _("Import it by itself, or set the option 'refused' to 'leave_out'.")
            problems.add(name, _("this file is valid, but another file in the same import was refused"), remedy=remedy)
    problems.stop_if_any()
    return []


def _table(  # noqa: PLR0917 (one place calls it)
    file: SourceFile,
    options: SubmissionOptions,
    target: Target,
    people: list[int],
    problems: Problems,
    progress: Progress,
    notes: list[str],
) -> SystemTable | AnswersTable:
    may_lack = options.missing == "leave_out"
    submission = read_submission(file, options.align, target, problems, progress, notes, may_lack=may_lack)
    model, method, run = _key(file, options)
    said = {"align": options.align}
    if _is_soft(submission, options, target, people, problems):
        Q, below = _distributions(submission, options, target, notes)
        problems.stop_if_any()
        return SystemTable(model, Q=Q, method=method, run=run, options=said, below=below)
    if any(row is None for row in submission.rows):
        remedy = _("Provide the answers for every item. Only distributions may be incomplete.")
        problems.stop(file.name, _("the answers of some items are missing"), field="missing", remedy=remedy)
    matrix = _answers(submission, target, people, problems, notes)
    problems.stop_if_any()
    return AnswersTable(model, matrix=matrix, method=method, run=run, options=said)


def _looks_like_it(file: SourceFile) -> bool:
    if not file.path.is_file():
        return False
    id_, tab, rest = file.first_line().partition(b"\t")
    return bool(id_ and tab) and rest.lstrip(b' "').startswith((b"[", b"("))


def _key(file: SourceFile, options: SubmissionOptions) -> Key:
    """The system's name: from the options, or else the file's name without its task."""
    stem = file.stem
    for ending in (*SOFT, *PERSPECTIVIST):
        stem = stem.removesuffix(ending)
    return (options.model or stem[:SYSTEM_PART_LENGTH] or "submission", options.method, options.run)


def _is_soft(
    submission: Submission, options: SubmissionOptions, target: Target, people: list[int], problems: Problems
) -> bool:
    """Whether the lists are distributions, according to the options, the file's name, or their form."""
    stem = submission.file.stem.lower()
    by_name = [name for name, endings in (("s", SOFT), ("p", PERSPECTIVIST)) if stem.endswith(endings)]
    if options.predicts != "infer":
        return options.predicts == "distributions"
    if by_name:
        return by_name == ["s"]
    rows = [row for row in submission.rows if row is not None]
    could_be_soft = all(_could_be_soft(row, target) for row in rows)
    counted = [(row, count) for row, count in zip(submission.rows, people, strict=True) if row is not None]
    could_be_single = all(_could_be_single(row, target, count) for row, count in counted)
    if not could_be_soft and not could_be_single:
        return not all(_could_be_single(row, target, count, more=True) for row, count in counted)
    if could_be_soft and could_be_single:
        problems.stop(
            submission.file.name,
            _("the lists could be distributions or annotations"),
            field="predicts",
            remedy=_("Set the option 'predicts' to say which they are."),
        )
    return not could_be_single


def _could_be_soft(row: Row, target: Target) -> bool:
    if len(row) != len(target.labels) and not (_counts_from_one(target) and len(row) == len(target.labels) + 1):
        return False
    pairs = row if target.labels.task == Task.MULTILABEL else [row]
    return all(
        isinstance(pair, list) and all(map(is_number, pair)) and abs(sum(pair) - 1) <= ROUNDING for pair in pairs
    )


def _could_be_single(row: Row, target: Target, count: int, *, more: bool = False) -> bool:
    """Whether the row can be the answers of `count` annotators, or of `more`."""
    lists = row if target.labels.task == Task.MULTILABEL else [row]
    return all(
        isinstance(part, list)
        and (len(part) == count or (more and len(part) > count))
        and all(is_number(value) and value == int(value) for value in part)
        for part in lists
    )


def _counts_from_one(target: Target) -> bool:
    """Whether the labels are a scale 1, 2, 3, ...: like CSC's, whose submissions also have a bin 0."""
    return target.labels.values == tuple(range(1, len(target.labels) + 1))


def _distributions(
    submission: Submission, options: SubmissionOptions, target: Target, notes: list[str]
) -> tuple[Matrix, Vector | None]:
    """Q, and its shares from below the scale. Rows that do not sum to 1 are noted or, if requested, divided by
    their sum.
    """
    is_multilabel = target.labels.task == Task.MULTILABEL
    has_zero = _counts_from_one(target) and all(
        row is None or len(row) == len(target.labels) + 1 for row in submission.rows
    )
    K = len(target.labels) + has_zero
    Q = np.zeros((len(target.external_ids), K))
    rescaled = 0
    for i, (row, place) in enumerate(zip(submission.rows, submission.places, strict=True)):
        if row is None or place is None:
            Q[i] = np.nan
            continue
        field = "distribution"
        parts = row if is_multilabel else [row]
        if len(row) != K or not all(
            isinstance(part, list) and len(part) == (2 if is_multilabel else K) and all(map(is_number, part))
            for part in parts
        ):
            names = listed(target.labels.names, most=12)
            remedy = filled(_("Provide one for every label, in this order: {names}."), names=names)
            form = _("these are not {count} pairs [no, yes]") if is_multilabel else _("these are not {count} numbers")
            place.problem(filled(form, count=K), field=field, value=row, remedy=remedy)
            continue
        shares = np.array(parts, dtype=np.float64)
        slack = ROUNDING if options.rescale else 0.0
        totals = shares.sum(axis=1, keepdims=True)
        if not ((shares >= -slack) & (shares <= 1 + slack)).all():
            place.problem(_("a value is not in [0, 1]"), field=field, value=row, remedy=_("Use numbers from 0 to 1."))
            continue
        off = np.abs(totals - 1).max()
        if off > max(slack, SUM_TOLERANCE):
            remedy = _("Make the numbers sum to 1, or set the option 'rescale'.")
            if options.rescale or off > ROUNDING:
                remedy = _("Make the numbers sum to 1.")
            total = f"{float(totals[np.abs(totals - 1).argmax(), 0]):.6g}"
            place.problem(_("the numbers do not sum to 1"), field=field, value=total, remedy=remedy)
            continue
        if (options.rescale and ((shares < 0) | (shares > 1)).any()) or off > SUM_TOLERANCE:
            shares = np.clip(shares, 0, 1)
            shares /= shares.sum(axis=1, keepdims=True)
            rescaled += 1
        Q[i] = shares[:, 1] if is_multilabel else shares[0]
    if rescaled:
        message = _(
            "{file}: {count, plural, one {# distribution was divided by its sum.} other {# distributions were divided "
            "by their sum.}}"
        )
        notes.append(filled(message, file=submission.file.name, count=rescaled))
    return _without_zero(submission, Q, notes) if has_zero else (Q, None)


def _without_zero(submission: Submission, bins: Matrix, notes: list[str]) -> tuple[Matrix, Vector | None]:
    """Bins 0 to K as points 1 to K. Point 1, the nearest, also gets bin 0's share, which is kept separately if
    there is any.
    """
    below, Q = np.nan_to_num(bins[:, 0]), bins[:, 1:].copy()
    Q[:, 0] += below
    used = int((below > 0).sum())
    message = _(
        "{file}: the lists have {count} numbers, for 0 to {highest}, and the scale begins at 1. Bin 0 has no share "
        "anywhere."
    )
    if used:
        message = _(
            "{file}: the lists have {count} numbers, for 0 to {highest}, and the scale begins at 1. Bin 0 has shares "
            "in {used} of {lists} lists, which count as point 1; the Wasserstein distance counts the way from 0."
        )
    shape = {"count": bins.shape[1], "highest": Q.shape[1], "used": written(used), "lists": written(len(Q))}
    notes.append(filled(message, file=submission.file.name, **shape))
    return Q, below if used else None


def _answers(submission: Submission, target: Target, people: list[int], problems: Problems, notes: list[str]) -> Matrix:
    if not any(people):
        problems.stop(
            submission.file.name,
            _("the dataset does not contain individual annotators"),
            field="predicts",
            value=target.slug,
            remedy=_("Import the dataset with its annotators, or predict distributions."),
        )
    names, positions = target.labels.names, target.labels.positions
    K, is_multilabel = len(names), target.labels.task == Task.MULTILABEL
    starts = np.concatenate([[0], np.cumsum(people)]).tolist()
    refuse_large_matrices(problems, submission.file.name, instances=starts[-1], labels=K)
    matrix = np.zeros((starts[-1], K))
    longer = 0
    for (start, end), row, place in zip(pairwise(starts), submission.rows, submission.places, strict=True):
        if row is None or place is None:
            continue
        count = end - start
        parts = row if is_multilabel else [row]
        if (is_multilabel and len(row) != K) or not all(
            isinstance(part, list) and len(part) >= count and all(map(is_number, part)) for part in parts
        ):
            message = _("these are not {lists} lists of {count} answers")
            if not is_multilabel:
                message = _("these are not {count} answers")
            reason = filled(message, lists=K, count=count)
            remedy = _("Provide an answer for every annotator of the item, in the same order.")
            place.problem(reason, field="annotations", value=row, remedy=remedy)
            continue
        longer += any(len(part) > count for part in parts)
        parts = [part[:count] for part in parts]
        if is_multilabel:
            shown = np.array(parts, dtype=np.float64).T
            if not np.isin(shown, (0, 1)).all():
                place.problem(
                    _("an answer is neither 0 nor 1"), field="annotations", value=row, remedy=_("Use 0 or 1.")
                )
                continue
            matrix[start:end] = shown
            continue
        (answers,) = parts
        labels = [positions.get(canonical_label(str(value))) for value in answers]
        for annotation, (label, value) in enumerate(zip(labels, answers, strict=True)):
            if label is None:
                remedy = filled(_("Use one of the labels: {names}."), names=listed(names, most=12))
                place.problem(_("the answer is none of the labels"), field="annotations", value=value, remedy=remedy)
            else:
                matrix[start + annotation, label] = 1
    if longer:
        message = _(
            "{file}: {count} of {items} items have more answers than annotators; the first ones count, as the "
            "organisers score."
        )
        counts = {"count": written(longer), "items": written(len(people))}
        notes.append(filled(message, file=submission.file.name, **counts))
    return matrix
