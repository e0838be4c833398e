"""The documents of a study: a report to read and a bundle to check, made by background jobs or commands."""
