"""A plan as plain text: systems x instances, and experts with their load."""

from collections.abc import Iterator

from annotations.designing.overview import Overview, SystemRow

WIDTH = 100


def as_text(plan: Overview) -> str:
    """The plan as lines for a terminal.

    Each column of the matrix is one instance, or a few neighbouring ones if they do not all fit; a digit says on how
    many of them the system is shown (`+`: more than nine, `.`: none).
    """
    weighed = ["", *_choices(plan)] if plan.choices else []
    warnings = [f"\nWARNING: {warning}" for warning in plan.warnings]
    return "\n".join([*_matrix(plan), "", *_experts(plan), "", plan.statement, *weighed, *warnings])


def _matrix(plan: Overview) -> Iterator[str]:
    together = max(1, -(-plan.instances // WIDTH))
    name = max([len(row.name) for row in plan.systems] + [len("system")])
    what = "one instance per column" if together == 1 else f"{together} instances per column"
    yield f"{'system':{name}}  instances  done  where ({what}, {plan.instances} in all)"
    for row in plan.systems:
        done = f"{row.completed}/{row.places}"
        yield f"{row.name:{name}}  {row.instances:9}  {done:>4}  {_line(row, plan.instances, together)}"


def _line(row: SystemRow, instances: int, together: int) -> str:
    counts = [0] * -(-instances // together)
    for cell in row.cells:
        counts[cell.instance // together] += 1
    return "".join("." if count == 0 else str(count) if count < 10 else "+" for count in counts)


CHOICES_SAY = """\
What each way to draw costs and gives away (*: this study's).
off: points between a drawn bar of a prediction and the prediction
low: bars of shares that are not above the threshold
same: comparisons whose two sides look the same
told: how often one could guess people's side (chance is 50%) from the number of people who judged each text
      (by grid), and, at least, after learning from other texts (learned)"""


def _choices(plan: Overview) -> Iterator[str]:
    """What each way of drawing costs and reveals; the study's own is marked."""
    name = max(len(choice.name) for choice in plan.choices)
    yield from CHOICES_SAY.splitlines()
    yield (
        f"  {'bars are drawn in':{name}}  {'mean off':>8} {'95% off':>7} {'most off':>8} {'off > 5':>7} {'low':>5} "
        + (f"{'same':>5} {'told by grid':>12} {'learned':>7}")
    )
    for choice in plan.choices:
        cost, mark = choice.distortion, "*" if choice.is_chosen else " "
        off = f"{_points(cost.mean):>8} {_points(cost.p95):>7} {_points(cost.most):>8} {_share(cost.far):>7}"
        told = f"{_share(choice.by_grid):>12} {_share(choice.learned):>7}"
        yield f"{mark} {choice.name:{name}}  {off} {cost.below:>5} {cost.identical:>5} {told}"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _experts(plan: Overview) -> Iterator[str]:
    if not plan.experts:
        yield "No expert has anything yet."
        return
    yield "expert  load  done"
    for expert in plan.experts:
        yield f"{expert.number:6}  {expert.assigned:4}  {expert.completed:4}"
