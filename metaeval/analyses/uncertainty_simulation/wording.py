"""How people's uncertainty affects agreement with a machine: as a question, and its answer in sentences."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import answered, because, name, number, sentence, share
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.uncertainty_simulation.result import CertaintyCurve, CertaintyPoint, UncertaintySimulationResult


def answer(result: UncertaintySimulationResult) -> str:
    """The share of certain items from which the last machine falls behind people; the random labeller comes first."""
    curve = result.machines[-1]
    defined = _defined(curve)
    if not defined:
        reason = next((point.reason for point in curve.points if point.reason), "")
        return f"Agreement with “{name(curve.name)}” cannot be computed: {because(reason)}"
    items = result.items.replace("instances", "texts")
    return answered(_falls_behind(curve, defined, items), sentence([_random(result, curve, items)]))


def _falls_behind(curve: CertaintyCurve, defined: list[CertaintyPoint], items: str) -> str:
    title, last = f"“{name(curve.name)}”", defined[-1]
    less = "agrees with people less than they do with each other"
    figures = f"with {share(last.share)} of the {items} certain, alpha is {_alpha(last)}"
    if curve.below_from is not None:
        start = share(curve.below_from)
        if curve.below_from == defined[0].share:
            return f"{title} {less}, whatever the share of certain {items} (from {start}): {figures}."
        if curve.below_from == last.share:
            return f"{title} {less} once {start} of the {items} are certain, not before: alpha is then {_alpha(last)}."
        return f"{title} {less} once {start} of the {items} are certain: {figures}."
    if (last.machine or 0.0) < (last.people or 0.0):
        unknown = "is not known, because it is undefined for the largest"
        return f"From which share of certain {items} on {title} {less} {unknown}: {figures}."
    no_less = "agrees with people no less than they do with each other"
    return f"Even with {share(last.share)} of the {items} certain, {title} {no_less}: alpha is {_alpha(last)}."


def _alpha(point: CertaintyPoint) -> str:
    spread = (
        "" if point.machine_sd is None or point.repeats < 2 else f" (standard deviation {number(point.machine_sd)})"
    )
    return f"{number(point.machine or 0.0)} with it{spread} and {number(point.people or 0.0)} among people"


def _random(result: UncertaintySimulationResult, curve: CertaintyCurve, items: str) -> str:
    """What random labels get where the fewest items are certain: what uncertainty hides."""
    labeller = result.machines[0]
    defined = _defined(labeller)
    if labeller is curve or not defined:
        return ""
    return f"labels at random, with {share(defined[0].share)} certain, reach alpha {_alpha(defined[0])}"


def _defined(curve: CertaintyCurve) -> list[CertaintyPoint]:
    return [point for point in curve.points if point.machine is not None and point.people is not None]


WORDS = PlainWords(
    question="How much can people’s uncertainty hide about a machine?",
    group="Planning",
    shows="Agreement with a machine, and among people, as people are certain about more and more of the "
    "texts. It needs nothing: without data, it is a simulation.",
    place=20,
    needs={SubjectKind.STUDY: ("preferences",), SubjectKind.DATASET: ("annotations",)},
    compared=("units", "systems", "label", "metrics", "accuracies", "include_pilot"),
    statistics=("steps", "repeats", "subset", "items", "annotators", "label_count", "scale", "uncertain"),
    answer=answer,
)
