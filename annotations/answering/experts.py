# ruff: noqa: S608 - only names of tables and columns are put into statements
"""An expert as requests load them, in one query: with their study, its label set, and what they were shown.

Which version of the instrument an answer was given under is reported by the page, because it may have been opened
before something changed; otherwise the newest is assumed. That costs no extra query unless the page's version is not
the newest, or none has been stored yet.
"""

import json
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, cast

from django.db.models import Q, QuerySet, TextField
from django.db.models.expressions import RawSQL

from annotations.designing.instrument import APP_WORDS, keep_version
from annotations.ground.errors import NotFound
from annotations.history.looks import HAS_LOOKED, IS_ELSEWHERE
from annotations.models import Consent, Dataset, Instance, InstrumentVersion, Label, Membership, Role, Study, User

LABEL_COLUMNS = ("position", "name", "exclusive", "display_name", "search_words")
"""The fields of each label that `label_set` reads."""
NOT_READ = tuple(
    f"study__dataset__{field.name}" for field in Dataset._meta.concrete_fields if field.name not in {"id", "task"}
)
"""SQLite finds a column that is stored behind the gold matrix by reading all of the matrix."""


class PageSeen(NamedTuple):
    """What the page reported."""

    instrument_version: int | None = None
    page_language: str = ""


NOT_SAID = PageSeen()


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


# What is always the same is built once: Django takes as long to build a queryset as to write its SQL.
EXPERTS_AND_FORMER = with_labels(
    Membership.objects.filter(Q(is_active=True) | Q(left_at__isnull=False), role=Role.EXPERT).order_by()
).annotate(is_elsewhere=IS_ELSEWHERE, has_looked=HAS_LOOKED)
EXPERTS = EXPERTS_AND_FORMER.filter(is_active=True)


def expert_of(user: User, *, lock: bool = False, former: bool = False, **which: Any) -> Membership:
    """The user's active membership as an expert, with all that answering needs: by `study__slug` or
    `assignments__token`. With `former` also that of an expert who has left. Raises NotFound.
    """
    experts = EXPERTS_AND_FORMER if former else EXPERTS
    try:
        expert: Any = (experts.select_for_update(of=("self",)) if lock else experts).get(user=user, **which)
    except Membership.DoesNotExist:
        raise NotFound from None
    newest = json.loads(expert.instrument) if expert.instrument else (None, None, None)
    expert.instrument_pk, expert.instrument_version, expert.instrument_app = newest
    return cast(Membership, expert)


def see_newest(expert: Any) -> None:
    """Store the version that a page will show if it differs from the newest stored one: after an update of the app, or
    in a study opened before versions were stored. The membership must come from `with_labels`."""
    if expert.instrument_app != APP_WORDS:
        expert.instrument_version = keep_version(expert.study).number


def answered_under(expert: Any, seen: PageSeen) -> dict[str, Any]:
    """The fields of a response that record it; the membership must come from `with_labels`."""
    fields = {"instrument_id": expert.instrument_pk, "page_language": seen.page_language}
    number = seen.instrument_version
    if number is not None and number != expert.instrument_version:
        earlier = InstrumentVersion.objects.filter(study=expert.study_id, number=number).values_list("pk", flat=True)
        if (version := earlier.first()) is not None:
            return fields | {"instrument_id": version}
    if number is None and expert.instrument_app != APP_WORDS:
        fields["instrument_id"] = keep_version(expert.study).pk
    return fields
