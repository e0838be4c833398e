"""Records of Argilla: `dataset.records.to_json(...)`, and `dataset.records.to_datasets()` as JSON lines or Parquet.

The records of Argilla's REST API (and of version 1) are read too: each response has a status and contains the answers
to all questions.
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable
from annotations.importing.reading.criteria import chosen_criterion
from annotations.importing.reading.documents import Item
from annotations.importing.reading.files import Files
from annotations.importing.reading.records import CSV, KeySign, Record, records_in, shape_of
from annotations.importing.reading.tool_answers import Asked, QuestionOptions, ToolAnswers, code_of, others_note
from annotations.shown.plurals import filled

RESPONSES, USERS, STATUS, SUGGESTION = ".responses", ".responses.users", ".responses.status", ".suggestion"
REASONS = {
    "discarded": gettext_noop(
        "{count, plural, one {# answer that people discarded was left out.} other {# answers that people discarded "
        "were left out.}}"
    ),
    "draft": gettext_noop(
        "{count, plural, one {# answer in draft was left out.} other {# answers in draft were left out.}}"
    ),
}
REMEDY = gettext_noop('Export the records again: dataset.records.to_datasets().to_json("records.jsonl").')


class ArgillaResponse(NamedTuple):
    question: str
    who: str
    value: Any
    status: str = ""


@registered
class ArgillaReader(DatasetReader[QuestionOptions]):
    """Records that people answered in Argilla.

    Argilla has no export button; in Python it is `dataset.records.to_datasets().to_json("records.jsonl")` (or
    `to_parquet`), or `dataset.records.to_json("records.json")`.

    Label, multi-label and rating questions are read. The first way records which responses were discarded or
    are drafts, and these are left out; the second does not, so all of them count. Suggestions are not judgements. A CSV
    from `to_datasets()` loses its lists: use JSON lines.
    """

    name = "argilla"
    title = "Argilla"
    description = (
        "Argilla's records as to_json() writes them, or to_datasets() as JSON lines or Parquet: one label, several "
        "labels and ratings. Only the second says which responses were discarded."
    )
    options = QuestionOptions
    shapes = (("id", "fields", "responses"),)
    signs = (KeySign({"fields": dict, "responses": (dict, list)}), KeySign(ending=USERS))

    def read(self, files: Files, options: QuestionOptions, problems: Problems, progress: Progress) -> DatasetTable:
        answers = ToolAnswers(options, problems, ", ".join(file.name for file in files))
        for file in files:
            if shape_of(file) == CSV:
                reason = _("a CSV from to_datasets() turns lists into text, and the lists cannot be recovered")
                problems.stop(file.name, reason, remedy=REMEDY)
        records = [found for file in files for found in records_in(file, problems, progress)]
        told = [(item, record, list(_responses(record, item))) for item, record in records]
        problems.stop_if_any()
        known = list(dict.fromkeys(one.question for _, _, found in told for one in found if one.question))
        criterion = chosen_criterion(options.criterion, known, answers.file, problems)
        guesses, is_silent = 0, False
        for item, record, found in told:
            id_ = answers.add_item(item, record.get("id") or item.name, *_data(record))
            guesses += _is_guessed(record, criterion)
            by_person = {response.who: response for response in found if response.question == criterion}
            for who in dict.fromkeys(response.who for response in found):
                # A person who answered another question but not this one gave none of its labels.
                response = by_person.get(who) or next(one for one in found if one.who == who)
                if response.status in REASONS:
                    answers.leave_out(REASONS[response.status])
                    continue
                is_silent = is_silent or not response.status
                labels, asked = _given(response.value) if who in by_person else ((), "")
                answers.add_answer(id_, who, labels, item, asked=asked)
        notes = others_note(criterion, known)
        if guesses:
            message = _(
                "{count, plural, one {# suggestion of a model was left out.} other {# suggestions of a model were left "
                "out.}}"
            )
            notes.append(filled(message, count=guesses))
        if is_silent:
            notes.append(
                _(
                    "This kind of export does not say which responses were discarded or are drafts: all of them "
                    "count. An export with to_datasets() does say it."
                )
            )
        return answers.table(notes)


def _data(record: Record) -> tuple[Record, list[str]]:
    """What is known about the item, and which fields may be its text (empty: any)."""
    fields, metadata = record.get("fields"), record.get("metadata")
    if isinstance(fields, dict):
        return (metadata if isinstance(metadata, dict) else {}) | fields, list(fields)
    parts = (RESPONSES, USERS, STATUS, SUGGESTION, ".score", ".agent")
    own = {"id", "status", "_server_id"}
    return {name: value for name, value in record.items() if name not in own and not name.endswith(parts)}, []


def _responses(record: Record, item: Item) -> Iterator[ArgillaResponse]:
    responses = record.get("responses")
    if isinstance(responses, dict):
        yield from _by_question(responses, item)
    elif isinstance(responses, list):
        yield from _by_person(responses, item)
    else:
        yield from _in_columns(record, item)


def _by_question(found: Record, item: Item) -> Iterator[ArgillaResponse]:
    """{question: [{value, user_id}, ...]}"""
    for question, responses in found.items():
        for response in responses if isinstance(responses, list) else [responses]:
            if not isinstance(response, dict) or "value" not in response:
                item.problem(_("this is not a response"), field=question, value=response, remedy=REMEDY)
                continue
            yield ArgillaResponse(
                question, code_of(response.get("user_id"), item), response["value"], _status(response)
            )


def _by_person(found: list[Any], item: Item) -> Iterator[ArgillaResponse]:
    """[{user_id, status, values: {question: {value}}}, ...]"""
    for response in found:
        values = response.get("values") if isinstance(response, dict) else response
        if not isinstance(response, dict) or not isinstance(values or {}, dict):
            item.problem(_("this is not a response"), field="responses", value=response, remedy=REMEDY)
            continue
        if not values:  # a discarded record need not have any answers
            yield ArgillaResponse("", code_of(response.get("user_id"), item), None, _status(response))
        for question, answer in (values or {}).items():
            value = answer.get("value") if isinstance(answer, dict) else answer
            yield ArgillaResponse(question, code_of(response.get("user_id"), item), value, _status(response))


def _in_columns(record: Record, item: Item) -> Iterator[ArgillaResponse]:
    """Columns `question.responses`, `question.responses.users`, `question.responses.status`, in one order."""
    for name, values in record.items():
        if not name.endswith(RESPONSES) or values is None:
            continue
        question = name.removesuffix(RESPONSES)
        users, statuses = record.get(question + USERS), record.get(question + STATUS)
        if not isinstance(values, list) or not isinstance(users, list) or len(users) != len(values):
            reason = _("the lists of responses and users differ in length")
            item.problem(reason, field=name, value=values, remedy=REMEDY)
            continue
        for value, who, status in zip_longest(values, users, statuses if isinstance(statuses, list) else []):
            yield ArgillaResponse(question, code_of(who, item), value, str(status or ""))


def _status(response: Record) -> str:
    return str(response.get("status") or "")


def _is_guessed(record: Record, criterion: str) -> bool:
    suggestions = record.get("suggestions")
    if isinstance(suggestions, dict):
        return criterion in suggestions
    return any(record.get(f"{criterion}{SUGGESTION}.{part}") is not None for part in ("agent", "score"))


def _given(value: Any) -> tuple[tuple[Any, ...], Asked]:
    """The labels of a response's value, and how the question was asked.

    >>> _given("yes"), _given(["a", "b"]), _given(4)
    ((('yes',), 'one'), (('a', 'b'), 'several'), ((4,), 'rating'))
    """
    if isinstance(value, list):
        return tuple(value), "several"
    if value is None:
        return (), ""
    return (value,), "rating" if type(value) in (int, float) else "one"
