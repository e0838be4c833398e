"""Whether an answer costs the same in a small study and in a large one, on SQLite and on PostgreSQL.

`python -m tests.benchmarks.answering --help`. One small study, and four that are like it but for one thing, each in a
process and a database of its own; they take turns, so that whatever else the machine does hits all of them.
"""
