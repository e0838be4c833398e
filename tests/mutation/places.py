"""Where a fault would mean something, and which lines have to run for a test to meet it."""

import ast
import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

Point = tuple[int, int]
Span = tuple[Point, Point]

# Decorators that change how fast code runs, or what a type checker thinks of it, and nothing else.
SILENT_DECORATORS = {"compiled", "fused", "inlined", "cache", "lru_cache", "overload", "override"}
TYPE_CALLS = {"TypeVar", "NewType", "ParamSpec"}
ALIAS_NODES = (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.BitOr, ast.Tuple, ast.List, ast.Load)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Place:
    """The lines of the statement (or of a compound statement's head) around a position; `in_function`: it runs when a
    function is called, not when the module is imported."""

    lines: range
    in_function: bool


class Source:
    """One file's text, and what stands where in it."""

    def __init__(self, text: str, classes: str | None = None) -> None:
        self.text = text
        self._lines = text.splitlines()
        self._tree = ast.parse(text)
        self._left_out = list(self._spans(_left_out(self._tree)))
        self._kept = list(self._spans(_defaults(self._tree)))
        self._wanted = None if classes is None else list(self._spans(_classes(self._tree, classes)))

    def is_left_out(self, point: Point) -> bool:
        """Whether a fault here could not matter: it says a type, logs, guards against mistakes in code, ..."""
        if self._wanted is not None and not _within(point, self._wanted):
            return True
        return _within(point, self._left_out) and not _within(point, self._kept)

    def place(self, point: Point) -> Place:
        """What runs when the code at the point does."""
        inner, in_function = self._tree.body[0], False
        children: list[ast.stmt] = self._tree.body
        while (found := next((one for one in children if _within(point, [self._span(one)])), None)) is not None:
            inner, children = found, list(_statements(found))
            in_function = in_function or (isinstance(found, FUNCTIONS) and point >= self._span(found.body[0])[0])
        last = children[0].lineno - 1 if children else inner.end_lineno or inner.lineno
        first = self._span(inner)[0][0]
        return Place(lines=range(first, max(first, last) + 1), in_function=in_function)

    def _spans(self, nodes: Iterator[ast.AST]) -> Iterator[Span]:
        for node in nodes:
            yield self._span(node)

    def _span(self, node: ast.AST) -> Span:
        """A node's first and last position; columns count characters, where `ast` counts bytes."""
        located = cast(ast.stmt, node)
        first = min([located, *map(_with_sign, decorators(node))], key=lambda one: (one.lineno, one.col_offset))
        last, end = located.end_lineno or located.lineno, located.end_col_offset or located.col_offset
        return self._point(first.lineno, first.col_offset), self._point(last, end)

    def _point(self, line: int, byte: int) -> Point:
        return line, len(self._lines[line - 1].encode()[:byte].decode(errors="ignore"))


def _within(point: Point, spans: list[Span]) -> bool:
    return any(first <= point < last for first, last in spans)


def decorators(node: ast.AST) -> list[ast.expr]:
    return getattr(node, "decorator_list", [])


def _with_sign(decorator: ast.expr) -> ast.stmt:
    """A decorator's place with its `@`."""
    place = ast.copy_location(ast.Pass(), decorator)
    place.col_offset -= 1
    return place


def _statements(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements (and handlers of exceptions) right inside a compound statement, in order."""
    for name in ("body", "handlers", "orelse", "finalbody"):
        yield from getattr(node, name, [])
    for case in getattr(node, "cases", []):
        yield from case.body


def _classes(tree: ast.Module, pattern: str) -> Iterator[ast.AST]:
    """The methods of the classes whose name fits."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and fnmatch.fnmatch(node.name, pattern):
            yield from (child for child in node.body if isinstance(child, FUNCTIONS))


def _defaults(tree: ast.Module) -> Iterator[ast.AST]:
    """Default values stand in a signature, which else holds names and types only."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield from node.args.defaults
            yield from (default for default in node.args.kw_defaults if default is not None)


def _left_out(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield from _signature(node)
        if isinstance(node, ast.AnnAssign):
            yield node.annotation
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield node
        if isinstance(node, ast.Call):
            yield from _parts_of_call(node)
        yield from (_with_sign(one) for one in decorators(node) if _is_silent(one))
    for node in tree.body:
        if isinstance(node, ast.Assign) and _is_type(node.value):
            yield node


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """The parameters and the types of a function."""
    span = ast.copy_location(ast.Pass(), node)
    span.end_lineno, span.end_col_offset = node.body[0].lineno, node.body[0].col_offset
    yield span


def _parts_of_call(node: ast.Call) -> Iterator[ast.AST]:
    """What a call says to the type checker, to the log, or to find mistakes in code (`zip(..., strict=True)`)."""
    name = ast.unparse(node.func)
    if name in TYPE_CALLS or name.startswith(("logger.", "logging.")):
        yield node
    if name == "cast":
        yield node.args[0]
    if name == "zip":
        yield from node.keywords


def _is_silent(decorator: ast.expr) -> bool:
    """Decorators without effect on results, and how a dataclass is stored (`frozen`, `slots`)."""
    name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator).split(".")[-1]
    return name in SILENT_DECORATORS or (name == "dataclass" and isinstance(decorator, ast.Call))


def _is_type(value: ast.expr) -> bool:
    """Whether an assigned value is a type: names, brackets and `|`, and at least one of the latter two."""
    nodes = list(ast.walk(value))
    plain = all(
        isinstance(node, ALIAS_NODES) or (isinstance(node, ast.Constant) and not isinstance(node.value, int | float))
        for node in nodes
    )
    return plain and any(isinstance(node, ast.Subscript | ast.BitOr) for node in nodes)
