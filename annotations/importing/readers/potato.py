"""Annotations of Potato: its exports as CSV, TSV and JSONL, and the `user_state.json` it keeps for every annotator.

In JSONL and in a state the answers are `{schema: {label: value}}`, in CSV there is a column `schema.label` for each.
Answers of declared machines are marked (`annotator_origin`, `origin`). Potato 1 wrote `schema:::label` in tables; the
points of its scales are called `scale_1`, `scale_2`, ...
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable
from annotations.importing.reading.criteria import chosen_criterion
from annotations.importing.reading.documents import Item, read_document
from annotations.importing.reading.files import Files, SourceFile
from annotations.importing.reading.records import CSV, LINES, Record, first_keys, records_in, shape_of
from annotations.importing.reading.tool_answers import OF_MACHINES, Asked, QuestionOptions, ToolAnswers, others_note

STATE = "instance_id_to_label_to_value"
INSTANCE, USER, ORIGIN, LABELS = "instance_id", "user_id", "annotator_origin", "labels"
HUMAN = "human"
OLD_NAME, OLD_TEXT, OLD_LABELS = "annotated_instances", "displayed_text", "label_annotations"
OLD_USER, OLD_ID = "user", "id"
ABOUT_ANSWERS = {INSTANCE, USER, ORIGIN, "annotator_origin_detail", "engine_purpose", "engine_request"}
ABOUT_ANSWERS |= {OLD_USER, OLD_TEXT}
POINT = re.compile(r"scale_(\d+)")
ORDERING = b'"instance_id_ordering"'  # occurs near the beginning of every state
IDS = ("id", INSTANCE, "instance")
REMEDY = gettext_noop("Export the annotations again: python -m potato.export --format jsonl.")


class PotatoAnswer(NamedTuple):
    """Everything one annotator said about one item."""

    item: Item
    instance: str
    who: Any
    is_machine: bool
    labels: dict[str, dict[str, Any]]
    text: str = ""


@registered
class PotatoReader(DatasetReader[QuestionOptions]):
    """What annotators answered in Potato.

    `python -m potato.export --config config.yaml --format jsonl --output out` (or `csv`, `tsv`); or the file
    `user_state.json` of every annotator. The texts are in the study's own data file (`data_files` in its
    configuration), which must be added.

    Potato 1's `annotated_instances.jsonl` (or `csv`, `tsv`) already contains the texts. The file of one
    annotator does not name them: rename it after them (`ann.jsonl`), or they stay unknown.

    Each schema is a question. Potato 2 does not say that a schema is a scale: `task` does. Annotators that the study
    declared to be machines are left out.
    """

    name = "potato"
    title = "Potato"
    description = (
        "Annotations of Potato, exported as CSV, TSV or JSONL, or the user_state.json of every annotator; the study's "
        "data file beside them holds the texts."
    )
    options = QuestionOptions
    shapes = ((INSTANCE, USER, LABELS), (USER, STATE))

    def detect(self, files: Files) -> float:
        return 0.9 if any(_holds_answers(file) for file in files) else 0.0

    def read(self, files: Files, options: QuestionOptions, problems: Problems, progress: Progress) -> DatasetTable:
        judged = [file for file in files if _holds_answers(file)]
        answers = ToolAnswers(options, problems, ", ".join(file.name for file in judged))
        answered = [answer for file in judged for answer in _answers(file, problems, progress)]
        problems.stop_if_any()
        schemas = list(dict.fromkeys(schema for answer in answered for schema in answer.labels))
        criterion = chosen_criterion(options.criterion, schemas, answers.file, problems)
        named = [label for answer in answered for label in answer.labels.get(criterion, {})]
        asked: Asked = "rating" if named and all(map(POINT.fullmatch, named)) else ""
        places = _add_texts([file for file in files if file not in judged], answers, progress)
        for answer in answered:
            id_ = places.get(answer.instance)
            if places and id_ is None:
                reason = _("the item is not in the data file")
                remedy = _("Provide the data file of this study, and set its id field with the option 'identifier'.")
                answer.item.problem(reason, field=INSTANCE, value=answer.instance, remedy=remedy)
            elif answer.is_machine:
                answers.leave_out(OF_MACHINES)
            else:
                id_ = id_ or _add_without_text(answer, answers)
                chosen = [label for label, value in answer.labels.get(criterion, {}).items() if _is_chosen(value)]
                points = [POINT.sub(r"\1", label) for label in chosen] if asked else chosen
                answers.add_answer(id_, answer.who, points, answer.item, asked=asked)
        return answers.table(others_note(criterion, schemas))


def _holds_answers(file: SourceFile) -> bool:
    if _is_state(file):
        return True
    keys = first_keys(file)
    if shape_of(file) == CSV:
        now = keys.keys() >= {INSTANCE, USER} and any("." in name for name in keys.keys() - ABOUT_ANSWERS)
        return now or (keys.keys() >= {INSTANCE, OLD_USER, OLD_TEXT} and any(":::" in name for name in keys))
    if OLD_TEXT in keys and isinstance(keys.get(OLD_LABELS), dict):
        return True
    return keys.keys() >= {INSTANCE, USER, LABELS} and isinstance(keys[LABELS], dict)


def _is_state(file: SourceFile) -> bool:
    if shape_of(file) != LINES:
        return False
    head = file.head()
    return b'"user_id"' in head and (ORDERING in head or b'"' + STATE.encode() + b'"' in head)


def _add_texts(files: list[SourceFile], answers: ToolAnswers, progress: Progress) -> dict[str, str]:
    """The items of the data files, in order: Potato's id for each, and ours."""
    places = {}
    for file in files:
        for item, record in records_in(file, answers.problems, progress, named=IDS):
            name = next((record[key] for key in (answers.options.identifier, *IDS) if record.get(key)), None)
            if name is None:
                remedy = _("Name the field with the items' ids with the option 'identifier'.")
                item.problem(_("the item has no id"), field="id", value=", ".join(map(str, record)), remedy=remedy)
                continue
            places[str(name)] = answers.add_item(item, name, record, [key for key in record if key not in IDS])
    answers.problems.stop_if_any()
    return places


def _add_without_text(answer: PotatoAnswer, answers: ToolAnswers) -> str:
    data = {"text": answer.text} if answer.text else {}
    if answers.options.identifier:
        data[answers.options.identifier] = answer.instance
    return answers.add_item(answer.item, answer.instance, data)


def _answers(file: SourceFile, problems: Problems, progress: Progress) -> Iterator[PotatoAnswer]:
    if _is_state(file):
        yield from _of_state(file, problems, progress)
        return
    is_table = shape_of(file) == CSV
    person = "" if file.stem == OLD_NAME else file.stem  # empty for a file that names nobody
    for item, record in records_in(file, problems, progress, named=(INSTANCE, OLD_ID)):
        is_old = OLD_TEXT in record
        between, key = (":::", OLD_LABELS) if is_old else (".", LABELS)
        labels = _of_columns(record, between) if is_table else record.get(key)
        instance = record.get(INSTANCE) or (record.get(OLD_ID) if is_old else None)
        if not instance or not isinstance(labels, dict):
            item.problem(_("there is no item, or there are no labels"), field=LABELS, value="", remedy=REMEDY)
            continue
        origin = record.get(ORIGIN)
        kind = origin.get("kind") if isinstance(origin, dict) else origin
        text = item.text(record, OLD_TEXT, required=False) if is_old else ""
        who = record.get(USER) or record.get(OLD_USER) or (person if is_old else "")
        is_machine = kind not in (None, "", HUMAN)
        yield PotatoAnswer(item, str(instance), who, is_machine, _by_schema(labels, item), text)


def _of_state(file: SourceFile, problems: Problems, progress: Progress) -> Iterator[PotatoAnswer]:
    state = read_document(file, problems, progress)
    instances = state.get(STATE) if isinstance(state, dict) else None
    if not isinstance(instances, dict):
        problems.stop(file.name, _("the state holds no labels"), field=STATE, remedy=REMEDY)
    origin = state.get("origin")
    is_machine = isinstance(origin, dict) and origin.get("kind", HUMAN) != HUMAN
    for instance, entries in instances.items():
        item = Item(problems, file.name, instance)
        labels: dict[str, dict[str, Any]] = {}
        for entry in entries if isinstance(entries, list) else []:
            if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], dict):
                item.problem(_("this is not a label with a value"), field=STATE, value=entry, remedy=REMEDY)
                continue
            label, value = entry
            labels.setdefault(str(label.get("schema", "")), {})[str(label.get("name", ""))] = value
        labels = labels or (entries if isinstance(entries, dict) else {})
        yield PotatoAnswer(item, instance, state.get(USER), is_machine, _by_schema(labels, item))


def _of_columns(record: Record, between: str) -> dict[str, dict[str, Any]]:
    """The columns `schema.label` (or `schema:::label`); one whose label begins with `_` is about the answer."""
    labels: dict[str, dict[str, Any]] = {}
    for column, value in record.items():
        schema, _, label = column.partition(between)
        if column not in ABOUT_ANSWERS and not label.startswith("_"):
            labels.setdefault(schema, {})[label] = value
    return labels


def _by_schema(labels: dict[str, Any], item: Item) -> dict[str, dict[str, Any]]:
    """The answers to every schema. If a schema has one answer and no labels of its own, the answer is the label."""
    chosen = {}
    for schema, content in labels.items():
        values = content if isinstance(content, dict) else {"": content}
        if _is_chosen(values.get("")):
            values = {_plain(values[""], item, schema): True}
        chosen[str(schema)] = {label: value for label, value in values.items() if label}
    return chosen


def _plain(value: Any, item: Item, schema: str) -> str:
    if isinstance(value, (dict, list)):
        item.problem(_("this is not a label"), field=schema, value=json.dumps(value), remedy=REMEDY)
        return ""
    return str(value)


def _is_chosen(value: Any) -> bool:
    """Whether it is an answer; an empty field or an unticked box is not."""
    return value not in (None, "", False, "false", "False")
