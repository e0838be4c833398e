"""Learning With Disagreements, second edition (Leonardelli et al. 2023): HS-Brexit, ArMIS, ConvAbuse, MD-Agreement.

One document per split, `{"1": item, ...}`, with annotations and annotators as comma-separated lists.
"""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground import bounded_json
from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable, InstanceRow, Segment
from annotations.importing.reading.documents import Item, named_items
from annotations.importing.reading.files import Files, HeadSign
from annotations.importing.reading.item_judgements import GatheredJudgements, Judgement, canonical_label, in_order
from annotations.importing.reading.lewidi import (
    ONLY_THERE,
    SEGMENTED,
    LewidiOptions,
    inferred_task,
    label_set_of,
    language_of,
    shares_in,
    soft_label_note,
    split_of,
)
from annotations.shown.plurals import filled

REMEDY_LISTS = gettext_noop('Provide comma-separated lists in the same order, such as "0,1,0" and "Ann1,Ann2,Ann3".')


@registered
class Lewidi2023Reader(DatasetReader[LewidiOptions]):
    """The datasets of the second edition of LeWiDi.

    The published JSON documents of HS-Brexit, ArMIS, ConvAbuse and MD-Agreement. Ids restart in every split, so an
    instance is named `split/id`; splits given together make one dataset. Each entry of `annotations` belongs to the
    entry of `annotators` at its place; somebody listed twice gave two annotations. The distributions are
    computed from the annotations: files round their soft labels and break ties of the hard label at random (the
    report counts soft labels that differ by more than 0.01). A conversation written as JSON inside the text becomes
    its turns. The item's language determines its text's direction.

    Items of blinded files are refused, or left out and counted with `unjudged`.
    """

    name = "lewidi2023"
    title = "LeWiDi 2023"
    description = (
        "The JSON documents of Learning With Disagreements, second edition: HS-Brexit, ArMIS, ConvAbuse, MD-Agreement. "
        "Splits given together make one dataset; an instance is named split/id."
    )
    options = LewidiOptions
    shapes = (("annotation task", "text", "annotations", "annotators"),)
    signs = (HeadSign(suffix=".json", head=ONLY_THERE, without=SEGMENTED),)

    def read(self, files: Files, options: LewidiOptions, problems: Problems, progress: Progress) -> DatasetTable:
        judged = GatheredJudgements(options, problems)
        soft_labels: dict[str, dict[str, float]] = {}
        twice = 0
        for file in files:
            for id_, row in named_items(file, problems, progress).items():
                item = Item(problems, file.name, id_)
                split = split_of(row, file, item)
                name = f"{split}/{id_}"
                judgements = _judgements(row, item)
                people = [judgement.annotator for judgement in judgements or ()]
                twice += len(set(people)) < len(people)
                soft_labels[name] = shares_in(row.get("soft_label"))
                text = InstanceRow(name, _segments(row, item), *language_of(row, item, options), split)
                judged.add(item, text, judgements)
        named = ", ".join(file.name for file in files)
        judged.stop_if_useless(named)
        softs = [soft_labels[row.external_id] for row in judged.rows]
        names = in_order(judged.found())
        # ConvAbuse's soft labels have two classes that its annotations, from -3 to 1, do not.
        same = [soft for soft in softs if set(names) <= set(soft)]
        scale = in_order([label for soft in same for label in soft])
        task, note = inferred_task(in_order([*scale, *names]), options)
        labels = label_set_of(judged, scale, task, options, problems, file=named)
        notes = [note] if note else []
        if twice:
            message = _(
                "{count, plural, one {In # item an annotator is listed twice, and both annotations count.} other {In # "
                "items an annotator is listed twice, and both annotations count.}}"
            )
            notes.append(filled(message, count=twice))
        if len(same) == len(softs):
            notes += soft_label_note(judged, softs)
        else:
            notes.append(_("The files' soft labels use different classes than the annotations and were left out."))
        return judged.table(labels, notes)


def _segments(row: dict[str, Any], item: Item) -> tuple[Segment, ...]:
    """The text; a conversation written as JSON inside the text becomes its turns."""
    text = item.text(row, "text")
    if text.lstrip().startswith("{"):
        try:
            turns = bounded_json.loads(text)
        except ValueError:
            turns = None
        if isinstance(turns, dict) and turns:
            return item.segments(turns, "text")
    return (Segment("", text),)


def _judgements(row: dict[str, Any], item: Item) -> list[Judgement] | None:
    """The annotations in the lists' order; empty for a blinded item, None if they were noted as a problem."""
    lists: list[list[str]] = []
    for field in ("annotations", "annotators"):
        value = row.get(field)
        value = str(value) if type(value) is int else value  # a list of one may have become a number
        if not isinstance(value, str):
            item.problem(_("this is not a comma-separated list"), field=field, value=value, remedy=REMEDY_LISTS)
            return None
        lists.append([part.strip() for part in value.split(",")] if value.strip() else [])
    labels, people = lists
    if not any(labels):
        return []
    if len(labels) != len(people):
        message = _("{annotations} annotations, {annotators} annotators")
        shown = filled(message, annotations=len(labels), annotators=len(people))
        item.problem(_("the lists differ in length"), field="annotations", value=shown, remedy=REMEDY_LISTS)
        return None
    stated = row.get("number of annotations")
    if type(stated) is int and stated != len(labels):
        shown = filled(_("{said} said, {listed} listed"), said=stated, listed=len(labels))
        remedy = _("Download the file again; a list may be incomplete.")
        item.problem(_("the number of annotations is wrong"), field="number of annotations", value=shown, remedy=remedy)
    for name, parts in (("annotations", labels), ("annotators", people)):
        if not all(parts):
            item.problem(_("an entry of the list is empty"), field=name, value=",".join(parts), remedy=REMEDY_LISTS)
            return None
    if not all(item.is_nameable(person, gettext_noop("the annotator's code"), "annotators") for person in people):
        return None
    return [Judgement(person, (canonical_label(label),)) for person, label in zip(people, labels, strict=True)]
