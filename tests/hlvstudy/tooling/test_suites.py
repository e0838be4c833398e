"""`make test` leaves out on PostgreSQL only what exists, and nothing on SQLite."""

from hlvstudy.tooling.testing import ON_EVERY_DATABASE, suites
from tests.once import BUT_ON_BOTH, ENOUGH, HERE, is_named, is_transactional, needs_a_database, turns


def test_what_is_left_out_or_kept_exists():
    assert [name for name in (*ENOUGH, *BUT_ON_BOTH) if not (HERE / name).exists()] == []


def test_every_test_runs_on_sqlite_and_answering_under_faults_on_postgresql_too():
    (_, everything, _), (_, chosen, _) = suites([], postgres=True, redis=True)
    assert everything == []
    assert chosen == ON_EVERY_DATABASE
    assert is_named(HERE / "browser/faults/test_tabs.py")
    assert is_named(HERE / "browser/test_zoom.py")
    assert not any(is_named(HERE / name) for name in BUT_ON_BOTH)
    assert not is_named(HERE / "annotations/answering/test_recording.py")


def test_a_test_without_a_database_is_found_by_itself(request):
    assert request.node.get_closest_marker("once")
    assert not needs_a_database(request.node)


def test_a_test_with_a_database_is_told_from_it(request, db):
    assert needs_a_database(request.node)
    assert not is_transactional(request.node)


def test_a_test_whose_data_others_see_is_told_too(request, transactional_db):
    assert needs_a_database(request.node)
    assert is_transactional(request.node)


def test_arguments_reach_every_suite():
    chosen = [arguments for _, arguments, _ in suites(["-k", "blinding"], postgres=True, redis=False)]
    assert chosen == [["-k", "blinding"]] * 2


def test_what_waits_is_spread_among_what_computes_after_what_takes_long(request):
    items = request.session.items
    order = turns(items)
    waiting = {item.path for item in items if is_transactional(item)}
    long = {path for path, (turn, _) in order.items() if turn == 0}
    assert set(order) == {item.path for item in items}
    for group in (waiting - long, set(order) - waiting - long):
        shares = sorted(share for path, (_, share) in order.items() if path in group)
        assert shares == [(place + 0.5) / len(group) for place in range(len(group))]
