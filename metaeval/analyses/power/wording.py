"""Whether a study would find it: as a question, and its answer in sentences."""

from __future__ import annotations

from metaeval.analyses.base.wording import (
    PlainWords,
    answered,
    because,
    counted,
    number,
    permuted,
    sentence,
    share,
    share_range,
    spelled,
    why,
)
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.power.result import GridCell, PowerResult


def answer(result: PowerResult) -> str:
    """The probability that the planned study, or the largest in the grid, finds the requested correlation.

    It is only called above or below the target if the limits of the simulation's error are.
    """
    cells = [cell for cell in result.cells if cell.power is not None]
    if not cells:
        return f"The chance is undefined: {because(result.cells[0].reason if result.cells else '')}"
    planned = [cell for cell in cells if cell.is_planned]
    cell = max(planned or cells, key=_judgements)
    return answered(
        _headline(cell, result),
        sentence([_smallest(cell, result), *_unit(result)]),
        sentence([_assumed(result), _larger(cells, cell, result)]),
    )


def _judgements(cell: GridCell) -> int:
    """Per system."""
    return cell.instances * cell.experts_per_comparison


def _headline(cell: GridCell, result: PowerResult) -> str:
    size = (
        f"{'The planned study' if cell.is_planned else 'A study'} of {counted(cell.instances, 'text')} per system and "
        f"{counted(cell.experts_per_comparison, 'expert')} per text"
    )
    true = number(float(result.parameters["correlation"]))
    limits = "" if cell.low is None or cell.high is None else f" ({share_range(cell.low, cell.high)})"
    chance = f"a chance of {share(cell.power or 0.0)}{limits}"
    return f"{size} has {chance} of detecting a true correlation of {true}{_target(cell, result)}."


def _target(cell: GridCell, result: PowerResult) -> str:
    target = float(result.parameters["target"])
    if cell.low is None or cell.high is None:
        return ""
    if cell.low >= target:
        return f", which reaches the target of {share(target)}"
    if cell.high < target:
        return f", which is below the target of {share(target)}"
    return f", which cannot be told apart from the target of {share(target)}"


def _smallest(cell: GridCell, result: PowerResult) -> str:
    target = share(float(result.parameters["target"]))
    if cell.smallest is not None:
        return f"the smallest correlation that it detects with a chance of {target} is {number(cell.smallest)}"
    return f"no correlation is detected with a chance of {target} ({why(cell.reason)})" if cell.reason else ""


def _unit(result: PowerResult) -> list[str]:
    """What its test exchanges, and whether it can reject at all."""
    unit = result.unit
    if unit is None:
        return []
    what = permuted(unit.exchangeable, systems=result.systems, models=unit.models, methods=unit.methods)
    if not unit.warning:
        return [f"chance is judged by permuting {what}"]
    return [f"no such study can reject: permuting {what}, its smallest p is {unit.smallest_in_words}"]


def _assumed(result: PowerResult) -> str:
    """How much of it is based on answers, and how much is assumed."""
    count = sum(row.source == "assumed" for row in result.assumptions)
    total = len(result.assumptions)
    if not count:
        return ""
    if count == total:
        which = "the one number" if total == 1 else "both numbers" if total == 2 else f"all {spelled(total)} numbers"
    else:
        which = f"{spelled(count)} of the {spelled(total)} numbers"
    return f"{which} behind this chance {'is' if count == 1 else 'are'} assumed"


def _larger(cells: list[GridCell], cell: GridCell, result: PowerResult) -> str:
    """The smallest study of the grid that reaches the target, if this one does not."""
    target = float(result.parameters["target"])
    if cell.low is None or cell.low >= target:
        return ""
    enough = [row for row in cells if row.low is not None and row.low >= target]
    if not enough:
        return "no study of the grid reaches the target"
    least = min(enough, key=_judgements)
    texts, experts = counted(least.instances, "text"), counted(least.experts_per_comparison, "expert")
    return f"{texts} per system with {experts} per text would reach it"


WORDS = PlainWords(
    question="Will a study of this size detect a good metric?",
    group="Planning",
    shows="The chance of detecting a true correlation, by the number of texts and experts. It needs the plan of a "
    "study, or nothing at all.",
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
