"""Whether a study would find it: as a question, and its answer in a sentence."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import because, counted, number, share
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.power.result import PowerResult


def answer(result: PowerResult) -> str:
    """The chance of the planned study, or of the largest in the grid, to find the correlation that was asked for."""
    cells = [cell for cell in result.cells if cell.power is not None]
    if not cells:
        return f"The chance is undefined: {because(result.cells[0].reason if result.cells else '')}"
    planned = [cell for cell in cells if cell.is_planned]
    cell = max(planned or cells, key=lambda one: one.instances * one.experts_per_comparison)
    size = (
        f"{'The planned' if planned else 'A'} study of {counted(cell.instances, 'text')} a system and "
        f"{counted(cell.experts_per_comparison, 'expert')} a text"
    )
    limits = ""
    if cell.low is not None and cell.high is not None:
        limits = f"{100 * cell.low:.0f} to {share(cell.high)}"
    true = number(float(result.parameters["correlation"]))
    found = f"finds a true correlation of {true} with a chance of {share(cell.power or 0.0)}"
    if cell.smallest is None:
        more = f"; {cell.reason}" if cell.reason else ""
    else:
        target = share(float(result.parameters["target"]))
        more = f"; the smallest that it finds with {target} is {number(cell.smallest)}"
    return f"{size} {found}{f' ({limits})' if limits else ''}{more}."


WORDS = PlainWords(
    question="Would a study of this size find a correlation that is there?",
    group="Planning",
    shows="The chance to find a true correlation, by the number of texts and experts. It needs the plan of a study, "
    "or nothing at all.",
    place=0,
    needs={SubjectKind.STUDY: ("three systems",)},
    compared=(
        "correlation",
        "systems",
        "models",
        "methods",
        "instances",
        "experts_per_comparison",
        "experts",
        "include_pilot",
    ),
    statistics=("target", "alpha", "coefficient", "alternative", "simulations", "permutations"),
    answer=answer,
)
