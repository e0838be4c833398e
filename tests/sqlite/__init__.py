"""SQLite as Django's own backend talks to it, but for how a test's rows are taken away."""
