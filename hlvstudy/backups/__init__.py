"""Copies of the database: kept in a file, restored, moved to another kind of database, and upgraded.

One portable form serves them all: a table is lines of PostgreSQL's `COPY` text, whatever it comes from (values.py).
"""


class NotCopied(Exception):
    """What is in the way, in a sentence for the person at the keyboard; never a value of a row."""
