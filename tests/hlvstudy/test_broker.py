"""The embedded broker does not grow for ever."""

from pathlib import Path

from kombu import Connection

from hlvstudy.broker import forget_delivered_messages


def test_delivered_messages_are_forgotten_and_waiting_ones_are_kept(tmp_path: Path) -> None:
    url = f"sqla+sqlite:///{tmp_path / 'broker.sqlite3'}"
    assert forget_delivered_messages(url) == 0, "a broker that was never used is left alone"
    with Connection(url) as connection:
        queue = connection.SimpleQueue("celery")
        for number in range(3):
            queue.put({"number": number})
        queue.get(block=True, timeout=5).ack()
        assert forget_delivered_messages(url) == 1
        assert [queue.get(block=True, timeout=5).payload["number"] for _ in range(2)] == [1, 2]


def test_other_brokers_are_left_alone() -> None:
    assert forget_delivered_messages("redis://127.0.0.1:1/0") == 0
