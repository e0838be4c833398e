"""What people's uncertainty does to agreement with a machine: as a question, and its answer in a sentence."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import because, name, number, share
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.uncertainty_simulation.result import UncertaintySimulationResult


def answer(result: UncertaintySimulationResult) -> str:
    """From which share of certain items on the last machine falls behind people; the random labeller comes first."""
    curve = result.machines[-1]
    known = [point for point in curve.points if point.machine is not None and point.people is not None]
    if not known:
        reason = curve.points[-1].reason if curve.points else ""
        return f"Agreement with {name(curve.name)} cannot be computed: {because(reason)}"
    last = known[-1]
    called = f"“{name(curve.name)}”"
    spread = "" if last.machine_sd is None else f" ± {number(last.machine_sd)}"
    figures = (
        f"with {share(last.share)} certain, alpha is {number(last.machine or 0.0)}{spread} with it and "
        f"{number(last.people or 0.0)} among people"
    )
    if curve.below_from is None:
        return f"{called} never agrees with people less than they do with each other: {figures}."
    start, items = share(curve.below_from), result.items.replace("instances", "texts")
    return (
        f"{called} agrees with people less than they do with each other once {start} of the {items} "
        f"are certain: {figures}."
    )


WORDS = PlainWords(
    question="How much does people’s uncertainty hide about a machine?",
    group="Planning",
    shows="Agreement with a machine, and among people, as the share of texts grows of which people are certain. It "
    "needs nothing: without data it is a simulation.",
    place=20,
    needs={SubjectKind.STUDY: ("preferences",), SubjectKind.DATASET: ("annotations",)},
    compared=("units", "systems", "label", "metrics", "accuracies", "include_pilot"),
    statistics=("steps", "repeats", "subset", "items", "annotators", "label_count", "scale"),
    answer=answer,
)
