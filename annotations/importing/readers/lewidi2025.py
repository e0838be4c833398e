"""Learning With Disagreements, third edition (Leonardelli et al. 2025): CSC, MP, Paraphrase, VariErrNLI.

One document per split, `{"49807": item, ...}`: the text is an object of named segments, the annotations are an object
{annotator: labels}. Annotators keep the order of the item's `annotators`, in which submissions predict them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.limits import unstorable
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet, Segment
from annotations.importing.reading.documents import Item, named_items, read_careless_document
from annotations.importing.reading.files import Files, HeadSign, SourceFile
from annotations.importing.reading.item_judgements import (
    GatheredJudgements,
    Judgement,
    annotations_of,
    canonical_label,
    in_order,
)
from annotations.importing.reading.labels import label_names, label_set
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
from annotations.models import Task
from annotations.shown.plurals import filled, written

# Scales for which a file may lack a point, or name one that does not exist.
SCALES = {
    "paraphrase detection": tuple(map(str, range(-5, 6))),
    "sarcasm detection": tuple(map(str, range(1, 7))),
}
# Values in the metadata that mean that nothing is known, or may be known any more.
UNKNOWN = {"", "nan", "none", "null", "data_expired", "consent_revoked"}


@registered
class Lewidi2025Reader(DatasetReader[LewidiOptions]):
    """The datasets of the third edition of LeWiDi.

    The published JSON documents of CSC, MP, Paraphrase and VariErrNLI. The text's segments keep their names; labels
    separated by commas make the dataset multilabel; Paraphrase runs from -5 to 5 and CSC from 1 to 6, whether or not
    anybody gave every point. Submissions predict one split: import it as a separate dataset. Splits
    imported together make one dataset; if they share ids (eight of VariErrNLI's), only these instances
    are named `split/id`, and the report says so. An additional file `*annotators_meta.json` says what is known about
    the annotators. The published ones contain stray commas, bare `NaN`, and keys `0` for `Ann0`; these are accepted,
    and what expired or was revoked is not stored.

    Items of blinded files are refused, or left out and counted with `unjudged`.
    """

    name = "lewidi2025"
    title = "LeWiDi 2025"
    description = (
        "The JSON documents of Learning With Disagreements, third edition: CSC, MP, Paraphrase, VariErrNLI; the "
        "file of annotators' metadata can be added. Import the split that submissions predict as a separate dataset."
    )
    options = LewidiOptions
    shapes = (("annotation task", "text", "annotations", "annotators"),)
    signs = (HeadSign(suffix=".json", head=ONLY_THERE, matches=SEGMENTED),)

    def detect(self, files: Files) -> float:
        return super().detect([file for file in files if not is_metadata(file)])

    def read(self, files: Files, options: LewidiOptions, problems: Problems, progress: Progress) -> DatasetTable:
        data = [file for file in files if not is_metadata(file)]
        if not data:
            problems.stop(
                ", ".join(file.name for file in files),
                _("there is only metadata"),
                remedy=_("Provide the file with the items as well."),
            )
        judged = GatheredJudgements(options, problems)
        rows: dict[str, dict[str, Any]] = {}
        documents = [(file, named_items(file, problems, progress)) for file in data]
        clashing = _in_several(items for _, items in documents)
        for file, items in documents:
            for id_, row in items.items():
                item = Item(problems, file.name, id_)
                split = split_of(row, file, item, required=id_ in clashing)
                name = f"{split}/{id_}" if id_ in clashing else id_
                text = InstanceRow(name, _segments(row, item), *language_of(row, item, options), split)
                judged.add(item, text, _judgements(row, item))
                rows[name] = row
        named = ", ".join(file.name for file in data)
        judged.stop_if_useless(named)
        chosen_rows = [rows[row.external_id] for row in judged.rows]
        labels, notes = _labels(judged, chosen_rows, options, problems, named)
        if clashing:
            example = next(name for name in rows if name.partition("/")[2] in clashing)
            message = _(
                "{count, plural, one {# id appears in several files. Its instances are named like {example}.} other {# "
                "ids appear in several files. Their instances are named like {example}.}}"
            )
            notes.append(filled(message, count=len(clashing), example=repr(example)))
        table = judged.table(labels, notes)
        beside = [file for file in files if is_metadata(file)]
        return _with_metadata(table, beside, problems, progress) if beside else table


def _in_several(documents: Iterable[Mapping[str, Any]]) -> set[str]:
    """Ids in more than one file: VariErrNLI's splits share eight."""
    seen = Counter(id_ for document in documents for id_ in document)
    return {id_ for id_, count in seen.items() if count > 1}


def is_metadata(file: SourceFile) -> bool:
    return file.suffix == ".json" and "annotators_meta" in file.stem.lower()


def _remedy_labels() -> str:
    example = '{"Ann1": "neutral", "Ann2": "entailment,neutral"}'
    return filled(_("Use an object such as {example}."), example=example)


def _segments(row: dict[str, Any], item: Item) -> tuple[Segment, ...]:
    texts = row.get("text")
    if not isinstance(texts, dict) or not texts:
        remedy = filled(_("Use named segments, such as {example}."), example='{"context": "...", "response": "..."}')
        item.problem(
            _("the text is not an object of named segments"), field="text", value=type(texts).__name__, remedy=remedy
        )
        return ()
    return item.segments(texts, "text")


def _judgements(row: dict[str, Any], item: Item) -> list[Judgement] | None:
    """The annotations in the order of `annotators`, if that lists the same people, each once.

    Empty for a blinded item; None if they were noted as a problem.
    """
    annotations = row.get("annotations")
    if annotations is None or (isinstance(annotations, str) and not annotations.strip(", ")):
        return []  # blinded
    if not isinstance(annotations, dict):
        item.problem(
            _("the annotations are not an object"), field="annotations", value=annotations, remedy=_remedy_labels()
        )
        return None
    if all(isinstance(value, str) and not value.strip() for value in annotations.values()):
        return []  # blinded, annotator by annotator
    listed_people = row.get("annotators")
    people = [name.strip() for name in listed_people.split(",")] if isinstance(listed_people, str) else []
    order = people if len(people) == len(annotations) and set(people) == set(annotations) else list(annotations)
    judgements = []
    for person in order:
        item.is_nameable(person, gettext_noop("the annotator's code"), "annotations")
        value = annotations[person]
        value = str(value) if type(value) in (int, float) else value
        parts = [canonical_label(part) for part in value.split(",")] if isinstance(value, str) else [""]
        if not all(parts) or "nan" in parts:
            item.problem(
                _("the label of the annotator is missing"),
                field=annotations_of(person),
                value=value,
                remedy=_remedy_labels(),
            )
            continue
        if len(set(parts)) < len(parts):
            item.problem(
                _("the annotator chose a label twice"),
                field=annotations_of(person),
                value=value,
                remedy=_("Keep only one."),
            )
        judgements.append(Judgement(person, tuple(dict.fromkeys(parts))))
    return judgements


def _labels(
    judged: GatheredJudgements, rows: Sequence[Mapping[str, Any]], options: LewidiOptions, problems: Problems, file: str
) -> tuple[LabelSet, list[str]]:
    nested = [row["soft_label"] for row in rows if _is_nested(row.get("soft_label"))]
    several = any(len(judgement.labels) > 1 for part in judged.judgements for judgement in part)
    if options.declared_task == Task.MULTILABEL or (options.declared_task is None and (nested or several)):
        # In the order of the soft labels, which submissions follow.
        seen = list(dict.fromkeys([canonical_label(name) for soft in nested for name in soft] + judged.found()))
        names = label_names(seen, options, problems, file=file)
        note = _("The task was interpreted as multilabel, because annotators may choose several labels.")
        labels = label_set(names, Task.MULTILABEL, options, problems, file=file)
        return labels, [] if options.declared_task else [note]
    softs = [shares_in(row.get("soft_label")) for row in rows]
    seen = judged.found()
    tasks = {str(row.get("annotation task")) for row in rows}
    scale: Sequence[str] = SCALES.get(tasks.pop(), ()) if len(tasks) == 1 else ()
    if not scale or not set(seen) <= set(scale):
        scale = [label for soft in softs for label in soft]
    task, note = inferred_task(in_order([*scale, *seen]), options)
    labels = label_set_of(judged, scale, task, options, problems, file=file)
    if task != Task.MULTILABEL:
        _refuse_several(judged)
    return labels, [*([note] if note else []), *soft_label_note(judged, softs)]


def _refuse_several(judged: GatheredJudgements) -> None:
    for item, judgements in zip(judged.items, judged.judgements, strict=True):
        for judgement in judgements:
            if len(judgement.labels) > 1:
                item.problem(
                    _("the annotator chose several labels, but the task allows only one"),
                    field=annotations_of(judgement.annotator),
                    value=", ".join(judgement.labels),
                    remedy=_("Keep only one of them, or set the task to multilabel."),
                )


def _is_nested(soft_label: Any) -> bool:
    return (
        isinstance(soft_label, dict)
        and bool(soft_label)
        and all(isinstance(shares, dict) for shares in soft_label.values())
    )


def _with_metadata(table: DatasetTable, files: Files, problems: Problems, progress: Progress) -> DatasetTable:
    """The dataset with the metadata about its annotators. The key "0" stands for the annotator "Ann0"."""
    people = set(table.annotations.annotators) if table.annotations else set()
    about: dict[str, dict[str, str]] = {}
    others = 0
    for file in files:
        document = read_careless_document(file, problems, progress)
        if not isinstance(document, dict) or not all(isinstance(row, dict) for row in document.values()):
            remedy = filled(_("Use an object such as {example}."), example='{"Ann1": {"Age": "26"}, ...}')
            problems.stop(file.name, _("this is not an object of annotators"), remedy=remedy)
        for key, row in document.items():
            code = key if key in people or f"Ann{key}" not in people else f"Ann{key}"
            if code not in people:
                others += 1
                continue
            if code in about:
                problems.add(file.name, _("the annotator appears twice"), field=code, remedy=_("Keep only one."))
            about[code] = _known(row, Item(problems, file.name, key))
    problems.stop_if_any()
    silent = [code for code in table.annotations.annotators if code not in about] if table.annotations else []
    message = _("Metadata of {known} of {annotators} annotators.")
    notes = [filled(message, known=written(len(about)), annotators=written(len(people)))]
    if silent:
        notes.append(filled(_("There is no metadata of {annotators}."), annotators=listed(silent)))
    if others:
        message = _(
            "{count, plural, one {The metadata of # person who judged nothing here was left out.} other {The metadata "
            "of # people who judged nothing here was left out.}}"
        )
        notes.append(filled(message, count=others))
    return DatasetTable(
        labels=table.labels,
        instances=table.instances,
        annotations=table.annotations,
        notes=(*table.notes, *notes),
        about=about,
    )


def _known(row: Mapping[str, Any], item: Item) -> dict[str, str]:
    """What is known about an annotator, without NaN and anything that expired or was revoked."""
    about = {}
    for field, value in row.items():
        if value is None or str(value).strip().lower() in UNKNOWN:
            continue
        if isinstance(value, dict | list) or unstorable(str(value), 200) or unstorable(field, 200):
            remedy = _("Use a short text or a number.")
            item.problem(_("this is not a plain value"), field=field, value=type(value).__name__, remedy=remedy)
            continue
        about[field] = str(value)
    return about
