"""What Prodigy's `db-out` prints: JSON lines, one answer each.

In the interface *choice* (`textcat.manual`) `accept` lists the chosen options; in *classification* (`textcat.teach`,
about one label) the answer itself, accept or reject, is the judgement of `label`.
"""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable
from annotations.importing.reading.criteria import chosen_criterion
from annotations.importing.reading.documents import Item
from annotations.importing.reading.files import Files
from annotations.importing.reading.records import LINES, LISTS, KeySign, Record, records_in
from annotations.importing.reading.tool_answers import SKIPPED, Asked, QuestionOptions, ToolAnswers, others_note

ACCEPT, REJECT, IGNORE = "accept", "reject", "ignore"
CHOICE = "choice"  # the criterion's name if options are chosen; otherwise it is the label
ID = "_input_hash"  # one number per text, for all annotators

REJECTED = gettext_noop(
    "{count, plural, one {# answer that people rejected was left out.} other {# answers that people rejected were left "
    "out.}}"
)


@registered
class ProdigyReader(DatasetReader[QuestionOptions]):
    """What annotators answered in Prodigy.

    `prodigy db-out urgent > urgent.jsonl` prints a dataset.

    The interface `choice` (as in `textcat.manual`) gives the chosen options. The interface `classification` asks
    about one label at a time: `criterion` names the label, and the judgements are *accept* and *reject*. Ignored
    tasks and rejected choices are left out. People are identified by `_annotator_id`, or else by `_session_id`. A
    model's answers (`textcat.model-annotate`) look like a person's: name the model with `machines`.
    """

    name = "prodigy"
    title = "Prodigy"
    description = (
        "What Prodigy's db-out prints: JSON lines of the interfaces choice (one or several options) and classification "
        "(accept or reject of one label, of which one is imported)."
    )
    options = QuestionOptions
    shapes = (("text", "options", "accept", "answer", ID), ("text", "label", "answer", ID))
    signs = (
        KeySign(
            {
                "answer": lambda answer: answer in (ACCEPT, REJECT, IGNORE),
                f"{ID}|_task_hash|_view_id|_session_id|accept|options": object,
            },
            shapes=(LINES, LISTS),
        ),
    )

    def read(self, files: Files, options: QuestionOptions, problems: Problems, progress: Progress) -> DatasetTable:
        answers = ToolAnswers(options, problems, ", ".join(file.name for file in files))
        records = [
            record_of_item
            for file in files
            for record_of_item in records_in(file, problems, progress, named=(ID, "text"))
        ]
        problems.stop_if_any()
        questions = list(dict.fromkeys(_question(record) for _, record in records if _question(record)))
        criterion = chosen_criterion(options.criterion, questions, answers.file, problems)
        if criterion != CHOICE:
            answers.offered = {REJECT: None, ACCEPT: None}
        for item, record in records:
            if _question(record) == criterion:
                _read_record(item, record, criterion, answers)
        return answers.table(others_note(criterion, questions))


def _question(record: Record) -> str:
    if isinstance(record.get("options"), list):
        return CHOICE
    label = record.get("label")
    return label if isinstance(label, str) else ""


def _read_record(item: Item, record: Record, criterion: str, answers: ToolAnswers) -> None:
    meta = record.get("meta")
    data = (meta if isinstance(meta, dict) else {}) | record
    id_ = answers.add_item(item, record.get(ID, record.get("text")), data, ["text", "html"])
    labels: list[Any] = [record.get("answer")]
    asked: Asked = "one"
    if criterion == CHOICE:
        labels, asked = _choice(record, item, answers)
    match record.get("answer"):
        case "ignore":
            answers.leave_out(SKIPPED)
        case "reject" if criterion == CHOICE:
            answers.leave_out(REJECTED)
        case "accept" | "reject":
            who = record.get("_annotator_id") or record.get("_session_id")
            when = record.get("_timestamp", "")
            answers.add_answer(
                id_, who, labels, item, asked=asked, when=f"{when:020.3f}" if type(when) in (int, float) else when
            )
        case other:
            remedy = _("Provide the output of db-out: every answer is accept, reject or ignore.")
            item.problem(_("this is not an answer"), field="answer", value=other, remedy=remedy)


def _choice(record: Record, item: Item, answers: ToolAnswers) -> tuple[list[Any], Asked]:
    """The chosen options by their ids, and how many could be chosen."""
    ids = [option.get("id") for option in record["options"] if isinstance(option, dict)]
    chosen = record.get("accept", [])
    if not isinstance(chosen, list) or not all(key in ids for key in chosen):
        remedy = _("Provide the ids of the options as a list.")
        item.problem(_("the choice is not among the options"), field="accept", value=chosen, remedy=remedy)
        return [], ""
    answers.offered.update(dict.fromkeys(str(key) for key in ids if key is not None))
    config = record.get("config")
    style = config.get("choice_style") if isinstance(config, dict) else None
    kinds: dict[str, Asked] = {"single": "one", "multiple": "several"}
    return chosen, kinds.get(str(style), "")
