"""What brokers need of us: the embedded one must be told to forget, and a worker must survive the loss of Redis."""

from typing import Any

import sqlalchemy

EMBEDDED = "sqla+"


def forget_delivered_messages(broker_url: str) -> int:
    """Delete the messages that a worker has taken; return how many. Does nothing for other brokers.

    The truth about a job is its row, so a taken message is no longer needed.
    """
    if not broker_url.startswith(EMBEDDED):
        return 0
    engine = sqlalchemy.create_engine(broker_url.removeprefix(EMBEDDED))
    try:
        if not sqlalchemy.inspect(engine).has_table("kombu_message"):
            return 0
        with engine.begin() as connection:
            return connection.execute(sqlalchemy.text("DELETE FROM kombu_message WHERE visible = 0")).rowcount
    finally:
        engine.dispose()


def survive_the_loss_of_redis() -> None:
    """To be called in a worker before it connects.

    When Redis goes away, Celery closes its channels, and kombu gives back the messages that were not acknowledged.
    Where the connection is closed already, that ends in an AttributeError, which nobody expects, and the worker stops
    for good. As an error of the connection, it is one that Celery survives by connecting again.
    """
    from kombu.transport.redis import Channel
    from redis.exceptions import ConnectionError as RedisConnectionError

    channel: Any = Channel
    if hasattr(channel, "_known_parameters"):
        return
    channel._known_parameters = channel._connparams

    def parameters(self: Any, *arguments: Any, **options: Any) -> Any:
        if self.connection is None or self.connection.client is None:
            raise RedisConnectionError("the connection of this channel is closed")
        return channel._known_parameters(self, *arguments, **options)

    channel._connparams = parameters
