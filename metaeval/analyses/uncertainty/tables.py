"""The tables of the analysis of human uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metaeval.analyses.base.table import Row, Table, column, table
from metaeval.analyses.uncertainty.continuous_table import continuous_table
from metaeval.analyses.uncertainty.partition_columns import partition_columns, placed
from metaeval.analyses.uncertainty.result import (
    FourComparisons,
    MachineStratum,
    PeopleStrata,
    Perception,
    UncertaintyFindings,
)

SHORT = {"people": "HH", "machines": "MM", "typical": "HʷMʷ", "random_person": "H′Mʷ"}
LEGEND = {
    "people": "among people",
    "machines": "among the machine’s labels of an item",
    "typical": "people’s majority (or median) and the machine’s",
    "random_person": "one person at random and the machine",
}
CORRELATIONS = {
    "spearman_median": ("Spearman", "of medians"),
    "spearman_mean": ("Spearman", "of means"),
    "kendall_median": ("Kendall", "of medians"),
    "kendall_mean": ("Kendall", "of means"),
}


def tables_of(found: UncertaintyFindings, *, level: float) -> list[Table]:
    """The stratified table, kappas, correlations and win rates of machines; people's own agreement; the bins;
    correlations of machines that give numbers."""
    shown = _shown(found)
    tables = [_stratified(found.strata, shown, level)] if found.strata else []
    tables.append(_people(found.people_strata, found.items, level))
    if found.strata:
        tables.append(_kappas(found.strata, shown))
        if found.scale == "ordinal":
            tables.append(_correlations(found.strata))
        tables.append(_win_rates(found.strata, found.labels))
    tables.append(_bins(found.perception))
    if found.continuous:
        tables.append(continuous_table(found, level))
    return tables


def _of_machine(row: MachineStratum) -> Row:
    return {"machine": row.machine, **placed(row)}


def _shown(found: UncertaintyFindings) -> list[str]:
    """Which of the four comparisons exist: among machine labels only if some item has two."""
    several = any(machine.most_labels_an_item > 1 for machine in found.machines)
    return [key for key in SHORT if several or key != "machines"]


def _four(measure: str, found: FourComparisons, shown: Sequence[str]) -> Row:
    return {f"{measure}_{key}": found.compared[key] for key in shown}


def _legend(shown: Sequence[str]) -> list[str]:
    words = "; ".join(f"{SHORT[key]}: {LEGEND[key]}" for key in shown)
    return [
        f"{words}.",
        *([] if "machines" in shown else ["Every machine gives an item one label, so there is no MM."]),
    ]


def _stratified(rows: Sequence[MachineStratum], shown: Sequence[str], level: float) -> Table:
    interval = f"{100 * level:g}%"
    alpha, percentage = "Krippendorff’s alpha", "Percentage agreement"
    columns = [
        *partition_columns(),
        *(column(f"alpha_{key}", SHORT[key], group=alpha) for key in shown),
        column("alpha_difference", "HH − HʷMʷ", group=alpha),
        column("difference_low", f"{interval} low", group="Difference", detail=True),
        column("difference_high", f"{interval} high", group="Difference", detail=True),
        *(column(f"percentage_{key}", SHORT[key], group=percentage, kind="share") for key in shown),
        column("binned", "binned", group="Jensen-Shannon"),
        column("pooled", "not binned", group="Jensen-Shannon"),
        column("notes", "Notes"),
    ]
    return table(
        "stratified",
        "People and machines by how far people agree",
        columns,
        [
            {
                **_of_machine(row),
                **_four("alpha", row.alpha, shown),
                **_four("percentage", row.percentage, shown),
                "alpha_difference": row.alpha.difference,
                "difference_low": row.alpha.difference_low,
                "difference_high": row.alpha.difference_high,
                "binned": row.divergence.binned,
                "pooled": row.divergence.pooled,
                "notes": "; ".join(_undefined(row, row.alpha, shown)),
            }
            for row in rows
        ],
        notes=[
            *_legend(shown),
            (
                "Partitions by percentage agreement select items by the very agreement that HH then measures "
                "within them."
            ),
        ],
    )


def _undefined(row: MachineStratum, found: FourComparisons, shown: Sequence[str]) -> Iterator[str]:
    """What is undefined in this row, each reason once."""
    if row.notes:
        yield from row.notes
        return
    of: dict[str, list[str]] = {}
    for key, reason in found.reasons.items():
        if key in shown:
            of.setdefault(reason, []).append(SHORT[key])
    for reason, keys in of.items():
        yield f"{', '.join(keys)} undefined: {reason}"


def _people(sets: Sequence[PeopleStrata], items: str, level: float) -> Table:
    interval = f"{100 * level:g}%"
    several = len(sets) > 1
    random = "Random labeller, mean"
    columns = [
        *([column("labelled_by", "Items labelled by")] if several else []),
        *partition_columns(with_machine=False),
        column("alpha", "Alpha", group="Among people"),
        column("low", f"{interval} low", group="Among people"),
        column("high", f"{interval} high", group="Among people"),
        column("percentage", "Percentage agreement", group="Among people", kind="share"),
        column("pairwise", "Pairwise agreement", group="Among people", kind="share", detail=True),
        column("fleiss", "Fleiss", group="Among people", detail=True),
        column("randolph", "Randolph", group="Among people", detail=True),
        column("random_alpha", "Alpha", group=random),
        column("random_high", f"{interval} high", group=random),
        column("random_percentage", "Percentage agreement", group=random, kind="share"),
        column("random_divergence", "Binned JSD", group=random),
        column("notes", "Notes"),
    ]
    return table(
        "people",
        f"How far people agree on {items}, and random labellers with them",
        columns,
        [
            {
                **row.plain(),
                **placed(row),
                "labelled_by": ", ".join(one.machines),
                "random_alpha": row.random.alpha.mean,
                "random_high": row.random.alpha.high,
                "random_percentage": row.random.percentage.mean,
                "random_divergence": row.random.divergence.mean,
                "notes": f"undefined: {row.reason}" if row.reason else "",
            }
            for one in sets
            for row in one.rows
        ],
        notes=[
            "The random labeller gives every item one label, each equally often. Of such labellers, "
            f"{100 - 50 * (1 - level):g}% have an alpha of at most “high” with people’s typical label."
        ],
    )


def _kappas(rows: Sequence[MachineStratum], shown: Sequence[str]) -> Table:
    names = {"fleiss": "Fleiss’ kappa", "randolph": "Randolph’s kappa"}
    return table(
        "kappas",
        "The same by kappas",
        [
            *partition_columns(),
            *(column(f"{measure}_{key}", SHORT[key], group=title) for measure, title in names.items() for key in shown),
            column("notes", "Notes"),
        ],
        [
            {
                **_of_machine(row),
                **_four("fleiss", row.fleiss, shown),
                **_four("randolph", row.randolph, shown),
                "notes": "; ".join(
                    dict.fromkeys(
                        note for kappa in (row.fleiss, row.randolph) for note in _undefined(row, kappa, shown)
                    )
                ),
            }
            for row in rows
        ],
        notes=[*_legend(shown), "Randolph’s kappa counts the labels that occur."],
    )


def _correlations(rows: Sequence[MachineStratum]) -> Table:
    return table(
        "correlations",
        "Rank correlations of people with the machine",
        [
            *partition_columns(),
            *(column(key, title, group=group) for key, (group, title) in CORRELATIONS.items()),
            column("notes", "Notes"),
        ],
        [
            {
                **_of_machine(row),
                **{key: one.value for key, one in found.each.items()},
                "notes": "; ".join(
                    dict.fromkeys(f"undefined: {one.reason}" for one in found.each.values() if one.reason)
                ),
            }
            for row in rows
            if (found := row.correlations) is not None
        ],
    )


def _win_rates(rows: Sequence[MachineStratum], labels: Sequence[str]) -> Table:
    return table(
        "win_rates",
        "How often each label is the typical one",
        [
            *partition_columns(),
            column("label", "Label"),
            column("people_rate", "of people", kind="share"),
            column("machine_rate", "of the machine", kind="share"),
        ],
        [
            {**_of_machine(row), "label": label, "people_rate": people, "machine_rate": machine}
            for row in rows
            for label, people, machine in zip(labels, row.win_rates.people, row.win_rates.machine, strict=True)
            if row.items
        ],
        notes=["For preferences: win rates."],
    )


def _bins(perception: Sequence[Perception]) -> Table:
    return table(
        "bins",
        ("Items by people’s typical label: how differently people and machines distribute their labels"),
        [
            column("machine", "Machine"),
            column("label", "People’s typical label"),
            column("items", "Items"),
            column("share", "of items", kind="share"),
            column("value", "Jensen-Shannon"),
            column("notes", "Notes"),
        ],
        [{**row.plain(), "machine": entry.machine, "notes": row.reason} for entry in perception for row in entry.bins],
        notes=["The mean, weighted by the share of items, is the binned divergence of all items."],
    )
