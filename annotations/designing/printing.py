"""A plan as plain text: systems x instances, and experts with their load."""

from collections.abc import Iterator

from annotations.designing.overview import Overview, SystemRow

WIDTH = 100


def as_text(plan: Overview) -> str:
    """The plan as lines for a terminal.

    Each column of the matrix is one instance, or a few neighbours where there are more than fit; a
    digit says on how many of them the system is shown (`+`: more than nine, `.`: on none).
    """
    warnings = [f"\nWARNING: {warning}" for warning in plan.warnings]
    return "\n".join([*_matrix(plan), "", *_experts(plan), "", plan.statement, *warnings])


def _matrix(plan: Overview) -> Iterator[str]:
    together = max(1, -(-plan.instances // WIDTH))
    name = max([len(row.name) for row in plan.systems] + [len("system")])
    what = "one instance a column" if together == 1 else f"{together} instances a column"
    yield f"{'system':{name}}  instances  done  where ({what}, {plan.instances} in all)"
    for row in plan.systems:
        done = f"{row.completed}/{row.places}"
        yield f"{row.name:{name}}  {row.instances:9}  {done:>4}  {_line(row, plan.instances, together)}"


def _line(row: SystemRow, instances: int, together: int) -> str:
    counts = [0] * -(-instances // together)
    for cell in row.cells:
        counts[cell.instance // together] += 1
    return "".join("." if count == 0 else str(count) if count < 10 else "+" for count in counts)


def _experts(plan: Overview) -> Iterator[str]:
    if not plan.experts:
        yield "No expert has anything yet."
        return
    yield "expert  load  done"
    for expert in plan.experts:
        yield f"{expert.number:6}  {expert.assigned:4}  {expert.completed:4}"
