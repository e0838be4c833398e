"""The tables of the analysis of agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metaeval.analyses.agreement.result import AgreementOfJudgements, AgreementWithInterval
from metaeval.analyses.base.table import Column, Kind, Row, Table, column, table
from metaeval.analyses.inputs.parts import Part
from metaeval.stats.agreement import IntraclassForm

OF = column("of", "Of")
NOTES = column("notes", "Notes")
IN_WORDS = {1: "one", 2: "two", 3: "three"}


def tables_of(answers: Sequence[AgreementOfJudgements], *, level: float, percentage_minimum: int = 2) -> list[Table]:
    """Measures, labels, partitions, pairs and variation; if there are two steps, a column says which."""
    interval = f"{100 * level:g}%"
    bounds = [column("low", f"{interval} low"), column("high", f"{interval} high")]
    tables = [_measures(answers, bounds, {"percentage_agreement": percentage_minimum}), _labels(answers, bounds)]
    if any(answer.partitions for answer in answers):
        tables.append(_groups(answers, bounds))
    if any(answer.pairs for answer in answers):
        tables.append(_pairs(answers))
    if any(answer.intraclass for answer in answers):
        tables.append(_intraclass(answers, bounds))
    tables.append(_variation(answers))
    return tables


def _measures(answers: Sequence[AgreementOfJudgements], bounds: Sequence[Column], fewest: Mapping[str, int]) -> Table:
    """`fewest`: how many judgements an item needs, for measures that do not need two."""
    columns = [
        *_of(answers),
        column("title", "Measure"),
        column("value", "Value"),
        *bounds,
        column("n_items", "Items"),
        column("n_annotations", "Judgements", detail=True),
        NOTES,
    ]
    rows = [
        _row(answer, row, _measured_notes(row, fewest.get(row.measure, 2)))
        for answer in answers
        for row in answer.measures
    ]
    return table("measures", "Agreement over all items", columns, rows)


def _labels(answers: Sequence[AgreementOfJudgements], bounds: Sequence[Column]) -> Table:
    columns = [
        *_of(answers),
        column("label", "Label"),
        column("count", "Chosen"),
        column("share", "of judgements", kind="share"),
        column("alpha", "Alpha"),
        *bounds,
        NOTES,
    ]
    rows = [
        _row(answer, row, _undefined(row.reason) or _no_interval(row.interval_reason))
        for answer in answers
        for row in answer.labels
    ]
    notes = ["Krippendorff’s nominal alpha of “this label or not”."]
    return table("labels", "Agreement on each label", columns, rows, notes=notes)


def _groups(answers: Sequence[AgreementOfJudgements], bounds: Sequence[Column]) -> Table:
    columns = [
        *_of(answers),
        column("by", "By"),
        column("partition", "Group"),
        column("items", "Items"),
        column("share", "of items", kind="share"),
        column("percentage_agreement", "Percentage agreement", kind="share"),
        column("value", "Alpha"),
        *bounds,
        NOTES,
    ]
    rows = [_row(answer, row, _measured_notes(row)) for answer in answers for row in answer.partitions]
    distances = ", ".join(f"{answer.title}: {answer.distance}" for answer in answers)
    notes = [
        f"Distances of alpha: {distances}. Only items with at least two judgements count.",
        ("Groups by agreement select items by the very agreement that is then measured within them."),
    ]
    return table("partitions", "Agreement in groups of items", columns, rows, notes=notes)


def _pairs(answers: Sequence[AgreementOfJudgements]) -> Table:
    columns = [
        *_of(answers),
        column("first", "One"),
        column("second", "Other"),
        column("n_items", "Common items"),
        column("agreement", "Equal answers", kind="share"),
        column("value", "Cohen’s kappa or alpha"),
        NOTES,
    ]
    rows = [_row(answer, row, _undefined(row.reason)) for answer in answers for row in answer.pairs]
    notes = ["Cohen’s kappa for single labels, Krippendorff’s alpha for sets of labels."]
    notes += [
        (f"{answer.title}: {answer.weighting} weights, by the number of points between answers on the whole scale.")
        for answer in answers
        if answer.weighting != "none"
    ]
    return table("pairs", "Agreement of every two people", columns, rows, notes=notes)


INTRACLASS: dict[IntraclassForm, str] = {
    "1,1": "one judge per item, a different one each time",
    "2,1": "one judge from a sample of judges",
    "3,1": "one of these judges",
    "1,k": "mean of the judges, different ones for each item",
    "2,k": "mean of a sample of judges",
    "3,k": "mean of these judges",
}


def _intraclass(answers: Sequence[AgreementOfJudgements], bounds: Sequence[Column]) -> Table:
    columns = [
        *_of(answers),
        column("title", "Form"),
        column("value", "Value"),
        *bounds,
        column("f", "F"),
        column("degrees", "Degrees of freedom", detail=True),
        column("p_value", "p", kind="p"),
        column("n_targets", "Items"),
        column("n_judges", "Judges"),
        column("excluded", "Items left out"),
        NOTES,
    ]
    rows = [
        {
            **_row(answer, row, _undefined(row.reason) or "; ".join(row.notes)),
            "title": f"ICC({row.form}): {INTRACLASS[row.form]}",
            "degrees": "" if row.reason else f"{row.degrees_targets}, {row.degrees_rest}",
        }
        for answer in answers
        for row in answer.intraclass
    ]
    notes = [
        ("After Shrout and Fleiss (1979); p: from the F test of 0. The limits hold for normally distributed ratings.")
    ]
    return table("intraclass", "Intraclass correlations", columns, rows, notes=notes)


VARIATION: tuple[tuple[str, str, Kind], ...] = (
    ("n_items", "Items", ""),
    ("n_annotations", "Judgements", ""),
    ("annotations_mean", "per item, mean", ""),
    ("annotations_min", "least", ""),
    ("annotations_max", "most", ""),
    ("fewer_than_two", "Items with fewer than two judgements", ""),
    ("unanimous_share", "Unanimous items", "share"),
    ("mean_modal_share", "Share of the most frequent label", "share"),
    ("tied_items", "Items with a tie", ""),
    ("mean_entropy", "Entropy in bits", ""),
)


def _variation(answers: Sequence[AgreementOfJudgements]) -> Table:
    columns = [*_of(answers), *(column(key, title, kind=kind) for key, title, kind in VARIATION)]
    rows = [_row(answer, answer.variation) for answer in answers]
    sets = any(answer.is_of_sets for answer in answers)
    notes = ["A set of labels counts as one label."] if sets else []
    return table("variation", "How much judgements of one item vary", columns, rows, notes=notes)


def _of(answers: Sequence[AgreementOfJudgements]) -> list[Column]:
    return [OF] if len(answers) > 1 else []


def _row(answer: AgreementOfJudgements, part: Part, notes: str = "") -> Row:
    return {**part.plain(), "of": answer.title, "notes": notes}


def _measured_notes(row: AgreementWithInterval, fewest: int = 2) -> str:
    if row.reason:
        return _undefined(row.reason)
    few = [f"{row.excluded} items have fewer than {IN_WORDS.get(fewest, fewest)} judgements"] if row.excluded else []
    none = [_no_interval(row.interval_reason)] if row.interval_reason else []
    return "; ".join([*row.notes, *few, *none])


def _undefined(reason: str) -> str:
    return f"undefined: {reason}" if reason else ""


def _no_interval(reason: str) -> str:
    return f"no interval: {reason}" if reason else ""
