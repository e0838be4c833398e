"""Published figures, recomputed with the analyses from the real files: import, job, stored result.

Each group of figures is one file here with a function that `reproduction` decorates; `manage.py reproduce` finds them.
"""
