"""Judging: metrics, statistics, analyses, figures, jobs."""
