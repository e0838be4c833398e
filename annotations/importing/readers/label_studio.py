"""Exports of Label Studio: JSON, JSON-MIN, CSV and TSV.

JSON is a list of tasks, each with its `data`, the `annotations` of every person, and a model's `predictions`, which
are not judgements. JSON-MIN and CSV have one record per annotation, with the task's fields beside the
questions; they omit what people skipped. Label Studio does not export labels that nobody chose.
"""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground import bounded_json
from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import DatasetTable
from annotations.importing.reading.criteria import chosen_criterion
from annotations.importing.reading.documents import Item
from annotations.importing.reading.files import Files
from annotations.importing.reading.records import LISTS, KeySign, Record, records_in
from annotations.importing.reading.tool_answers import SKIPPED, TEXT, Asked, QuestionOptions, ToolAnswers, others_note
from annotations.shown.plurals import filled

FLAT = {"annotation_id", "annotator", "created_at", "updated_at", "lead_time"}
FLAT_SIGN = KeySign(dict.fromkeys(FLAT, object))
ABOUT_ANNOTATIONS = FLAT | {"id", "agreement", "history"}
VALUES = {"choices": "choices", "rating": "rating", "number": "number", "taxonomy": "taxonomy", "pairwise": "selected"}
REMEDY = gettext_noop("Export the project again as JSON.")
Given = tuple[tuple[Any, ...], Asked]


@registered
class LabelStudioReader(DatasetReader[QuestionOptions]):
    """Label Studio's exports.

    *Export* on the project's page, then *JSON* (which also says who skipped what), *JSON-MIN*, *CSV* or *TSV*.

    Choices, ratings, numbers, taxonomies and pairwise choices are read. A task's `predictions` are not
    judgements. Label Studio exports neither labels that nobody chose nor the highest possible rating: name them with
    `labels`. In JSON-MIN and CSV the task's own fields are among the questions: name the one you mean.
    """

    name = "label-studio"
    title = "Label Studio"
    description = (
        "What Label Studio exports as JSON, JSON-MIN, CSV or TSV: choices, ratings, numbers and taxonomies. JSON also "
        "says who skipped what."
    )
    options = QuestionOptions
    shapes = (("id", "data", "annotations"), ("id", *sorted(FLAT)))
    signs = (KeySign({"data": dict, "annotations|completions": list}, shapes=(LISTS,)), FLAT_SIGN)

    def read(self, files: Files, options: QuestionOptions, problems: Problems, progress: Progress) -> DatasetTable:
        answers = ToolAnswers(options, problems, ", ".join(file.name for file in files))
        whole: list[tuple[Item, Record]] = []
        flat: list[tuple[Item, Record]] = []
        for file in files:
            (flat if FLAT_SIGN.fits(file) else whole).extend(records_in(file, problems, progress))
        problems.stop_if_any()
        if whole and flat:
            problems.stop(
                answers.file, _("one export is JSON and another is not"), remedy=_("Use exports of one kind.")
            )
        return _read_whole(whole, options, answers) if whole else _read_flat(flat, options, answers)


def _read_whole(tasks: list[tuple[Item, Record]], options: QuestionOptions, answers: ToolAnswers) -> DatasetTable:
    criteria: dict[str, None] = {}
    for item, task in tasks:
        for annotation in _annotations(task, item):
            criteria.update(dict.fromkeys(result["from_name"] for result in _results(annotation, item)))
    answers.problems.stop_if_any()
    criterion = chosen_criterion(options.criterion, list(criteria), answers.file, answers.problems)
    guesses = 0
    for item, task in tasks:
        data = task.get("data")
        if not isinstance(data, dict):
            item.problem(_("the task contains no data"), field="data", value=type(data).__name__, remedy=REMEDY)
            continue
        id_ = answers.add_item(item, task.get("id", item.name), data)
        predictions = task.get("predictions")
        guesses += len(predictions) if isinstance(predictions, list) else 0
        for annotation in _annotations(task, item):
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                answers.leave_out(SKIPPED)
                continue
            results = [result for result in _results(annotation, item) if result["from_name"] == criterion]
            if len(results) > 1:
                remedy = _("Import a question that is asked once about the whole item (not perRegion).")
                item.problem(_("the question has several answers of one person"), field=criterion, remedy=remedy)
                continue
            labels, asked = _given(results[0]["value"], results[0]["type"]) if results else ((), "")
            who = annotation.get("completed_by")
            who = who.get("id", who.get("email")) if isinstance(who, dict) else who
            answers.add_answer(id_, who, labels, item, asked=asked, when=annotation.get("created_at"))
    notes = others_note(criterion, list(criteria))
    if guesses:
        message = _(
            "{count, plural, one {# prediction of a model was left out.} other {# predictions of a model were left "
            "out.}}"
        )
        notes.append(filled(message, count=guesses))
    return answers.table(notes)


def _annotations(task: Record, item: Item) -> Iterator[Record]:
    annotations = task.get("annotations", task.get("completions", []))
    if not isinstance(annotations, list) or not all(isinstance(annotation, dict) for annotation in annotations):
        item.problem(
            _("the annotations are not a list"), field="annotations", value=type(annotations).__name__, remedy=REMEDY
        )
        return
    yield from annotations


def _results(annotation: Record, item: Item) -> Iterator[Record]:
    results = annotation.get("result", [])
    if not isinstance(results, list):
        item.problem(_("the result is not a list"), field="result", value=type(results).__name__, remedy=REMEDY)
        return
    for result in results:
        if isinstance(result, dict) and str(result.get("type")) in VALUES and isinstance(result.get("from_name"), str):
            value = result.get("value")
            if isinstance(value, dict) and VALUES[result["type"]] in value:
                yield result


def _given(value: Record, kind: str) -> Given:
    """A result's labels, and how the question was asked.

    >>> _given({"choices": ["a", "b"]}, "choices"), _given({"rating": 4}, "rating")
    ((('a', 'b'), ''), ((4,), 'rating'))
    """
    content = value[VALUES[kind]]
    if kind == "taxonomy" and isinstance(content, list):
        return tuple(" / ".join(map(str, path)) if isinstance(path, list) else path for path in content), "several"
    if isinstance(content, list):
        return tuple(content), ""
    return (content,), "rating" if kind in {"rating", "number"} else ""


def _read_flat(records: list[tuple[Item, Record]], options: QuestionOptions, answers: ToolAnswers) -> DatasetTable:
    columns = list(dict.fromkeys(name for _, record in records for name in record if name not in ABOUT_ANNOTATIONS))
    beside = {*options.texts, options.identifier} | ({TEXT} if not options.texts else set())
    criterion = chosen_criterion(
        options.criterion, [name for name in columns if name not in beside], answers.file, answers.problems
    )
    fields = [name for name in columns if name != criterion]
    for item, record in records:
        data = {name: value for name, value in record.items() if name in fields}
        id_ = answers.add_item(item, record.get("id"), data, fields)
        if record.get("annotation_id") in (None, ""):
            continue  # a task that nobody annotated
        labels, asked = _decoded(record.get(criterion), item, criterion)
        answers.add_answer(id_, record.get("annotator"), labels, item, asked=asked, when=record.get("created_at"))
    others = [name for name in fields if name not in beside]
    message = _("{question} was used as the question; the file also contains {others}.")
    notes = [filled(message, question=repr(criterion), others=listed(others, most=20))] if others else []
    return answers.table([*notes, _("This kind of export does not contain what people skipped; JSON does.")])


def _decoded(cell: Any, item: Item, field: str) -> Given:
    """An answer in JSON-MIN or CSV: a bare label, {"choices": [...]}, [{"rating": 4}]; empty: none.

    >>> item = Item(Problems(), "export.csv", "1")
    >>> _decoded("yes", item, "q"), _decoded('{"choices": ["a", "b"]}', item, "q"), _decoded("", item, "q")
    ((('yes',), ''), (('a', 'b'), ''), ((), ''))
    """
    if isinstance(cell, str) and cell[:1] in {"{", "["}:
        try:
            cell = bounded_json.loads(cell)
        except ValueError:
            return (cell,), ""  # a label may begin with a bracket
    if isinstance(cell, list):
        if not cell:
            return (), ""
        if len(cell) > 1 or not isinstance(cell[0], dict):
            item.problem(_("this is not an answer to one question"), field=field, value=cell, remedy=REMEDY)
            return (), ""
        cell = cell[0]
    if isinstance(cell, dict):
        kind = next((kind for kind, key in VALUES.items() if key in cell), "")
        if not kind:
            item.problem(_("this is not a choice, rating or number"), field=field, value=cell, remedy=REMEDY)
            return (), ""
        return _given(cell, kind)
    return ((), "") if cell in (None, "") else ((cell,), "")
