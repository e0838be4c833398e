"""The embedded broker does not grow for ever."""

from pathlib import Path
from typing import Any

import pytest
from kombu import Connection
from kombu.transport.redis import Channel
from redis.exceptions import ConnectionError as RedisConnectionError

from hlvstudy.workers import forget_delivered_messages, survive_the_loss_of_redis


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


def test_a_channel_whose_connection_is_closed_says_so_as_an_error_of_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Celery survives these by connecting again; what kombu raises by itself ends a worker (tests/faults)."""

    class Closed:
        client = None

    ours: Any = Channel  # the types lack what is private
    monkeypatch.setattr(ours, "_connparams", ours._connparams)
    monkeypatch.delattr(ours, "_known_parameters", raising=False)
    channel = object.__new__(ours)
    channel._closed = True  # nothing is to be closed when it is collected
    for connection in (None, Closed()):
        channel.connection = connection
        survive_the_loss_of_redis()
        with pytest.raises(RedisConnectionError):
            channel._connparams()
    monkeypatch.delattr(ours, "_known_parameters")
