"""Names in the code are nouns of the domain: of the words that could mean anything, there are fewer and fewer.

What counts is each place in a package that binds such a word: a variable, an argument, a function, a class, an alias.
CONTRIBUTING (Names) says what to write instead.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.house import PACKAGES, ROOT

WORDS = frozenset(
    {"found", "one", "told", "said", "known", "wanted", "kept", "given", "asked", "left", "there", "_told", "_said"}
)
MOST = {"annotations": 137, "metaeval": 81, "hlvstudy": 10}
"""How often each package binds one of the words. A number may only fall: if yours is lower, write it here."""


def bound(source: str) -> Iterator[str]:
    """The names that a file binds, as often as it does.

    >>> list(bound("for one in rows:\\n    found = one"))
    ['one', 'found']
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.alias(asname=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case _:
                pass


def counted(package: str) -> Counter[str]:
    """How often a package binds each of the words."""
    files = [path for path in (ROOT / package).rglob("*.py") if "migrations" not in path.parts]
    names = Counter(name for path in files for name in bound(path.read_text(encoding="utf-8")))
    return Counter({name: count for name, count in names.items() if name in WORDS})


@pytest.mark.parametrize("package", PACKAGES)
def test_no_more_names_could_mean_anything_and_what_is_fewer_is_committed(package: str) -> None:
    count = counted(package)
    assert count.total() == MOST[package], f"{count}: say what it is, or write the lower number here"
