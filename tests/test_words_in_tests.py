"""Tests ask for the kind of error, the field and the number, and not for the wording of sentences.

A test that repeats a sentence turns red when somebody finds a better word for it. What counts is a test function that
holds a string with three or more words in a row, a single space between each two:

- an operand of a comparison in an `assert` (also in a tuple, list, set or dictionary that is such an operand, but not
  in what a call gets or a subscript names: that is input);
- the `match=` of `pytest.raises` and `pytest.warns`;
- what Playwright looks for or expects as words (`get_by_text`, `get_by_role(name=...)`, `to_have_text`, ...).

A part of an f-string counts like a string. Docstrings, parametrised values and what tests write, send or call do not.
On the main branch of 27 November 2026, at 27877e55, 851 test functions did so by this definition. (The issue that asked
for it counted 816 by one of its own.)
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

HOLDING = {
    "annotations": 137,
    "browser": 60,
    "deploy": 2,
    "hlvstudy": 62,
    "lab": 3,
    "locks": 1,
    "metaeval": 228,
    "mutation": 4,
    "tooling": 6,
    "": 19,
}
"""How many test functions hold a sentence, by folder. A number may only fall: if yours is lower, write it here."""

SENTENCE = re.compile(r"(?:[^\W\d_]+(?:[’'-][^\W\d_]+)*[,.:;]?\\? ){2}[^\W\d_]+")
LOOKED_FOR = {
    "get_by_text",
    "get_by_role",
    "get_by_label",
    "get_by_title",
    "get_by_placeholder",
    "to_have_text",
    "to_contain_text",
    "to_have_accessible_name",
}


def holding(source: str) -> list[str]:
    """The names of the test functions that hold a sentence.

    >>> holding('def test_a():\\n    assert reason == "there are no items"')
    ['test_a']
    >>> holding('def test_a():\\n    assert told("there are no items") == (reason, 3)')
    []
    """
    return [
        function.name
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test") and any(_sentences(function))
    ]


def _sentences(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        for operand in _compared(node):
            yield from (text for text in _texts(operand) if SENTENCE.search(text))


def _compared(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assert):
        for comparison in ast.walk(node.test):
            if isinstance(comparison, ast.Compare):
                yield from (comparison.left, *comparison.comparators)
    elif isinstance(node, ast.Call):
        yield from (option.value for option in node.keywords if option.arg == "match")
        if isinstance(node.func, ast.Attribute) and node.func.attr in LOOKED_FOR:
            yield from (*node.args, *(option.value for option in node.keywords if option.arg == "name"))


def _texts(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        case ast.Call() | ast.Subscript() | ast.Attribute() | ast.ListComp() | ast.GeneratorExp() | ast.Lambda():
            return
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _texts(child)


def folder(path: Path) -> str:
    """The folder of `tests` that a file is in; none for what lies beside them."""
    first = path.relative_to(ROOT / "tests").parts[0]
    return "" if first == path.name else first


def held() -> Counter[Path]:
    """How many test functions of each file hold a sentence."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return Counter({path: len(holding(path.read_text(encoding="utf-8"))) for path in files})


def test_no_more_tests_hold_a_sentence_and_what_is_fewer_is_committed() -> None:
    counted: Counter[str] = Counter()
    for path, functions in held().items():
        counted[folder(path)] += functions
    assert {name: count for name, count in counted.items() if count} == HOLDING, (
        "Where there are more: ask for the kind of error (its class, its code), the field and the number instead. "
        "Where there are fewer: thank you; write the lower number into HOLDING."
    )


def test_what_is_compared_is_found_and_what_is_input_is_not() -> None:
    def in_test(line: str) -> list[str]:
        return holding(f"def test_a():\n    {line}")

    assert in_test('assert "no items are left" in report.notes')
    assert in_test("assert problems == [(3, 'x', 'the value is missing')]")
    assert in_test('assert any("no items are left" in note for note in notes)')
    assert in_test("with pytest.raises(Refused, match=r'the text\\ is new'): pass")
    assert in_test('expect(page.get_by_text("Nothing to do")).to_be_visible()')
    assert in_test('assert f"{count} of them are new" == text')
    assert not in_test('"""What this test is about, in words."""')
    assert not in_test('assert read("no items are left") == table["all of them"]')
    assert not in_test('texts = ["One of many texts"]')
    assert not in_test('with pytest.raises(Refused, match="^alpha is 3"): pass')
    assert not in_test('page.get_by_role("button", name="Sign in").click()')
