"""Judgements item by item, from documents: gathered, checked, and made into a dataset."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.importing.memory.options import Options
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import AnnotationTable, DatasetTable, InstanceRow, LabelSet
from annotations.importing.reading.documents import Item
from annotations.shown.plurals import filled

Unjudged = Literal["refuse", "leave_out"]
RIGHT_TO_LEFT = {"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"}


class JudgedOptions(Options):
    """Options about files that may contain items without judgements."""

    unjudged: Unjudged = Field(
        "refuse",
        description=gettext_noop("Items without judgements, such as those of blinded files: refuse or leave_out."),
    )


def direction_of(language: str) -> str:
    """The direction of texts in a language.

    >>> direction_of("ar"), direction_of("ar-EG"), direction_of("en")
    ('rtl', 'rtl', 'ltr')
    """
    return "rtl" if language.replace("_", "-").split("-")[0].lower() in RIGHT_TO_LEFT else "ltr"


@lru_cache(maxsize=1 << 12)  # a million annotations have only a few labels
def canonical_label(label: str) -> str:
    """One spelling of a label: numbers as short as possible, without surrounding spaces.

    >>> canonical_label("0.0"), canonical_label("-3"), canonical_label(" entailment "), canonical_label("2.5")
    ('0', '-3', 'entailment', '2.5')
    """
    label = label.strip()
    number = number_in(label)
    if number is None:
        return label
    return str(int(number)) if number == int(number) else repr(number)


def number_in(label: str) -> float | None:
    """The label as a finite number; None if it is not one. Only plain digits: `1_000` and `nan` are names.

    >>> number_in("-4.5"), number_in("nan"), number_in("1_0")
    (-4.5, None, None)
    """
    plain = label.strip().removeprefix("-").removeprefix("+")
    if len(plain) > 30 or plain.count(".") > 1 or not plain.replace(".", "").isascii():
        return None
    return float(label) if plain.replace(".", "").isdigit() else None


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Unique labels: numbers in numerical order, others in order of appearance.

    >>> in_order(["1", "-1", "1"]), in_order(["no", "yes", "no"])
    (('-1', '1'), ('no', 'yes'))
    """
    names = list(dict.fromkeys(labels))
    numbers = [number_in(name) for name in names]
    if any(number is None for number in numbers):
        return tuple(names)
    return tuple(sorted(names, key=float))


class Judgement(NamedTuple):
    """One person's labels by name; `annotator` is empty if unknown.

    `people`: how many unidentified people said the same.
    """

    annotator: str
    labels: tuple[str, ...]
    people: int = 1


def annotations_of(annotator: str) -> str:
    """The name that problems use for one person's annotations of an item."""
    return filled(_("annotations of {annotator}"), annotator=repr(annotator)) if annotator else "annotations"


@dataclass(eq=False)
class GatheredJudgements:
    """The items of all files so far. Items without judgements are left out or refused, according to the options."""

    options: JudgedOptions
    problems: Problems
    rows: list[InstanceRow] = field(default_factory=list)
    judgements: list[Sequence[Judgement]] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    unjudged: int = 0
    places: dict[str, int] = field(default_factory=dict)

    def add(self, item: Item, row: InstanceRow, judgements: Sequence[Judgement] | None) -> None:
        """Add an item, whose id must be new. The reader must check that annotators' codes can be stored.

        None instead of judgements: their problems have already been noted.
        """
        item.is_nameable(row.external_id, gettext_noop("the item's id"), "")
        if row.external_id in self.places:
            remedy = _("Import the files as separate datasets, or keep only one of the items.")
            item.problem(_("the item appears twice"), field="", value=row.external_id, remedy=remedy)
        self.places[row.external_id] = len(self.rows)
        if judgements is None:
            return
        if not judgements:
            self.unjudged += 1
            if self.options.unjudged == "leave_out":
                return
            item.problem(
                _("the item has no judgements, as in a blinded file"),
                field="annotations",
                remedy=_("Provide the file with the labels, or set the option 'unjudged' to 'leave_out'."),
            )
        self.rows.append(row)
        self.judgements.append(judgements)
        self.items.append(item)

    def stop_if_useless(self, file: str) -> None:
        """Refuse if anything was noted, or if nobody judged anything."""
        self.problems.stop_if_any()
        if not self.rows:
            remedy = _("Provide the files with the labels.")
            self.problems.stop(file, _("none of the items has judgements: the files are blinded"), remedy=remedy)

    def found(self) -> list[str]:
        """All labels in order of appearance."""
        return list(
            dict.fromkeys(label for part in self.judgements for judgement in part for label in judgement.labels)
        )

    def table(self, labels: LabelSet, notes: Iterable[str]) -> DatasetTable:
        """The dataset; every label outside the label set is noted."""
        positions = labels.positions
        for item, judgements in zip(self.items, self.judgements, strict=True):
            for judgement in judgements:
                if unknown := [label for label in judgement.labels if label not in positions]:
                    item.problem(
                        _("the label is unknown"),
                        field=annotations_of(judgement.annotator),
                        value=unknown[0],
                        remedy=_("The labels are {names}. If this is wrong, set the option 'labels'.").format(
                            names=listed(labels.names)
                        ),
                    )
                if labels.exclusive in judgement.labels and len(judgement.labels) > 1:
                    item.problem(
                        _("the exclusive label is combined with others"),
                        field=annotations_of(judgement.annotator),
                        value=", ".join(judgement.labels),
                        remedy=_("Annotators who choose it must not choose any other label."),
                    )
        self.problems.stop_if_any()
        message = _(
            "{count, plural, one {# item that nobody judged was left out.} other {# items that nobody judged were left "
            "out.}}"
        )
        more = [filled(message, count=self.unjudged)] if self.unjudged else []
        return DatasetTable(
            labels=labels, instances=self.rows, annotations=self._annotations(labels), notes=(*notes, *more)
        )

    def _annotations(self, labels: LabelSet) -> AnnotationTable:
        """The judgements in columns: creating a million objects would take longer than reading them."""
        positions, codes = labels.positions, dict[str, int]()
        judged = [judgement for judgements in self.judgements for judgement in judgements]
        lengths = np.array([len(judgement.labels) for judgement in judged], dtype=np.int64)
        chosen = [sorted([positions[label] for label in judgement.labels]) for judgement in judged]
        return AnnotationTable(
            instance=np.repeat(np.arange(len(self.rows), dtype=np.int32), list(map(len, self.judgements))),
            annotator=np.array(
                [
                    codes.setdefault(judgement.annotator, len(codes)) if judgement.annotator else -1
                    for judgement in judged
                ],
                dtype=np.int32,
            ),
            count=np.array([judgement.people for judgement in judged], dtype=np.int32),
            offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
            labels=np.array(list(chain.from_iterable(chosen)), dtype=np.int32),
            annotators=tuple(codes),
        )
