"""Published figures, recomputed with the analyses from the real files: import, job, stored result."""
