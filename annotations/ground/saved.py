"""What is saved of an expert; annotations/shown/consent.py has the words. Needs no Django: nor do bundles."""

from enum import StrEnum


class Saved(StrEnum):
    """An item of the experts' consent, in the order in which it lists them. Columns of exports belong to one each."""

    ANSWERS = "answers"
    TIMES = "times"
    PAGES = "pages"
    REPEATS = "repeats"
    REPORTS = "reports"
    GUESSES = "guesses"
    PROFILE = "profile"
    PART = "part"
    IDENTITY = "identity"
    NUMBER = "number"
