# ruff: noqa: S608 - only names of tables and columns are put into statements
"""The label set as experts use it: loaded within another query, and the rules for choosing from it."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError
from annotations.models import Consent, Dataset, Instance, InstrumentVersion, Label, Membership, Study, Task

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


class JSONText(RawSQL):
    """JSON that a subquery builds, as text. It is given as SQL: Django would take longer over it than over all else."""

    NAMES: ClassVar = {"sqlite": ("json_group_array", "json_array"), "postgresql": ("json_agg", "json_build_array")}

    def __init__(self, sql: str) -> None:
        super().__init__(sql, (), TextField())

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        rows, row = self.NAMES[connection.vendor]
        return f"CAST(({self.sql.format(rows=rows, row=row)}) AS text)", ()


def with_labels(memberships: QuerySet[Membership, Any]) -> QuerySet[Membership, Any]:
    """Memberships with their study, of its dataset only the task, what `label_set` needs, two lists as JSON:
    `instrument`, key, number and app of the newest version; `first_text`, language and direction of the first text; and
    `agreed`, the version of the consent that they gave last."""
    return memberships.select_related("study__dataset").defer(*NOT_READ).annotate(**IN_JSON)


IN_JSON = {
    "label_rows": JSONText(
        f"SELECT {{rows}}({{row}}({', '.join(LABEL_COLUMNS)})) FROM {Label._meta.db_table} AS label "
        f"WHERE label.dataset_id = {Study._meta.db_table}.dataset_id"
    ),
    "instrument": JSONText(
        f"SELECT {{row}}(id, number, app) FROM {InstrumentVersion._meta.db_table} AS version "
        f"WHERE version.study_id = {Study._meta.db_table}.id ORDER BY number DESC LIMIT 1"
    ),
    "first_text": JSONText(
        f"SELECT {{row}}(language, direction) FROM {Instance._meta.db_table} AS text "
        f"WHERE text.dataset_id = {Study._meta.db_table}.dataset_id ORDER BY position LIMIT 1"
    ),
    "agreed": JSONText(
        f"SELECT version FROM {Consent._meta.db_table} AS consent "
        f"WHERE consent.study_id = {Study._meta.db_table}.id AND consent.user_id = {Membership._meta.db_table}.user_id "
        "ORDER BY at DESC, id DESC LIMIT 1"
    ),
}


def first_text(expert: Any) -> tuple[str | None, str | None]:
    """Language and direction of the study's first text, of a membership from `with_labels`; none if it has no text."""
    language, direction = json.loads(expert.first_text) if expert.first_text else (None, None)
    return language, direction


def label_set(expert: Any) -> tuple[Label, ...]:
    """The label set of a membership from `with_labels`, in order of position; not to be changed."""
    return labels_in(expert.label_rows or "[]")


@lru_cache(maxsize=256)
def labels_in(rows: str) -> tuple[Label, ...]:
    """The labels in `label_rows`: read once as long as they stay as they are, not at each answer."""
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
