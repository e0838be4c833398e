"""Print the messages in Python files as JSON: `python3 python_messages.py FILE...`; the pages' extraction calls it.

A message is the string in `_("...")`, `gettext`, `gettext_lazy` or `gettext_noop`. Values are filled in later, with
`.format(name=...)`, so both halves of the project write `{name}`. It runs on any Python with nothing installed.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = {"_", "gettext", "gettext_lazy", "gettext_noop"}


def messages(source: str, name: str) -> Iterator[tuple[str, int]]:
    """Every message with its line, in order.

    >>> list(messages('raise Closed(_("The study is {state} " "now.").format(state=state))', "x.py"))
    [('The study is {state} now.', 1)]

    Raises:
        SystemExit: a message is not a plain string, so it could not be found in a catalogue.
    """
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        if not isinstance(call.func, ast.Name) or call.func.id not in NAMES:
            continue
        text = call.args[0] if len(call.args) == 1 else None
        if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
            raise SystemExit(
                f"{name}, line {call.lineno}: {call.func.id}() takes one plain string; use .format() after it"
            )
        yield text.value, call.lineno


if __name__ == "__main__":
    found = {name: list(messages(Path(name).read_text(encoding="utf-8"), name)) for name in sys.argv[1:]}
    json.dump(found, sys.stdout)
