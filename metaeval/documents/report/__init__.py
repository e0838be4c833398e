"""A study as a report: summary, methods, results, people, integrity, limits, and an appendix with all that is long.

`gathering` makes the report as data (`blocks`) from the database; each format is written from that data and
nothing else: `rendering` as an HTML page and on paper. Every file is whole by itself and asks nobody for anything.
"""
