"""A study as a report: summary, methods, results, people, integrity, limits, and an appendix for everything long.

`gathering` builds the report as data (`blocks`) from the database; each format is written from this data alone:
`rendering` as an HTML page and for print. Every file is self-contained and makes no requests.
"""
