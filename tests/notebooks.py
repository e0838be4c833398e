"""Runs a notebook's code cells, without a notebook server: `python -m tests.notebooks docs/chaosnli.ipynb` renews what
they print. Cells share one namespace and show by `print`."""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def printed(cell: dict[str, Any]) -> str:
    """What the notebook says the cell printed."""
    return "".join(line for output in cell["outputs"] for line in output["text"])


def run(notebook: dict[str, Any]) -> list[str]:
    """What each code cell prints when all are run in order."""
    space: dict[str, Any] = {"__name__": "__main__"}
    found = []
    for place, cell in enumerate(code_cells(notebook), start=1):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("".join(cell["source"]), f"<cell {place}>", "exec"), space)  # noqa: S102 - our own notebook
        found.append(out.getvalue())
    return found


def renew(path: Path) -> None:
    notebook = json.loads(path.read_text())
    for place, (cell, text) in enumerate(zip(code_cells(notebook), run(notebook), strict=True), start=1):
        cell["execution_count"] = place
        lines = text.splitlines(keepends=True)
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    renew(Path(sys.argv[1]))
