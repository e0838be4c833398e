"""What the requests of an answer ask of the database in a large study: no big table is read whole, and how often it is
asked. The statements are those that real requests sent, each explained by the database that has counted its tables.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from annotations.answering.progress import LEFT
from annotations.models import (
    Assignment,
    Comparison,
    Event,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Study,
)
from tests.worlds.answering import Page
from tests.worlds.copied import make_copied_study
from tests.worlds.sizes import CopiedWorld

pytestmark = pytest.mark.django_db

BIG = {model._meta.db_table for model in (Assignment, Comparison, Event, Instance, LabelResponse, PreferenceResponse)}
SIZES = CopiedWorld(texts=3_000, systems=8, experts=6, answered=700, foreign_texts=2_000)
MOST = {
    "first next": 12,
    "next": 8,
    "resumed": 7,
    "labels": 10,
    "preference": 9,
    "last labels": 13,
    "last preference": 12,
    "more": 12,
}
"""Queries of each request, with those for session and user and the two that frame a transaction."""
COLUMN = re.compile(r'"annotations_(dataset|system)"\."(\w+)"')
"""A column of a table that has a matrix: of those stored behind it SQLite reads all of the matrix first."""
COUNTS_A_PART = LEFT.partition("annotations_")[0]
"""Once for each part that an expert is promised or offered, the pool is counted as far as the part: here, all of it."""
READING = ("SELECT", "WITH", "UPDATE", "DELETE", "INSERT")
Asked = dict[str, list[tuple[str, Any]]]
"""The statements of each request."""


@pytest.fixture(scope="module")
def asked(django_db_setup: None, django_db_blocker: Any) -> Iterator[Asked]:
    with django_db_blocker.unblock(), transaction.atomic():
        study = make_copied_study(SIZES, slug="wide")
        yield statements_of(study)
        transaction.set_rollback(True)


def statements_of(study: Study) -> Asked:
    """One expert begins; another, who has had many texts, answers, comes to the end of their part and asks for more."""
    told: Asked = {}

    def of(name: str, act: Callable[[], Any]) -> Any:
        sent: list[tuple[str, Any]] = []

        def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            sent.append((sql, params))
            return execute(sql, params, many, context)

        with connection.execute_wrapper(note):
            reply = act()
        assert reply.status_code == 200, f"{name}: {reply.content!r}"
        told[name] = sent
        return reply.json()

    def answer(token: str, which: str = "") -> None:
        of(f"{which}labels", lambda: page.labels(token))
        of(f"{which}preference", lambda: page.preference(token))

    veteran, newcomer = study.memberships.experts().order_by("number")[:2]
    of("first next", Page(newcomer.user, "wide").next)
    page = Page(veteran.user, "wide")
    answer(page.next().json()["assignment"]["token"])  # their past is counted once
    answer(page.next().json()["assignment"]["token"])
    of("next", page.next)
    token = of("resumed", page.next)["assignment"]["token"]
    Membership.objects.filter(pk=veteran.pk).update(promised=1)
    while token is not None:  # also what was fetched ahead
        answer(token, "last ")
        token = (page.next().json()["assignment"] or {}).get("token")
    of("more", lambda: page.post("studies/wide/more/"))
    return told


def plan_of(sql: str, params: Any) -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
            return json.dumps(cursor.fetchone()[0])
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        return "\n".join(row[3] for row in cursor.fetchall())


def read_whole(sql: str, plan: str) -> set[str]:
    """The big tables that a plan reads from one end to the other, also by way of an index."""
    if connection.vendor == "postgresql":
        return {node["Relation Name"] for node in nodes(json.loads(plan)) if is_whole(node)} & BIG
    # SQLite's plans have the names that the statement gives the tables.
    names: dict[str, set[str]] = {}
    for table, name in re.findall(r'"?(annotations_\w+)"?(?:\s+(?:AS\s+)?"?(\w+)"?)?', sql):
        names.setdefault(table, set()).add(table)
        names.setdefault(name or table, set()).add(table)
    whole = re.findall(r"^(?:SCAN (\w+)|SEARCH (\w+)(?! USING))\b", plan, re.MULTILINE)
    return {table for pair in whole for name in pair for table in names.get(name, ())} & BIG


def is_whole(node: dict[str, Any]) -> bool:
    return node["Node Type"] == "Seq Scan" or ("Index" in node["Node Type"] and not node.get("Index Cond"))


def nodes(plan: Any) -> Iterator[dict[str, Any]]:
    """All nodes of one of PostgreSQL's plans that read a table."""
    if isinstance(plan, list):
        for one in plan:
            yield from nodes(one)
    elif isinstance(plan, dict):
        if "Relation Name" in plan and "Scan" in plan["Node Type"]:
            yield plan
        for one in plan.values():
            yield from nodes(one)


@pytest.mark.parametrize("request_name", sorted(MOST))
def test_no_request_of_an_answer_reads_a_big_table_whole(asked, request_name):
    explained = [one for one in asked[request_name] if one[0].lstrip("( ").startswith(READING)]
    assert any("annotations_assignment" in sql for sql, _ in explained)
    for sql, params in explained:
        if sql.startswith(COUNTS_A_PART):
            continue
        plan = plan_of(sql, params)
        assert not read_whole(sql, plan), f"{sql}\n{plan}"


def test_a_table_that_is_read_whole_would_be_found(asked):
    table = Assignment._meta.db_table
    for sql in (f"SELECT count(*) FROM {table} AS places WHERE place > 0", f'SELECT max("places") FROM "{table}"'):  # noqa: S608 - our table's name
        assert read_whole(sql, plan_of(sql, None)) == {table}


@pytest.mark.parametrize("request_name", sorted(MOST))
def test_no_request_of_an_answer_reads_a_matrix_or_what_is_stored_behind_one(asked, request_name):
    read = {column for sql, _ in asked[request_name] for column in COLUMN.findall(sql)}
    assert read <= {("dataset", "id"), ("dataset", "task")}


@pytest.mark.parametrize("request_name", sorted(MOST))
def test_requests_ask_no_more_queries_than_these(asked, request_name):
    sent = [sql[:150] for sql, _ in asked[request_name]]
    assert len(sent) <= MOST[request_name], "\n".join(sent)


def test_a_place_is_found_by_walking_its_index_and_sorting_nothing(asked):
    claims = {one[0]: one for one in asked["labels"] if '"place" ASC' in one[0]}.values()
    assert claims
    for claim in claims:
        plan = plan_of(*claim)
        assert "assignment_free_places" in plan
        assert "TEMP B-TREE" not in plan
        assert '"Sort"' not in plan
