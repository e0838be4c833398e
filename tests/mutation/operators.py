"""Faults that Cosmic Ray's own operators do not make, and that code which keeps promises in a database invites."""

from collections.abc import Iterator
from typing import Any

from cosmic_ray.operators.operator import Example, Operator
from parso.python.tree import Name, PythonNode

Position = tuple[tuple[int, int], tuple[int, int]]

# Links of a query that say what is found. Not those that only say how (`select_related`, `defer`), and not
# `select_for_update`: SQLite, on which mutants are tried, has no such lock.
LINKS = {"filter", "exclude", "order_by", "distinct", "experts", "unblinded"}


class RemoveStatement(Operator):
    """Leave out a call that stands alone, or an assignment to an attribute, an element, or in place."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        if node.parent is not None and node.parent.type == "simple_stmt" and _is_removable(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        lines = node.get_code(include_prefix=False).count("\n")
        # As many lines as before, so that every other line keeps its number.
        text = "pass" if lines == 0 else "(" + "\n" * lines + ")"
        return Name(text, node.start_pos, prefix=node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("f(1)\n", "pass\n"), Example("a.b = 1\n", "pass\n"), Example("a += 1\n", "pass\n"))


class RemoveArgument(Operator):
    """Leave out one keyword argument of a call."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        for argument in _keyword_arguments(node):
            yield argument.start_pos, argument.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        argument = _keyword_arguments(node)[index]
        place = node.children.index(argument)
        removed = [argument]
        if place + 1 < len(node.children) and node.children[place + 1] == ",":
            removed.append(node.children[place + 1])
        lines = "".join(leaf.get_code() for leaf in removed).count("\n")
        kept = [child for child in node.children if not any(child is one for one in removed)]
        following = kept[place] if place < len(kept) else node.get_last_leaf().get_next_leaf()
        leaf = following.get_first_leaf()
        leaf.prefix = "\n" * lines + leaf.prefix
        node.children = kept
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("f(a, b=1)", "f(a,)"), Example("f(b=1)", "f()"), Example("f(a=1, b=2)", "f( b=2)"))


class RemoveLink(Operator):
    """Leave out one link of a query: `.filter(...)`, `.exclude(...)`, `.order_by(...)`, `.distinct()`."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        for name, call in _links(node):
            yield name.start_pos, call.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        name, call = _links(node)[index]
        lines = (name.get_code() + call.get_code()).count("\n")
        kept = [child for child in node.children if child is not name and child is not call]
        after = call.get_last_leaf().get_next_leaf()
        if after is not None:
            after.prefix = "\n" * lines + after.prefix if _is_in_brackets(node) else after.prefix
        node.children = kept
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("a.filter(b=1).c()", "a.c()"), Example("a.b.distinct()", "a.b"))


OPERATORS: dict[str, type[Operator]] = {
    operator.__name__: operator for operator in (RemoveStatement, RemoveArgument, RemoveLink)
}


def _is_removable(node: Any) -> bool:
    if node.type in {"atom_expr", "power"}:
        return _is_call(node)
    if node.type != "expr_stmt":
        return False
    target, sign = node.children[0], node.children[1]
    in_place = sign.type == "operator" and sign.value not in {"=", ":"}
    return in_place or (sign.type == "operator" and sign.value == "=" and target.type in {"atom_expr", "power"})


def _is_call(node: Any) -> bool:
    last = node.children[-1]
    return bool(last.type == "trailer" and last.children[0] == "(")


def _keyword_arguments(node: Any) -> list[Any]:
    """The keyword arguments among a node's children (one alone stands in the brackets themselves)."""
    if not isinstance(node, PythonNode) or node.type not in {"arglist", "trailer"}:
        return []
    return [child for child in node.children if child.type == "argument" and child.children[1] == "="]


def _links(node: Any) -> list[tuple[Any, Any]]:
    """The links of a chain that can be left out: their name and their call."""
    if not isinstance(node, PythonNode) or node.type not in {"atom_expr", "power"}:
        return []
    pairs = zip(node.children[1:], node.children[2:], strict=False)
    return [
        (name, call)
        for name, call in pairs
        if name.type == call.type == "trailer"
        and name.children[0] == "."
        and name.children[1].value in LINKS
        and call.children[0] == "("
    ]


def _is_in_brackets(node: Any) -> bool:
    parent = node.parent
    while parent is not None and parent.type not in {"atom", "trailer"}:
        parent = parent.parent
    return parent is not None
