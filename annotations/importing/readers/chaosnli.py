"""ChaosNLI (Nie et al. 2020): counted votes, in the order entailment, neutral, contradiction; labels without a vote are
omitted.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.limits import NAME_LENGTH, unstorable
from annotations.importing.memory.options import Options
from annotations.importing.memory.problems import Place, Problems, listed
from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    Segment,
)
from annotations.importing.reading.files import Files, HeadSign
from annotations.importing.reading.tabular.json_lines import read_objects
from annotations.models import Task
from annotations.shown.plurals import filled

INFERENCE = {"e": "entailment", "n": "neutral", "c": "contradiction"}
ABDUCTION = {"1": "1", "2": "2"}
SEGMENTS = ("premise", "hypothesis", "obs1", "obs2", "hyp1", "hyp2")
REMEDY_OLD = gettext_noop(
    'Provide the labels as words: "old_labels": ["neutral", "entailment"]; or import the new votes.'
)

Row = dict[str, Any]


class ChaosNLIOptions(Options):
    votes: Literal["new", "old"] = Field(
        "new",
        description="Which judgements: the hundred new votes of every item, or the labels (mostly five) that it had in "
        "the dataset it comes from.",
    )


@registered
class ChaosNLIDatasetReader(DatasetReader[ChaosNLIOptions]):
    """The votes of ChaosNLI, as published.

    The published JSON lines; counted votes become annotations: the hundred new ones of every item, or with `votes` =
    `old` the labels (mostly five) that it had in the dataset it comes from, which the abductive part lacks. The
    prediction files are joined on `uid`, put into the order of the labels, and items outside the dataset are left out
    and counted. Files named like `SNLI_dev_MODEL_RUN.json` and `SNLI_test_MODEL_RUN.json` make one system.
    Predictions are softmax(logits / `temperature`) in double precision, which is where the published metric values
    come from: the files' own `probs` are single-precision and must agree with the logits to 1e-4.
    """

    name = "chaosnli"
    title = "ChaosNLI"
    description = "JSON lines with uid, label_counter and example, as ChaosNLI publishes them."
    options = ChaosNLIOptions
    shapes = (("uid", "label_counter", "example"),)
    signs = (HeadSign(line=(b'"uid"', b'"label_counter"'), sure=1.0),)

    def read(self, files: Files, options: ChaosNLIOptions, problems: Problems, progress: Progress) -> DatasetTable:
        instances: list[InstanceRow] = []
        votes: list[tuple[Place, dict[str, int]]] = []
        seen: set[str] = set()
        for place, row in rows_of(files, problems, progress):
            uid = uid_of(row, place)
            if uid and uid in seen:
                place.problem(_("the uid appears twice"), field="uid", value=uid, remedy=_("Keep only one."))
            seen.add(uid)
            instances.append(InstanceRow(uid, _segments(row, place)))
            counts = _counts(row, place)
            votes.append((place, counts if options.votes == "new" else _old_counts(row, place)))
        problems.stop_if_any()
        labels = _label_set(votes, problems)
        return DatasetTable(labels=labels, instances=instances, annotations=_annotations(votes, labels))


def rows_of(files: Files, problems: Problems, progress: Progress) -> Iterator[tuple[Place, Row]]:
    """All objects in all files, each with its place."""
    for file in files:
        rows, lines = read_objects(file, problems=problems, progress=progress)
        for row, line in zip(rows, lines, strict=True):
            yield Place(problems, file.name, line), row


def _remedy_votes() -> str:
    return filled(_("Provide the votes as ChaosNLI does: {example}."), example='"label_counter": {"e": 60, "n": 40}')


def uid_of(row: Row, place: Place) -> str:
    uid = row.get("uid")
    if not isinstance(uid, str) or not uid or unstorable(uid, NAME_LENGTH):
        place.problem(_("there is no usable uid"), field="uid", value=uid, remedy=_("Add the uid."))
        return ""
    return uid


def _segments(row: Row, place: Place) -> tuple[Segment, ...]:
    example = row.get("example")
    texts = example if isinstance(example, dict) else {}
    segments = tuple(Segment(name, texts[name]) for name in SEGMENTS if texts.get(name))
    if not segments or not all(isinstance(text, str) and not unstorable(text) for _, text in segments):
        place.problem(
            _("the texts are missing or are not texts"),
            field="example",
            remedy=_("Provide premise and hypothesis, or obs1, obs2, hyp1 and hyp2."),
        )
        return ()
    return segments


def _counts(row: Row, place: Place) -> dict[str, int]:
    """The votes by key, checked against `label_count`, which has the same in the order of the labels."""
    counter = row.get("label_counter")
    if (
        not isinstance(counter, dict)
        or not counter
        or not all(type(count) is int and 0 <= count < 2**31 for count in counter.values())
        or not sum(counter.values())
    ):
        place.problem(_("there are no votes"), field="label_counter", value=counter, remedy=_remedy_votes())
        return {}
    keys = next((keys for keys in (INFERENCE, ABDUCTION) if set(counter) <= set(keys)), None)
    if keys is None:
        unknown = next(key for key in counter if key not in INFERENCE)
        place.problem(_("the label is unknown"), field="label_counter", value=unknown, remedy=_remedy_votes())
        return {}
    again = row.get("label_count")
    if again is not None and again != [counter.get(key, 0) for key in keys]:
        place.problem(
            _("label_count and label_counter differ"),
            field="label_count",
            value=again,
            remedy=_("Download the file again; both count the same votes."),
        )
    return counter


def _old_counts(row: Row, place: Place) -> dict[str, int]:
    words = row.get("old_labels")
    keys = {name: key for key, name in INFERENCE.items()}
    if not isinstance(words, list) or not words:
        place.problem(_("there are no old labels"), field="old_labels", value=words, remedy=REMEDY_OLD)
        return {}
    unknown = [word for word in words if not isinstance(word, str) or word not in keys]
    if unknown:
        place.problem(_("the label is unknown"), field="old_labels", value=unknown[0], remedy=REMEDY_OLD)
        return {}
    return dict(Counter(keys[word] for word in words))


def _label_set(votes: list[tuple[Place, dict[str, int]]], problems: Problems) -> LabelSet:
    abduction = set(votes[0][1]) <= set(ABDUCTION)
    keys = ABDUCTION if abduction else INFERENCE
    for place, counter in votes:
        if not set(counter) <= set(keys):
            place.problem(
                _("inference and abduction items are mixed"),
                field="label_counter",
                value=listed(counter),
                remedy=_("Import the parts of ChaosNLI as separate datasets."),
            )
    problems.stop_if_any()
    return LabelSet(names=tuple(keys.values()), task=Task.MULTICLASS)


def _annotations(votes: list[tuple[Place, dict[str, int]]], labels: LabelSet) -> AnnotationTable:
    keys = {key: labels.positions[name] for key, name in (INFERENCE | ABDUCTION).items() if name in labels.names}
    return AnnotationTable.from_rows(
        AnnotationRow(instance, (position,), count=counter[key])
        for instance, (_, counter) in enumerate(votes)
        for key, position in keys.items()
        if counter.get(key)
    )
