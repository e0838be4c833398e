"""Maintenance of the embedded broker: its SQLite file keeps every delivered message forever, unless told to forget."""

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
