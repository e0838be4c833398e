"""A heat map of how much every pair of people agrees."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.agreement.figures.words import distance_title
from metaeval.analyses.agreement.result import AgreementOfJudgements, AgreementResult
from metaeval.analyses.base.table import Row
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled

COLOUR = Colour("Cohen’s kappa", (-1.0, 1.0), scheme="blueorange", middle=0.0)


def _variants(result: AgreementResult) -> list[str]:
    return [answer.name for answer in result.judged] if len(result.judged) > 1 else []


@figure("How far every two people agree", variants=_variants)
def agreement_pairs(result: AgreementResult, variant: str, size: Size) -> Chart:
    """One map per step; people who agree most with the others come first."""
    chosen = [answer for answer in result.judged if variant in {"", answer.name}]
    drawn = [_panel(answer, size, of=len(chosen)) for answer in chosen]
    known = [answer for answer in chosen if answer.pairs]
    notes = [
        f"{answer.title}: {len(_people(answer))} {answer.people} in {len(answer.pairs)} pairs"
        + (f"; {answer.pairs_left_out} pairs with fewer common items left out." if answer.pairs_left_out else ".")
        for answer in known
    ]
    notes += [f"{answer.title}: {_why_none(answer)}" for answer in chosen if not answer.pairs]
    notes += dict.fromkeys(note for _, left_out in drawn for note in left_out)
    title = heading("How far every two people agree", notes, size=size)
    chart = alt.vconcat(*(panel for panel, _ in drawn), spacing=size.text * 2).resolve_scale(color="independent")
    return styled(chart.properties(title=title), size)


def _panel(answer: AgreementOfJudgements, size: Size, *, of: int) -> tuple[Chart, list[str]]:
    people = _people(answer)
    cells: list[Row] = [
        {"row": one, "column": other, "value": pair.value}
        for pair in answer.pairs
        for one, other in ((pair.first, pair.second), (pair.second, pair.first))
    ]
    kappa = "Cohen’s kappa" if answer.weighting == "none" else f"Cohen’s kappa, {answer.weighting} weights"
    name = f"Krippendorff’s alpha, {distance_title(answer.distance)}" if answer.is_of_sets else kappa
    return heat_map(
        cells,
        rows=people,
        columns=people,
        colour=Colour(name, COLOUR.domain, COLOUR.scheme, COLOUR.middle),
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


def _why_none(answer: AgreementOfJudgements) -> str:
    if not answer.people_known:
        return f"who the {answer.people} are is not known."
    return f"no two {answer.people} have enough items in common ({answer.pairs_left_out} pairs have too few)."
