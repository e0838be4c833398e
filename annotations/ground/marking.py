"""Mark words for the catalogues where nothing is translated yet: they are where an answer of the API is made.

Needs no Django. Files, commands and stored results keep the English.
"""

from typing import TypeVar

Words = TypeVar("Words")


def marked(words: Words) -> Words:
    """A text, or a mapping whose texts are all to be translated (hlvstudy/tooling/python_messages.py finds them).

    >>> marked({"bca": "resample, bias-corrected"})["bca"]
    'resample, bias-corrected'
    """
    return words
