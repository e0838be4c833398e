"""Print the messages in Python files as JSON: `python3 python_messages.py FILE...`; the pages' extraction calls it.

A message is the string in `_("...")`, `gettext`, `gettext_lazy` or `gettext_noop`. Values are filled in later, with
`.format(name=...)`, so both halves of the project write `{name}`. What is declared for people is a message without any
mark, so a new analysis, reader or exporter needs none: see `CALLS` and `CLASSES`. `marked(...)` marks every text in a
mapping. It runs on any Python with nothing installed.
"""

import ast
import inspect
import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

NAMES = {"_", "gettext", "gettext_lazy", "gettext_noop"}
MARKED = "marked"
CALLS = {
    "analysis": {"title"},
    "PlainWords": {"question", "shows"},
    "PlanChoice": {"title", "sentence"},
    "exporter": {"title", "description", "read_by"},
}
"""Which named arguments of which calls are said to people."""
CLASSES = {"Parameters": {"title", "description"}, "Options": {"title", "description"}}
"""The same for each `Field` of a class with such a base, by the end of the base's name; parameters may be described by
the docstring below them."""
OWN = {"Reader": {"title", "description"}, "TrainingMethod": {"title", "learns"}}
"""What a class with such a base says of itself."""

Message = tuple[str, int]


def messages(source: str, name: str) -> Iterator[Message]:
    """Every message with its line, in order, each once.

    >>> list(messages('raise Closed(_("The study is {state} " "now.").format(state=state))', "x.py"))
    [('The study is {state} now.', 1)]
    >>> list(messages('KINDS = marked({"a": "An answer", "b": {"c": "A choice"}})', "x.py"))
    [('An answer', 1), ('A choice', 1)]
    >>> list(messages('WORDS = PlainWords(question="Which?", group="The metrics")', "x.py"))
    [('Which?', 1)]
    >>> list(messages('class Some(Parameters):\\n  level: int = Field(default=1, title="Level")', "x.py"))
    [('Level', 2)]
    >>> list(messages("class Some(Parameters):\\n  level: int = 1\\n  'Of intervals.'", "x.py"))
    [('Of intervals.', 3)]
    >>> list(messages('Level = Annotated[float, Field(title="Level")]', "parameters.py"))
    [('Level', 1)]

    Raises:
        SystemExit: a message is not a plain string, so it could not be found in a catalogue.
    """
    tree = ast.parse(source)
    found = dict.fromkeys(sorted(_in(tree, name), key=lambda message: message[1]))
    yield from found


def _in(tree: ast.Module, name: str) -> Iterator[Message]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from _called(node, node.func.id, name)
        elif isinstance(node, ast.ClassDef):
            yield from _declared(node)
        elif isinstance(node, ast.Assign) and Path(name).name == "parameters.py":  # a field that several classes have
            yield from _fields(node, CLASSES["Parameters"])
        elif isinstance(node, ast.FunctionDef) and any(_name(one) == "analysis" for one in node.decorator_list):
            described = inspect.cleandoc(ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " ")
            if described:
                yield described, node.lineno


def _called(call: ast.Call, called: str, name: str) -> Iterator[Message]:
    if called in NAMES:
        text = call.args[0] if len(call.args) == 1 else None
        if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
            raise SystemExit(f"{name}, line {call.lineno}: {called}() takes one plain string; use .format() after it")
        yield text.value, call.lineno
    elif called == MARKED:
        for argument in call.args:
            yield from _texts(argument)
    elif called in CALLS:
        yield from _arguments(call, CALLS[called])


def _declared(declared: ast.ClassDef) -> Iterator[Message]:
    bases = [_name(base) for base in declared.bases]
    said = set().union(*(wanted for end, wanted in CLASSES.items() if any(base.endswith(end) for base in bases)))
    if said:
        yield from _fields(declared, said)
    if any(base.endswith("Parameters") for base in bases):
        for field, below in pairwise(declared.body):
            if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
                yield from ((" ".join(text.split()), line) for text, line in _texts(below.value))
    own = set[str]().union(*(wanted for end, wanted in OWN.items() if any(base.endswith(end) for base in bases)))
    for line in declared.body:
        if isinstance(line, ast.Assign) and _name(line.targets[0]) in own:
            yield from _texts(line.value)


def _fields(declared: ast.AST, wanted: set[str]) -> Iterator[Message]:
    for node in ast.walk(declared):
        if isinstance(node, ast.Call) and _name(node) == "Field":
            yield from _arguments(node, wanted)


def _arguments(call: ast.Call, wanted: set[str]) -> Iterator[Message]:
    for argument in call.keywords:
        if argument.arg in wanted:
            yield from _texts(argument.value)


def _texts(value: ast.expr) -> Iterator[Message]:
    """A text, or those that a mapping gives to its names."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
        yield value.value, value.lineno
    elif isinstance(value, ast.Dict):
        for one in value.values:
            yield from _texts(one)


def _name(node: ast.expr) -> str:
    """Of what is called, subscripted or simply named."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


if __name__ == "__main__":
    found = {name: list(messages(Path(name).read_text(encoding="utf-8"), name)) for name in sys.argv[1:]}
    json.dump(found, sys.stdout)
