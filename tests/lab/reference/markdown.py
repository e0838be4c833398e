"""Pieces of a page of the reference: docstrings as Markdown, signatures, tables, anchors of headings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
ITEM = re.compile(r"^(?! )(\S[^\n]*?)(?: : ([^\n]+))?\n((?: {4}[^\n]*\n?|\n(?= {4}))+)", re.MULTILINE)
IN_ITEMS = {"Parameters", "Returns", "Raises", "Attributes", "Yields", "Warns", "See Also"}
MARKS = re.compile(r"(?<!^)([_|<]|(?<!\w)\*(?=\s)|(?<=\w)\*(?=\w))")
"""Signs that a docstring means literally; stars around a word are kept, since they emphasise it."""
GOOGLE = re.compile(r"^(Raises|Returns|Args):\n((?:    [^\n]*\n?)+)", re.MULTILINE)


def written_by(title: str, more: str = "") -> str:
    """The head of a page."""
    how = "Written from the code by `make reference`; a test says when it is no longer true."
    return f"# {title}\n\n{how}\n" + (f"\n{more.strip()}\n" if more else "")


def docstring(text: str | None) -> str:
    r"""A docstring as Markdown: examples as code, sections of parameters as lists, and Markdown's own symbols escaped.

    >>> print(docstring("One line.\n\nRaises:\n    Wrong: for x < 0."))
    One line.
    <BLANKLINE>
    **Raises**
    <BLANKLINE>
    - `Wrong`: for x \< 0.
    """
    clean = GOOGLE.sub(_google, inspect.cleandoc(text or ""))
    parts = SECTION.split(clean)
    blocks = [_prose(parts[0])] if parts[0].strip() else []
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        blocks += [f"**{title}**", _items(body) if title in IN_ITEMS else _prose(body)]
    return "\n\n".join(blocks)


def first_paragraph(text: str | None) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(inspect.cleandoc(text or "").split("\n\n")[0].split())


def _google(section: re.Match[str]) -> str:
    """The short sections in the project's own docstrings, which are in Google's style."""
    lines = [line.partition(": ") for line in inspect.cleandoc(section[2]).splitlines() if not line.startswith(" ")]
    return f"{section[1]}\n-----\n" + "".join(f"{name}\n    {says}\n" for name, _, says in lines)


def _items(body: str) -> str:
    items = []
    for name, kind, says in ITEM.findall(body.strip("\n") + "\n"):
        about = f" ({_escaped(kind)})" if kind else ""
        items.append(f"- `{name}`{about}: {_escaped(' '.join(says.split()))}")
    return "\n".join(items) if items else _prose(body)


def _prose(text: str) -> str:
    return "\n\n".join(
        f"```python\n{inspect.cleandoc(paragraph)}\n```"
        if paragraph.lstrip().startswith(">>>")
        else _escaped(paragraph)
        for paragraph in re.split(r"\n\s*\n", text.strip("\n"))
    )


def _escaped(text: str) -> str:
    """Every other part is a code span and stays as it is; a list keeps its bullets."""
    parts = text.split("`")
    return "`".join(part if place % 2 else re.sub(MARKS, r"\\\1", part) for place, part in enumerate(parts))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A pipe table; a cell may hold anything.

    >>> print(table(["a", "b"], [["1|2", "x"]]))
    | a | b |
    |---|---|
    | 1\|2 | x |
    """
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def anchor(name: str) -> str:
    """A target for links, whatever the following heading is called."""
    return f'<a id="{name}"></a>'


def signature(function: Callable[..., Any]) -> str:
    """Its name and parameters with their defaults.

    >>> def resample(values, *, resamples=1000, seed=None): ...
    >>> signature(resample)
    'resample(values, *, resamples=1000, seed=None)'
    """
    shown: list[str] = []
    kinds = inspect.Parameter
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is kinds.KEYWORD_ONLY and not any(part.startswith("*") for part in shown):
            shown.append("*")
        stars = "**" if parameter.kind is kinds.VAR_KEYWORD else "*" if parameter.kind is kinds.VAR_POSITIONAL else ""
        shown.append(stars + _with_default(parameter))
    return f"{getattr(function, '__name__', 'function')}({', '.join(shown)})"


def _with_default(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return parameter.name
    if isinstance(parameter.default, str):  # in the quotes that the code formatter uses
        return f"{parameter.name}={json.dumps(parameter.default, ensure_ascii=False)}"
    is_long = isinstance(parameter.default, tuple) and len(parameter.default) > 2
    return f"{parameter.name}={'...' if is_long or callable(parameter.default) else repr(parameter.default)}"
