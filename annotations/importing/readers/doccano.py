"""Exports of doccano for text classification: JSONL, JSON and CSV.

If everybody answers separately, doccano writes one file per person; a project with shared annotation has one file,
`all`, with one answer per text that anybody may have changed.
"""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import DatasetTable
from annotations.importing.reading.documents import Item
from annotations.importing.reading.files import Files
from annotations.importing.reading.records import CSV, KeySign, Record, records_in
from annotations.importing.reading.tool_answers import ToolAnswers, ToolOptions
from annotations.shown.plurals import filled

SHARED = "all"
BETWEEN_LABELS = "#"
RECORD = {"id": object, "label": object, "text|data": object}
SILENT = gettext_noop(
    "{count, plural, one {# answer without a label (skipped, or not yet given: doccano does not say which) was left "
    "out.} other {# answers without a label (skipped, or not yet given: doccano does not say which) were left out.}}"
)


def _is_list_of_texts(label: Any) -> bool:
    return isinstance(label, list) and all(isinstance(one, str) for one in label)


@registered
class DoccanoReader(DatasetReader[ToolOptions]):
    """What doccano exports from a text classification project.

    *Dataset*, *Actions*, *Export Dataset*, then *JSONL*, *JSON* or *CSV*; the archive contains one file per person, or
    `all` in a project with shared annotation.

    Select all files of the archive together, and keep their names, which are the annotators'. `all` is one judgement
    per text, from nobody in particular. doccano does not distinguish skipped texts from those nobody has reached; both
    are left out. In CSV, labels are joined by `#`, so a label that contains one is safe only in JSONL.
    """

    name = "doccano"
    title = "doccano"
    description = (
        "What doccano exports of a project for text classification as JSONL, JSON or CSV. Each file is one person's "
        "and named after them; 'all' is the shared answer of everybody."
    )
    options = ToolOptions
    shapes = (("id", "text", "label", "Comments"),)
    signs = (
        KeySign(RECORD | {"Comments": object}, shapes=(CSV,)),
        KeySign(RECORD | {"label": list, "Comments": object}),
        KeySign(RECORD | {"label": _is_list_of_texts}, sure=0.7),
    )

    def read(self, files: Files, options: ToolOptions, problems: Problems, progress: Progress) -> DatasetTable:
        answers = ToolAnswers(options, problems, ", ".join(file.name for file in files))
        people = []
        for file in files:
            if file.stem in people:
                remedy = _(
                    "Provide one file per person. JSONL and CSV exports of the same project contain the same data."
                )
                problems.stop(
                    file.name, _("two files have the name of the same person"), value=file.stem, remedy=remedy
                )
            people.append(file.stem)
            who = "" if file.stem == SHARED else file.stem
            for item, record in records_in(file, problems, progress):
                labels = _labels(record, item)
                if "text" not in record and "data" in record:
                    record["text"] = record.pop("data")  # its name in versions before 1.6
                id_ = answers.add_item(item, record.get("id", item.name), record)
                if labels:
                    answers.add_answer(id_, who, labels, item)
                else:
                    answers.leave_out(SILENT)
        note = filled(
            _("Each file belongs to one person and is named after them: {people}."), people=listed(people, most=20)
        )
        if SHARED in people:
            note = filled(
                _("{file} contains the shared result of all annotators: one judgement per text, by an unknown person."),
                file=repr(SHARED),
            )
        return answers.table([note])


def _labels(record: Record, item: Item) -> list[str]:
    labels = record.get("label")
    if labels is None:
        return []
    if isinstance(labels, str):
        return [label for label in labels.split(BETWEEN_LABELS) if label.strip()]
    if not _is_list_of_texts(labels):
        reason = _("these are not labels of the whole text")
        item.problem(reason, field="label", value=labels, remedy=_("Use a project for text classification."))
        return []
    return list(labels)
