"""Pairwise votes: which of two systems a judge found better, for an instance.

MT-Bench's columns (Zheng et al. 2023), or this project's own, which its export writes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.exporting.spreadsheets import restore
from annotations.ground import bounded_json
from annotations.ground.arrays import AnyArray, IntColumn, Matrix
from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.limits import NAME_LENGTH
from annotations.importing.memory.options import Names, TextOptions
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import (
    DatasetTable,
    InstanceRow,
    JudgeRow,
    LabelSet,
    PairwiseVotes,
)
from annotations.importing.reading.files import Files, SourceFile
from annotations.importing.reading.tabular.opening import columns_of_parquet, kind_of, open_sheet
from annotations.importing.reading.tabular.rows import check_names, instances_beside, note_columns
from annotations.importing.reading.tabular.sheets import Sheet, Texts, first_rows
from annotations.models import Outcome, Task
from annotations.shown.plurals import filled, with_commas, with_or, written

JUDGE, JUDGE_KIND, TURN, CERTAINTY = "judge", "judge_kind", "turn", "certainty"
# The names that a file may use for each column.
INSTANCE = ("instance", "question_id")
FIRST = ("first", "model_a")
SECOND = ("second", "model_b")
OUTCOME = ("outcome", "winner")
NEEDED = (INSTANCE, FIRST, SECOND, (JUDGE,), OUTCOME)
LEFT_OUT = ("conversation_a", "conversation_b")
COLUMNS = {name for names in NEEDED for name in names} | {JUDGE_KIND, TURN, CERTAINTY, *LEFT_OUT}
OUTCOMES = {outcome.value: place for place, outcome in enumerate(Outcome)} | {
    "model_a": Outcome.values.index(Outcome.FIRST),
    "model_b": Outcome.values.index(Outcome.SECOND),
    "tie (inconsistent)": Outcome.values.index(Outcome.TIE_INCONSISTENT),
}
KINDS = {"person": False, "machine": True}
PUBLISHED = ("gpt4_pair",)  # MT-Bench's machine judge, which other files need not contain


def _named(sheet: Sheet, names: Sequence[str]) -> str:
    """The name that a sheet uses for a column; empty if it lacks the column."""
    return next((name for name in names if name in sheet), "")


def known_columns() -> str:
    """The sentence that names the columns of a table of votes."""
    return _(
        "Known columns: instance (or question_id, and turn), first (or model_a), second (or model_b), judge, "
        "outcome (or winner), and optionally judge_kind and certainty."
    )


def check_columns(sheet: Sheet) -> None:
    """Note unknown, duplicate and missing columns."""
    unknown = [column for column in sheet.columns if column not in COLUMNS]
    note_columns(sheet, unknown, _("the column is unknown"), " ".join((_("Remove or rename it."), known_columns())))
    for names in NEEDED:
        present = [name for name in names if name in sheet]
        if len(present) > 1:
            note_columns(
                sheet,
                present[1:],
                filled(_("the column contains the same as {column}"), column=repr(present[0])),
                _("Keep only one of them."),
            )
        if not present:
            sheet.problems.add(
                sheet.file.name,
                filled(_("there is no column {columns}"), columns=with_or([*map(repr, names)])),
                line=1,
                value=", ".join(sheet.columns[:8]),
                remedy=known_columns(),
            )


@dataclass(eq=False)
class GatheredVotes:
    """The votes of all sheets so far, with instances, systems and judges numbered in order of appearance."""

    machines: Sequence[str]  # judges that are machines, if no column says so
    named: Sequence[str]  # those named explicitly, which must have voted
    instances: dict[str, int]
    is_closed: bool  # a separate table lists the instances, so no others may be voted on
    systems: dict[str, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, bool] = field(default_factory=dict)
    columns: list[tuple[AnyArray, ...]] = field(default_factory=list)

    def add(self, sheet: Sheet) -> None:
        """Add one sheet's votes; problems are noted."""
        first, second = self._systems(sheet, FIRST), self._systems(sheet, SECOND)
        column = _named(sheet, SECOND)
        same = np.flatnonzero((first == second) & (first >= 0))
        remedy = _("A vote must compare two different systems.")
        sheet.report(
            same, _("a system is compared with itself"), field=column, value=_texts(sheet, column).at, remedy=remedy
        )
        judge = _texts(sheet, JUDGE)
        check_names(sheet, JUDGE, judge, _("the judge's code"), NAME_LENGTH)
        self._note_kinds(sheet, judge)
        judges = judge.mapped({code: self.judges.setdefault(code, len(self.judges)) for code in judge.values})
        self.columns.append((self._instances(sheet), judges, first, second, _outcomes(sheet), _certainties(sheet)))

    def _systems(self, sheet: Sheet, names: Sequence[str]) -> IntColumn:
        column = _named(sheet, names)
        texts = _texts(sheet, column)
        check_names(sheet, column, texts, _("the system's name"), NAME_LENGTH)
        return texts.mapped({name: self.systems.setdefault(name, len(self.systems)) for name in texts.values})

    def _instances(self, sheet: Sheet) -> IntColumn:
        column = _named(sheet, INSTANCE)
        ids = _texts(sheet, column)
        if TURN in sheet:
            ids = _with_turn(sheet, column, ids)
        check_names(sheet, column, ids, _("the instance's id"), NAME_LENGTH)
        if not self.is_closed:
            for id_ in ids.values:
                self.instances.setdefault(id_, len(self.instances))
        where = ids.mapped(self.instances)
        sheet.report(
            np.flatnonzero((where < 0) & (ids.codes >= 0)),
            _("the instance is not in the table of instances"),
            field=column,
            value=ids.at,
            remedy=_("Use the ids of that table; a question's turn is named question_id/turn."),
        )
        return where

    def _note_kinds(self, sheet: Sheet, judge: Texts) -> None:
        if JUDGE_KIND not in sheet:
            return
        kind = _texts(sheet, JUDGE_KIND)
        remedy = _("Write 'person' or 'machine'.")
        place = kind.mapped({name: int(is_machine) for name, is_machine in KINDS.items()})
        sheet.report(
            np.flatnonzero(place < 0), _("the kind of judge is unknown"), field=JUDGE_KIND, value=kind.at, remedy=remedy
        )
        first = first_rows(judge.codes, len(judge.values))
        are_machines = [
            self.kinds.setdefault(name, bool(place[row] == 1))
            for name, row in zip(judge.values, first.tolist(), strict=True)
        ]
        # The last entry is for rows without a judge, whose code is -1.
        other = (place >= 0) & ((place == 1) != np.array([*are_machines, False])[judge.codes]) & (judge.codes >= 0)
        strange = np.flatnonzero(other)
        sheet.report(
            strange[np.unique(judge.codes[strange], return_index=True)[1]],
            _("the judge is a person in one place and a machine in another"),
            field=JUDGE_KIND,
            value=judge.at,
            remedy=_("Use the same kind everywhere, or give the two judges different codes."),
        )

    def votes(self, problems: Problems, files: str) -> PairwiseVotes:
        """All votes, in the files' order."""
        if unknown := [code for code in self.named if code not in self.judges]:
            problems.stop(
                files,
                _("no judge has this code"),
                field="machines",
                value=listed(unknown),
                remedy=filled(_("The judges are {judges}."), judges=listed(self.judges)),
            )
        if contradicted := [code for code in self.named if self.kinds.get(code) is False]:
            problems.stop(
                files,
                _("the file says that the judge is a person, but the option 'machines' says that it is a machine"),
                field="machines",
                value=listed(contradicted),
                remedy=_("Remove the judge from the option, or fix the file."),
            )
        joined = [np.concatenate(parts) for parts in zip(*self.columns, strict=True)]
        instance, judge, first, second, outcome = (column.astype(np.int32) for column in joined[:5])
        # In order of their names, since which file or column named a system first means nothing.
        machines = set(self.machines)
        names = sorted(self.systems)
        places = {name: position for position, name in enumerate(names)}
        place = np.array([places[name] for name in self.systems], dtype=np.int32)
        return PairwiseVotes(
            instance=instance,
            judge=judge,
            first=place[first],
            second=place[second],
            outcome=outcome,
            certainty=joined[5],
            judges=tuple(JudgeRow(code, self.kinds.get(code, code in machines)) for code in self.judges),
            systems=tuple(names),
        )


def _texts(sheet: Sheet, column: str) -> Texts:
    """A column of names. In CSV, names that a spreadsheet would run were written with a leading apostrophe."""
    texts = sheet.texts(column)
    if kind_of(sheet.file) != "csv" or not any(value.startswith("'") for value in texts.values):
        return texts
    names = [restore(value) for value in texts.values]
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.array([places[name] for name in names] + [-1], dtype=np.int32)
    return Texts(codes[texts.codes], list(places))


def _with_turn(sheet: Sheet, column: str, ids: Texts) -> Texts:
    """Ids of a question's turns, in order of appearance: `81/1`."""
    turn = _texts(sheet, TURN)
    reasons = _("the turn is missing"), _("the instance id is missing")
    for name, texts, reason in zip((TURN, column), (turn, ids), reasons, strict=True):
        rows = np.flatnonzero(texts.codes < 0)
        sheet.report(rows, reason, field=name, value=texts.at, remedy=_("Fill in the value."))
    sheet.problems.stop_if_any()
    both = ids.codes.astype(np.int64) * len(turn.values) + turn.codes
    _distinct, first, inverse = np.unique(both, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Texts(rank[inverse], [f"{ids.at(row)}/{turn.at(row)}" for row in first[order].tolist()])


def _outcomes(sheet: Sheet) -> IntColumn:
    column = _named(sheet, OUTCOME)
    texts = _texts(sheet, column)
    place = texts.mapped(OUTCOMES)
    sheet.report(
        np.flatnonzero(place < 0),
        _("the outcome is unknown"),
        field=column,
        value=texts.at,
        remedy=filled(_("Known outcomes: {outcomes}."), outcomes=with_commas(OUTCOMES)),
    )
    return place


def _certainties(sheet: Sheet) -> Matrix:
    if CERTAINTY not in sheet:
        return np.full(len(sheet), np.nan)
    numbers = sheet.numbers(CERTAINTY)
    bad = ~(np.isnan(numbers) | ((numbers >= 0) & (numbers <= 1)))
    sheet.report(
        np.flatnonzero(bad),
        _("the certainty is not in [0, 1]"),
        field=CERTAINTY,
        value=lambda row: float(numbers[row]),
        remedy=_("Enter a number from 0 to 1, or leave it empty."),
    )
    return numbers


class PairwiseOptions(TextOptions):
    machines: Names = Field(
        PUBLISHED,
        description=gettext_noop("The judges that are machines, separated by semicolons. All others are people."),
    )
    delimiter: str = Field(
        "",
        max_length=1,
        description=gettext_noop("Separator of the fields in a CSV file. Empty: comma, tab or semicolon."),
    )


@registered
class PairwiseVotesReader(DatasetReader[PairwiseOptions]):
    """Votes on which of two systems is better.

    CSV, JSON lines or Parquet with one row per vote, as MT-Bench publishes them: `question_id`, `turn`, `model_a`,
    `model_b`, `judge`, `winner` (`model_a`, `model_b`, `tie`, `tie (inconsistent)`); or with this project's own
    columns: `instance`, `first`, `second`, `judge`, `outcome` (`first`, `second`, `tie`, `tie_inconsistent`). A
    question's turn is the instance `question_id/turn`. `certainty` (from 0 to 1) and `judge_kind` (`person`, `machine`)
    are optional; without such a column, the option `machines` names the judges that are machines, and all others
    are people. The texts may come in a table of instances.

    Every vote is kept as recorded and in the files' order: which system was named first, ties of both kinds, and
    second votes of one judge on one item (the report counts them). The systems need no predictions. The dataset has
    no labels; its page shows how many votes and judges it has.
    """

    name = "pairwise"
    title = "Pairwise votes"
    description = (
        "CSV, JSON lines or Parquet, one row per vote: instance (or question_id and turn), the two systems, the judge "
        "and the outcome, as MT-Bench publishes them; the instances' texts in a table beside it, if there are any."
    )
    options = PairwiseOptions
    shapes = (
        ("instance", "first", "second", "judge", "outcome"),
        ("question_id", "model_a", "model_b", "judge", "winner"),
    )

    def detect(self, files: Files) -> float:
        return 0.8 if any(_holds_votes(file) for file in files) else 0.0

    def read(self, files: Files, options: PairwiseOptions, problems: Problems, progress: Progress) -> DatasetTable:
        _refuse_twins(files, problems)
        sheets = [
            open_sheet(
                file,
                problems=problems,
                progress=progress,
                delimiter=options.delimiter,
                numbers=lambda columns: {CERTAINTY} & set(columns),
            )
            for file in files
            if _holds_votes(file)
        ]
        if not sheets:
            problems.stop(
                ", ".join(file.name for file in files),
                _("none of the tables contains votes"),
                remedy=" ".join((_("Name the columns."), known_columns())),
            )
        beside = [file for file in files if not _holds_votes(file)]
        rows = instances_beside(beside, options, problems, progress)
        for sheet in sheets:
            check_columns(sheet)
        problems.stop_if_any()
        gathered = GatheredVotes(
            machines=options.machines,
            named=[code for code in options.machines if code not in PUBLISHED],
            instances={row.external_id: place for place, row in enumerate(rows)},
            is_closed=bool(beside),
        )
        for sheet in sheets:
            gathered.add(sheet)
        problems.stop_if_any()
        votes = gathered.votes(problems, ", ".join(sheet.file.name for sheet in sheets))
        if not beside:
            rows = [InstanceRow(id_, (), options.language, options.direction) for id_ in gathered.instances]
        left_out = sorted({column for sheet in sheets for column in LEFT_OUT if column in sheet})
        return DatasetTable(
            labels=LabelSet((), Task.MULTICLASS), instances=rows, votes=votes, notes=_notes(votes, left_out)
        )


def _holds_votes(file: SourceFile) -> bool:
    """Whether the file's columns name two systems and a judge. It looks at the first line only."""
    columns = set(_columns_of(file))
    return all(columns & set(names) for names in (FIRST, SECOND, OUTCOME)) or (
        JUDGE in columns and any(columns & set(names) for names in (FIRST, SECOND, OUTCOME))
    )


def _columns_of(file: SourceFile) -> Iterable[str]:
    if not file.path.is_file():
        return ()
    match kind_of(file):
        case "parquet":
            return columns_of_parquet(file)
        case "json":
            try:
                row = bounded_json.loads(file.first_line())
            except ValueError:
                return ()
            return row if isinstance(row, dict) else ()
        case "csv":
            line = file.first_line().decode(errors="replace")
            mark = next((mark for mark in "\t;" if mark in line and "," not in line), ",")
            return [name.strip().strip('"') for name in line.split(mark)]
    return ()


def _refuse_twins(files: Files, problems: Problems) -> None:
    """Refuse the same file twice: it would count every vote twice, and the votes could not show it."""
    for place, file in enumerate(files):
        for other in files[:place]:
            if file.size == other.size and file.path.read_bytes() == other.path.read_bytes():
                problems.stop(
                    file.name,
                    _("it is identical to {other}").format(other=other.name),
                    remedy=_("Provide each file only once."),
                )


def _notes(votes: PairwiseVotes, left_out: Sequence[str]) -> tuple[str, ...]:
    """How many votes came from people and from machines, and which judges voted again."""
    is_machine = np.array([judge.is_machine for judge in votes.judges])
    by_machines = int(is_machine[votes.judge].sum())
    machines = [judge.code for judge in votes.judges if judge.is_machine]
    message = _("Votes of people: {by_people} by {judges} judges; of machines: {by_machines}.")
    if machines:
        message = _("Votes of people: {by_people} by {judges} judges; of machines: {by_machines} by {machines}.")
    notes = [
        filled(
            message,
            by_people=written(len(votes) - by_machines),
            judges=written(len(votes.judges) - len(machines)),
            by_machines=written(by_machines),
            machines=listed(machines),
        )
    ]
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    again = len(votes) - len(np.unique(np.stack([votes.instance, votes.judge, low, high]), axis=1).T)
    if again:
        message = _("Votes on two systems and an instance on which the judge had voted before: {votes}; all are kept.")
        notes.append(filled(message, votes=written(again)))
    if left_out:
        notes.append(_("Left out, because votes have no texts: {left_out}.").format(left_out=", ".join(left_out)))
    return tuple(notes)
