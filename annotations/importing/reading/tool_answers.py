"""What people answered in an annotation tool, gathered answer by answer and made into a dataset.

Tools write answers in different ways, but mean the same: somebody chose labels for an item, or skipped it. Answers
that do not become judgements (skipped, discarded, a machine's) are counted by reason in the report.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import ConfigDict, Field

from annotations.importing.memory.options import DatasetOptions, Names
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet, Segment
from annotations.importing.reading.criteria import CriterionOptions
from annotations.importing.reading.documents import Item
from annotations.importing.reading.item_judgements import (
    GatheredJudgements,
    JudgedOptions,
    Judgement,
    Unjudged,
    canonical_label,
    in_order,
    number_in,
)
from annotations.importing.reading.labels import label_names, label_set
from annotations.models import Task
from annotations.shown.plurals import filled

Asked = Literal[
    "", "one", "several", "rating"
]  # how a question is answered, according to the tool; empty: it does not say
TEXT = "text"
FIRST = ("criterion", "identifier", "texts", "task", "labels")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
HIGHEST_POINT = 1000
SKIPPED = gettext_noop(
    "{count, plural, one {# answer that people skipped was left out.} other {# answers that people skipped were left "
    "out.}}"
)
OF_MACHINES = gettext_noop(
    "{count, plural, one {# answer of machines was left out.} other {# answers of machines were left out.}}"
)
REPLACED = gettext_noop(
    "{count, plural, one {# answer that the same person replaced by a later one was left out.} other {# answers that "
    "the same person replaced by a later one were left out.}}"
)
WITHOUT_LABEL = gettext_noop(
    "{count, plural, one {# answer without a label was left out.} other {# answers without a label were left out.}}"
)


def _in_order_of_use(schema: dict[str, Any]) -> None:
    """Put the options that nearly everybody needs first in the page's form."""
    fields = schema.get("properties", {})
    schema["properties"] = {name: fields[name] for name in FIRST if name in fields} | fields


class ToolOptions(DatasetOptions, JudgedOptions):
    """Options about an annotation tool's export."""

    model_config = ConfigDict(json_schema_extra=_in_order_of_use)

    unjudged: Unjudged = Field(
        "leave_out",
        description=gettext_noop(
            "Items without judgements, such as those that everybody skipped: refuse or leave_out."
        ),
    )
    texts: Names = Field(
        (),
        description=gettext_noop(
            "The fields that contain the text, separated by semicolons. Empty: 'text', or the only field."
        ),
    )
    identifier: str = Field(
        "", description=gettext_noop("The field with the id of each item. Empty: the number given by the tool.")
    )
    machines: Names = Field(
        (), description=gettext_noop("Annotators that are machines, separated by semicolons. They are left out.")
    )


class QuestionOptions(ToolOptions, CriterionOptions):
    """Options for tools that may ask several questions about each item."""


class ToolAnswer(NamedTuple):
    """One person's labels for one item; of several by one person the last counts, by `when` and then by order in
    the file.
    """

    who: str
    labels: tuple[str, ...]
    item: Item
    when: str = ""


@dataclass(eq=False)
class ToolAnswers:
    """The items of an export, each with its text, and what people answered about them."""

    options: ToolOptions
    problems: Problems
    file: str
    rows: dict[str, InstanceRow] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    answers: dict[str, list[ToolAnswer]] = field(default_factory=dict)
    offered: dict[str, None] = field(default_factory=dict)  # labels in order, if the tool exports them
    asked: set[Asked] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)

    def add_item(self, item: Item, name: Any, data: dict[str, Any], fields: Sequence[str] | None = None) -> str:
        """Add an item, unless already added, and return its id. `name` is the tool's own; `data` contains its texts
        and more.
        """
        id_ = self._id_of(item, name, data)
        row = InstanceRow(id_, self._segments(item, data, fields), self.options.language, self.options.direction)
        registered = self.rows.setdefault(id_, row)
        if registered != row:
            remedy = _(
                "Give each item only one text, or choose the field that tells items apart with the option 'identifier'."
            )
            item.problem(_("the item appears twice, with two texts"), field="", value=id_, remedy=remedy)
        self.items.setdefault(id_, item)
        self.answers.setdefault(id_, [])
        return id_

    def add_answer(
        self, id_: str, who: Any, labels: Sequence[Any], item: Item, *, asked: Asked = "", when: Any = ""
    ) -> None:
        """Add what one person (a code; empty: unknown) chose for an item."""
        code = code_of(who, item)
        if code in self.options.machines:
            self.left_out[OF_MACHINES] += 1
            return
        if code and not item.is_nameable(code, gettext_noop("the annotator's code"), "annotator"):
            return
        names = tuple(dict.fromkeys(self._label(label, item) for label in labels))
        self.asked.add(asked)
        self.answers[id_].append(ToolAnswer(code, names, item, str(when or "")))

    def leave_out(self, reason: str, count: int = 1) -> None:
        """Count answers that are not judgements; `reason` is a message about `count` of them."""
        self.left_out[reason] += count

    def table(self, notes: Iterable[str] = ()) -> DatasetTable:
        """The dataset; anything impossible is noted and refused."""
        self.problems.stop_if_any()
        if len(self.asked) > 1:
            self.asked.discard("")  # annotations without an answer say nothing about how the question is asked
        found = {id_: self._last_of_each(answers) for id_, answers in self.answers.items()}
        task, why = self._task([answer for answers in found.values() for answer in answers])
        empty = self._settle_empty(found, task)
        people = self._codes(found)
        judged = GatheredJudgements(self.options, self.problems)
        for id_, answers in found.items():
            judgements = [Judgement(people.get(answer.who, answer.who), answer.labels) for answer in answers]
            judged.add(self.items[id_], self.rows[id_], judgements)
        judged.stop_if_useless(self.file)
        labels, scale = self._labels(judged.found(), task)
        counts = [filled(translation.gettext(reason), count=count) for reason, count in self.left_out.items()]
        sentences = [*notes, *([why] if why else []), *scale, *empty, *counts]
        if people:
            sentences.append(
                _(
                    "Annotators were known by their e-mail addresses, which are not stored: they are called 'person "
                    "1', 'person 2' and so on, in order of appearance."
                )
            )
        return judged.table(labels, sentences)

    def _id_of(self, item: Item, name: Any, data: dict[str, Any]) -> str:
        if self.options.identifier:
            name = data.get(self.options.identifier)
            if name in (None, "") or isinstance(name, (dict, list)):
                fields_here = listed([key for key in data if isinstance(key, str)], most=10)
                remedy = filled(_("Choose a field that every item has. This one has {fields}."), fields=fields_here)
                item.problem(_("the item has no such name"), field=self.options.identifier, value=name, remedy=remedy)
                name = item.name
        return str(name).strip()

    def _segments(self, item: Item, data: dict[str, Any], fields: Sequence[str] | None) -> tuple[Segment, ...]:
        """The item's text: the named fields, or `text`, or the only field with a text."""
        if self.options.texts:
            texts = {name: item.text(data, name) for name in self.options.texts}
            return tuple(Segment(name if len(texts) > 1 else "", text) for name, text in texts.items())
        if isinstance(data.get(TEXT), str):
            return (Segment("", item.text(data, TEXT, required=False)),)
        text_fields = [
            name
            for name, value in data.items()
            if isinstance(value, str) and value and name != self.options.identifier and (not fields or name in fields)
        ]
        if len(text_fields) > 1:
            self.problems.stop(
                item.file,
                _("which field holds the text is not known"),
                line=item.line,
                value=listed(text_fields, most=10),
                remedy=_("Name it with the option 'texts'; with several, each becomes a named part of the text."),
            )
        return tuple(Segment("", item.text(data, name)) for name in text_fields)

    @staticmethod
    def _label(label: Any, item: Item) -> str:
        if isinstance(label, str) or type(label) in (int, float):
            name = label.strip() if isinstance(label, str) else canonical_label(str(label))
            if name:
                return name
        remedy = _("Import a question that is answered by choosing among labels or points.")
        item.problem(_("this is not a label"), field="labels", value=label, remedy=remedy)
        return ""

    def _last_of_each(self, answers: list[ToolAnswer]) -> list[ToolAnswer]:
        """Everybody's last answer, in order of the people; all answers by unknown people are kept."""
        last: dict[object, ToolAnswer] = {}
        for place, answer in enumerate(sorted(answers, key=lambda dated: dated.when)):
            last[answer.who or place] = answer
        if len(last) < len(answers):
            self.left_out[REPLACED] += len(answers) - len(last)
        newest = {id(answer) for answer in last.values()}
        return [answer for answer in answers if id(answer) in newest]

    def _task(self, answers: list[ToolAnswer]) -> tuple[Task, str]:
        """The task's kind: as declared, as the tool says, or inferred from labels that one person chose together."""
        if self.options.declared_task:
            return self.options.declared_task, ""
        if self.asked == {"rating"}:
            return Task.ORDINAL, _("The task was interpreted as ordinal, because the answers are ratings.")
        if "several" in self.asked:
            return Task.MULTILABEL, _(
                "The task was interpreted as multilabel, because the question allows several labels."
            )
        if any(len(answer.labels) > 1 for answer in answers):
            return Task.MULTILABEL, _(
                "The task was interpreted as multilabel, because at least one person chose several labels."
            )
        if "one" in self.asked:
            return Task.MULTICLASS, _("The task was interpreted as multiclass, because the question allows one label.")
        return Task.MULTICLASS, _("The task was interpreted as multiclass, because nobody chose more than one label.")

    def _settle_empty(self, found: dict[str, list[ToolAnswer]], task: Task) -> list[str]:
        """Decide about answers without a label: none applies if several can be chosen, otherwise it is no answer at
        all.
        """
        empty = sum(not answer.labels for answers in found.values() for answer in answers)
        if task == Task.MULTILABEL:
            message = _(
                "{count, plural, one {# answer chose no label, and counts as none of the labels.} other {# answers "
                "chose no label, and count as none of the labels.}}"
            )
            return [filled(message, count=empty)] if empty else []
        for id_, answers in found.items():
            for answer in answers:
                if len(answer.labels) > 1:
                    answer.item.problem(
                        _("the annotator chose several labels for the item, but the task allows only one"),
                        field="labels",
                        value=", ".join(answer.labels),
                        remedy=_("Keep only one of the labels, or set the task to multilabel."),
                    )
            found[id_] = [answer for answer in answers if answer.labels]
        if empty:
            self.left_out[WITHOUT_LABEL] += empty
        return []

    @staticmethod
    def _codes(found: dict[str, list[ToolAnswer]]) -> dict[str, str]:
        """A code for everybody whose e-mail address the tool exported, since an address identifies them."""
        names = dict.fromkeys(answer.who for answers in found.values() for answer in answers)
        return {who: f"person {place}" for place, who in enumerate(filter(EMAIL.fullmatch, names), start=1)}

    def _labels(self, found: Sequence[str], task: Task) -> tuple[LabelSet, list[str]]:
        """The label set: as declared, as offered by the tool, or as found; for a rating, the points from 1 to the
        highest.
        """
        names: Sequence[str] = in_order([*self.offered, *found])
        notes = []
        if task == Task.ORDINAL and self.asked == {"rating"} and not self.options.labels:
            points = [number_in(name) for name in names]
            whole = [int(point) for point in points if point is not None and point == int(point)]
            if len(whole) == len(names) and whole and min(whole) >= 0 and max(whole) <= HIGHEST_POINT:
                names = tuple(map(str, range(min(1, *whole), max(whole) + 1)))
                message = _(
                    "The scale was taken from {lowest} to {highest}, the highest that anybody gave; if the scale "
                    "goes further, list its points with the option 'labels'."
                )
                notes = [filled(message, lowest=names[0], highest=names[-1])]
        chosen = label_names(names, self.options, self.problems, file=self.file)
        return label_set(chosen, task, self.options, self.problems, file=self.file), notes


def code_of(who: Any, item: Item) -> str:
    """An annotator's code, which is a text or a number; empty if unknown."""
    if isinstance(who, (dict, list)):
        item.problem(
            _("this is not an annotator code"), field="annotator", value=who, remedy=_("Use a number or a name.")
        )
        return ""
    return "" if who is None else str(who).strip()


def others_note(criterion: str, known: Sequence[str]) -> list[str]:
    """A note on which question was imported, if there were several."""
    others = [name for name in known if name != criterion]
    message = _("The question {question} was used; the file also contains {others}.")
    return [filled(message, question=repr(criterion), others=listed(others, most=20))] if others else []
