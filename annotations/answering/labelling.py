"""The label set as experts use it: loaded within another query, and the rules for choosing from it."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from django.db.models import Aggregate, OuterRef, QuerySet, Subquery, TextField
from django.utils.translation import gettext as _

from annotations.errors import HLVError
from annotations.models import Dataset, Instance, InstrumentVersion, Label, Membership, Task

LABEL_COLUMNS = ("position", "name", "exclusive", "display_name", "search_words")
"""The fields of each label that `label_set` reads."""
NOT_READ = tuple(
    f"study__dataset__{field.name}" for field in Dataset._meta.concrete_fields if field.name not in {"id", "task"}
)
"""SQLite finds a column that is stored behind the gold matrix by reading all of the matrix."""


class UnknownLabel(HLVError):
    """A label that the label set does not have."""

    code = "unknown_label"


class ExclusiveLabel(HLVError):
    """The exclusive label was chosen together with others."""

    code = "exclusive_label"


class OneLabelOnly(HLVError):
    """More than one label was chosen where a text has exactly one."""

    code = "one_label_only"


class NothingChosen(HLVError):
    """No label was chosen, where "none" has its own label or exactly one is required."""

    code = "nothing_chosen"


def check_labels(chosen: Iterable[int], labels: Sequence[Label], *, task: str) -> list[int]:
    """The chosen positions, ascending, if they may be chosen together.

    An empty choice is allowed only if any number of labels may be chosen and none is exclusive: an exclusive label
    ("Not a legal issue") is the way to say that none applies.

    Raises:
        UnknownLabel, ExclusiveLabel, OneLabelOnly, NothingChosen.
    """
    positions = sorted(set(chosen))
    known = {label.position: label for label in labels}
    unknown = [position for position in positions if position not in known]
    if unknown:
        raise UnknownLabel(_("One of the chosen labels does not belong to this study."), labels=unknown)
    if task != Task.MULTILABEL and len(positions) > 1:
        raise OneLabelOnly(_("Please choose exactly one label."))
    exclusive = any(known[position].exclusive for position in positions)
    if exclusive and len(positions) > 1:
        raise ExclusiveLabel(
            _("One of these labels cannot be combined with others. Please choose it alone, or leave it out.")
        )
    if not positions and (task != Task.MULTILABEL or any(label.exclusive for label in labels)):
        raise NothingChosen(_("Please choose at least one label."))
    return positions


class JSONRows(Aggregate):
    """Rows as the text of one JSON list of lists: a short table within a query for something else."""

    function = "json_group_array"
    template = "%(function)s(json_array(%(expressions)s))"
    output_field = TextField()
    arity = None

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "jsonb_agg(jsonb_build_array(%(expressions)s))::text"
        return self.as_sql(compiler, connection, template=template, **context)


def with_labels(memberships: QuerySet[Membership, Any]) -> QuerySet[Membership, Any]:
    """Memberships with their study, of its dataset only the task, and what `label_set` needs."""
    labels = Label.objects.filter(dataset=OuterRef("study__dataset")).order_by().values("dataset")
    first = Instance.objects.filter(dataset=OuterRef("study__dataset")).order_by("position")
    newest = InstrumentVersion.objects.filter(study=OuterRef("study")).order_by("-number")
    return (
        memberships.select_related("study__dataset")
        .defer(*NOT_READ)
        .annotate(
            label_rows=Subquery(labels.annotate(rows=JSONRows(*LABEL_COLUMNS)).values("rows")),
            instrument_pk=Subquery(newest.values("pk")[:1]),
            instrument_version=Subquery(newest.values("number")[:1]),
            instrument_app=Subquery(newest.values("app")[:1]),
            text_language=Subquery(first.values("language")[:1]),
            text_direction=Subquery(first.values("direction")[:1]),
        )
    )


def label_set(expert: Any) -> tuple[Label, ...]:
    """The label set of a membership from `with_labels`, in order of position; not to be changed."""
    return labels_in(expert.label_rows or "[]")


@lru_cache(maxsize=256)
def labels_in(rows: str) -> tuple[Label, ...]:
    """The labels in what `JSONRows` returned: read once as long as they stay as they are, not at each answer."""
    return tuple(
        Label(
            position=position,
            name=name,
            exclusive=bool(exclusive),
            display_name=display_name,
            # SQLite returns a nested list as text.
            search_words=json.loads(words) if isinstance(words, str) else words,
        )
        for position, name, exclusive, display_name, words in sorted(json.loads(rows), key=lambda row: row[0])
    )
