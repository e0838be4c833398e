"""How far people agree: by every measure, on each label, in groups of items, and two by two."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.agreement.parameters import Grouping
from metaeval.analyses.agreement.result import AgreementInGroup, AgreementOfJudgements, AgreementResult
from metaeval.analyses.base.table import Row
from metaeval.figures.dots import DotPanel, dot_panels, dot_row, up_to_one
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled

DISTANCES = {"masi": "MASI", "jaccard": "Jaccard"}
GROUPINGS: dict[Grouping, str] = {
    "agreement": "Items by percentage agreement (PA)",
    "different_labels": "Items by how many different labels they got",
    "systems": "Items by system",
}


@figure("How far people agree")
def agreement_measures(result: AgreementResult, variant: str, size: Size) -> Chart:
    """1 is perfect agreement; 0 is chance level, except for percentage and pairwise agreement."""
    panels = []
    for answer in result.judged:
        rows = [dot_row(row.title, row.value, row.low, row.high) for row in answer.measures]
        panels.append(_panel(rows, "Agreement", _step(result, answer)))
    level = f"{100 * result.parameters['level']:g}%"
    note = f"Points with {level} bootstrap intervals over items. 1: perfect; 0: chance level, for alphas and kappas."
    return _dots("How far people agree", panels, note, size, what="measures")


@figure("How far people agree on each label")
def agreement_labels(result: AgreementResult, variant: str, size: Size) -> Chart:
    """Labels, those with most agreement first; how often each was chosen is beside its name."""
    panels = []
    for answer in result.judged:
        rows = [
            dot_row(f"{label.label} ({label.count:,})", label.alpha, label.low, label.high)
            for label in sorted(answer.labels, key=lambda label: (label.alpha is None, -(label.alpha or 0.0)))
        ]
        panels.append(_panel(rows, "Krippendorff’s alpha", _step(result, answer)))
    note = "In brackets: how often it was chosen. Alpha of “this label or not”, with bootstrap intervals over items."
    return _dots("How far people agree on each label", panels, note, size, what="labels")


@figure("How far people agree in groups of items")
def agreement_partitions(result: AgreementResult, variant: str, size: Size) -> Chart:
    """One panel per way of grouping the items; the number of items is beside the group's name."""
    panels = []
    domain = up_to_one([_group_row(group) for answer in result.judged for group in answer.partitions])
    for answer in result.judged:
        for grouping in dict.fromkeys(group.grouping for group in answer.partitions):
            rows = [_group_row(group) for group in answer.partitions if group.grouping == grouping]
            title = ". ".join(filter(None, [_step(result, answer), GROUPINGS[grouping]]))
            panels.append(_panel(rows, f"Krippendorff’s alpha, {_distance(answer)}", title, domain))
    note = "In brackets: how many items. Bootstrap intervals over the items of a group."
    title = "How far people agree in groups of items"
    return _dots(title, panels, note if panels else "No partitions were requested.", size, what="groups")


def _group_row(group: AgreementInGroup) -> Row:
    name = f"{group.partition.replace('<=', '≤')} ({group.items:,})"
    return dot_row(name, group.value, group.low, group.high)


def _step(result: AgreementResult, answer: AgreementOfJudgements) -> str:
    return answer.title if len(result.judged) > 1 else ""


def _panel(rows: list[Row], x_title: str, title: str, domain: tuple[float, float] | None = None) -> DotPanel:
    domain = domain or up_to_one(rows)
    return DotPanel(rows, x_title=x_title, domain=domain, rule_at=0.0, rule_name="chance level", title=title)


def _dots(title: str, panels: Sequence[DotPanel], note: str, size: Size, *, what: str) -> Chart:
    chart, left_out = dot_panels(panels, size=size, what=what)
    return styled(chart.properties(title=heading(title, [note, *left_out], size=size)), size)


def _distance(answer: AgreementOfJudgements) -> str:
    return DISTANCES.get(answer.distance, answer.distance)


def _variants(result: AgreementResult) -> list[str]:
    return [answer.name for answer in result.judged] if len(result.judged) > 1 else []


@figure("How far every two people agree", variants=_variants)
def agreement_pairs(result: AgreementResult, variant: str, size: Size) -> Chart:
    """One map per step; people who agree most with the others come first."""
    answers = [answer for answer in result.judged if variant in {"", answer.name}]
    maps = [_pair_map(answer, size, of=len(answers)) for answer in answers]
    notes = [
        f"{answer.title}: {len(_people(answer))} {answer.people} in {len(answer.pairs)} pairs"
        + (f"; {answer.pairs_left_out} pairs with fewer common items left out." if answer.pairs_left_out else ".")
        for answer in answers
        if answer.pairs
    ]
    notes += [f"{answer.title}: {_no_pairs(answer)}" for answer in answers if not answer.pairs]
    notes += dict.fromkeys(note for _, left_out in maps for note in left_out)
    title = heading("How far every two people agree", notes, size=size)
    chart = alt.vconcat(*(chart for chart, _ in maps), spacing=size.text * 2).resolve_scale(color="independent")
    return styled(chart.properties(title=title), size)


def _pair_map(answer: AgreementOfJudgements, size: Size, *, of: int) -> tuple[Chart, list[str]]:
    people = _people(answer)
    cells: list[Row] = [
        {"row": row, "column": column, "value": pair.value}
        for pair in answer.pairs
        for row, column in ((pair.first, pair.second), (pair.second, pair.first))
    ]
    kappa = "Cohen’s kappa" if answer.weighting == "none" else f"Cohen’s kappa, {answer.weighting} weights"
    name = f"Krippendorff’s alpha, {_distance(answer)}" if answer.is_of_sets else kappa
    return heat_map(
        cells,
        rows=people,
        columns=people,
        colour=Colour(name, (-1.0, 1.0), scheme="blueorange", middle=0.0),
        size=size,
        title=answer.title if of > 1 else "",
        of_panels=of,
    )


def _people(answer: AgreementOfJudgements) -> list[str]:
    """The people of the pairs; those who agree most with the others come first."""
    values: dict[str, list[float]] = {}
    for pair in answer.pairs:
        for person in (pair.first, pair.second):
            values.setdefault(person, [])
            if pair.value is not None:
                values[person].append(pair.value)
    return sorted(values, key=lambda person: -(sum(values[person]) / len(values[person])) if values[person] else 2.0)


def _no_pairs(answer: AgreementOfJudgements) -> str:
    if not answer.people_known:
        return f"who the {answer.people} are is not known."
    return f"no two {answer.people} have enough items in common ({answer.pairs_left_out} pairs have too few)."
