"""Pairwise votes: which of two systems a judge found better, for an instance.

MT-Bench's columns (Zheng et al. 2023): `question_id`, `turn`, `model_a`, `model_b`, `judge`, `winner`; or this
project's own, which its export writes: `instance`, `first`, `second`, `judge`, `judge_kind`, `outcome`, `certainty`.
The instance of a question's turn is named `question_id/turn`. The systems' order is kept as recorded, and so
is every vote of a judge who voted on an item more than once.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.ground import bounded_json
from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, dataset_readers
from annotations.importing.memory.options import Names, TextOptions
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import (
    DatasetTable,
    InstanceRow,
    LabelSet,
    PairwiseVotes,
)
from annotations.importing.reading.files import SourceFile
from annotations.importing.reading.tabular.beside import instances_beside
from annotations.importing.reading.tabular.opening import kind_of, open_sheet
from annotations.importing.reading.tabular.pairwise_votes import (
    CERTAINTY,
    FIRST,
    JUDGE,
    LEFT_OUT,
    OUTCOME,
    SECOND,
    GatheredVotes,
    check_columns,
    known_columns,
)
from annotations.importing.reading.tabular.parquet_files import columns_of_parquet
from annotations.models import Task
from annotations.shown.plurals import filled, written

PUBLISHED = ("gpt4_pair",)  # MT-Bench's machine judge, which other files need not contain


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

    def detect(self, files: Sequence[SourceFile]) -> float:
        return 0.8 if any(_holds_votes(file) for file in files) else 0.0

    def read(
        self, files: Sequence[SourceFile], options: PairwiseOptions, problems: Problems, progress: Progress
    ) -> DatasetTable:
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


def _refuse_twins(files: Sequence[SourceFile], problems: Problems) -> None:
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


dataset_readers.register("pairwise")(PairwiseVotesReader())
