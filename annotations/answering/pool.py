# ruff: noqa: S608 - only names of tables are put into statements
"""How many texts the pool still holds for one expert: never counted further than the answer needs.

The texts with a free place are read from an index one after the other, so the cost depends on how many are asked about
and not on how many places, systems or other studies there are.
"""

from typing import Any

from django.db import connection

from annotations.models import Assignment, Comparison, Instance, Membership

PLACES, COMPARISONS, TEXTS = (model._meta.db_table for model in (Assignment, Comparison, Instance))
FREE = "study_id = %(study)s AND expert_id IS NULL AND released_at IS NULL"
# Scalar subqueries are looked up text by text; PostgreSQL would turn EXISTS into a join with everything.
NOT_HAD = f"""(SELECT 1 FROM {PLACES} AS had WHERE had.expert_id = %(expert)s AND had.instance_id = texts.id
    AND had.repeat_of_id IS NULL AND NOT had.seen_before LIMIT 1) IS NULL"""
SHOWN = f"(SELECT 1 FROM {TEXTS} AS text WHERE text.id = texts.id AND text.withdrawn_at IS NULL) IS NOT NULL"
NOT_PAUSED = f"""(SELECT 1 FROM {PLACES} AS place JOIN {COMPARISONS} AS shown ON shown.id = place.comparison_id
    WHERE place.study_id = %(study)s AND place.expert_id IS NULL AND place.released_at IS NULL
    AND place.instance_id = texts.id AND NOT shown.is_paused LIMIT 1) IS NOT NULL"""


def texts_left(expert: Membership, *, most: int, with_paused: bool) -> int:
    """How many texts have a free place that the expert may take, but at most `most`.

    Args:
        with_paused: also count texts all of whose free places are held back by a pause.
    """
    if most <= 0:
        return 0
    wanted = " AND ".join([NOT_HAD, SHOWN, *([] if with_paused else [NOT_PAUSED])])
    sql = f"""
        WITH RECURSIVE texts(id) AS (
            SELECT min(instance_id) FROM {PLACES} WHERE {FREE}
            UNION ALL
            SELECT (SELECT min(instance_id) FROM {PLACES} WHERE {FREE} AND instance_id > texts.id)
            FROM texts WHERE texts.id IS NOT NULL
        )
        SELECT count(*) FROM (SELECT 1 AS one FROM texts WHERE texts.id IS NOT NULL AND {wanted} LIMIT %(most)s) AS few
    """
    values: dict[str, Any] = {"study": expert.study_id, "expert": expert.pk, "most": most}
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return int(cursor.fetchone()[0])
