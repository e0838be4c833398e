"""How well machines agree with people, given how much people agree: as a question, and its answer in sentences."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import (
    answered,
    because,
    interval,
    listed,
    name,
    number,
    sentence,
    spelled,
    undefined,
    within,
)
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.uncertainty.result import MachineStratum, UncertaintyResult
from metaeval.stats.uncertainty import Scale


def typical(scale: Scale) -> str:
    """What represents an item's labels.

    >>> typical("nominal")
    'majority'
    """
    return "median" if scale == "ordinal" else "majority"


def answer(result: UncertaintyResult) -> str:
    """The machine with the highest alpha with people's typical label, beside how much people agree among themselves.

    The interval of the difference says whether this is more or less than among people; machines are not tested against
    one another.
    """
    rows = [row for row in result.strata if row.grouping == "all"]
    defined = [row for row in rows if row.alpha.typical is not None]
    if not defined:
        return _people_alone(result, rows)
    top = max(row.alpha.typical or 0.0 for row in defined)
    best = [row for row in defined if row.alpha.typical == top]
    lacking = [row for row in rows if row.alpha.typical is None]
    caution = sentence(
        [
            "typical answers vary less than single ones, which can favour a machine"
            if best[0].alpha.people is not None
            else "",
            "no test compares the machines, and the highest of several is optimistic" if len(defined) > 1 else "",
            undefined([row.machine for row in lacking], [row.alpha.reasons.get("typical", "") for row in lacking]),
        ]
    )
    return answered(_headline(result, best, len(defined)), sentence([_beside_people(result, best[0])]), caution)


def _headline(result: UncertaintyResult, best: list[MachineStratum], machines: int) -> str:
    alpha = best[0].alpha
    bounds = interval(alpha.typical_low, alpha.typical_high, _level(result))
    figures = f"alpha {number(alpha.typical or 0.0)}{within(bounds or 'no interval')}"
    among = f"the typical answers of {result.people}"
    if machines == 1:
        return f"The agreement of {name(best[0].machine)} with {among} is {figures}."
    of = f"Of {spelled(machines)} machines"
    if len(best) > 1:
        names = listed([row.machine for row in best])
        return f"{of}, {names} have the same agreement with {among}, the highest here: {figures}."
    return f"{of}, {name(best[0].machine)} has the highest agreement with {among}: {figures}."


def _beside_people(result: UncertaintyResult, best: MachineStratum) -> str:
    """The difference is the alpha among people minus that with the machine."""
    alpha = best.alpha
    if alpha.people is None:
        return f"how far {result.people} agree among themselves is undefined"
    lead = f"{result.people} agree among themselves at alpha {number(alpha.people)}"
    if alpha.difference is None or alpha.difference_low is None or alpha.difference_high is None:
        return lead
    low, high = -alpha.difference_high, -alpha.difference_low
    figures = f"{number(-alpha.difference)}{within(interval(low, high, _level(result)))}"
    if low > 0:
        return f"{lead}, less than with the machine: the difference is {figures}"
    if high < 0:
        return f"{lead}, more than with the machine: the difference is {figures}"
    return f"{lead}, which cannot be told apart from that with the machine: the difference is {figures}"


def _people_alone(result: UncertaintyResult, rows: list[MachineStratum]) -> str:
    """If no machine can be compared: how much people agree."""
    people = next((row for part in result.people_strata for row in part.rows if row.grouping == "all"), None)
    if rows:
        return (
            f"No machine can be compared with the {result.people}: {because(rows[0].alpha.reasons.get('typical', ''))}"
        )
    if people is None or people.alpha is None:
        return f"Agreement is undefined: {because(people.reason if people else '')}"
    bounds = interval(people.low, people.high, _level(result))
    figures = f"alpha {number(people.alpha)}{within(bounds or 'no interval')}"
    return answered(f"There is no machine to compare; the {result.people} agree among themselves at {figures}.")


def _level(result: UncertaintyResult) -> float:
    return float(result.parameters.get("level", 0.95))


WORDS = PlainWords(
    question="Do machines agree with people as well as people agree with each other?",
    group="The experts",
    shows="How far machines agree with people, and people with each other, where people are certain and "
    "where they are not. It needs texts that at least two people have judged.",
    place=10,
    needs={SubjectKind.STUDY: ("preferences",), SubjectKind.DATASET: ("annotations",)},
    compared=("units", "systems", "label", "metrics", "nearness", "partitions", "include_pilot"),
    statistics=("least_annotations", "resamples", "level", "draws"),
    answer=answer,
)
