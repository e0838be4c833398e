"""The tables of the analysis of human uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metaeval.analyses.base.tables import column, table

GROUPINGS = {"all": "", "agreement": "Percentage agreement (PA)", "different_labels": "Different labels"}
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


def tables_of(answer: Mapping[str, Any], *, level: float) -> list[dict[str, Any]]:
    """The stratified table, kappas, correlations and win rates of machines; people's own agreement; the bins."""
    tables = []
    if answer["strata"]:
        tables.append(_stratified(answer["strata"], _shown(answer), level))
    tables.append(_people(answer["people_strata"], answer["items"], level))
    if answer["strata"]:
        tables.append(_kappas(answer["strata"], _shown(answer)))
        if answer["scale"] == "ordinal":
            tables.append(_correlations(answer["strata"]))
        tables.append(_win_rates(answer["strata"], answer["labels"]))
    tables.append(_bins(answer["perception"]))
    return tables


def _partition(*, with_machine: bool = True) -> list[dict[str, Any]]:
    return [
        *([column("machine", "Machine")] if with_machine else []),
        column("by", "By", detail=True),
        column("partition", "Partition"),
        column("items", "Items"),
        column("share", "of items", kind="share"),
    ]


def _placed(row: Mapping[str, Any]) -> dict[str, Any]:
    name = "all items" if row["grouping"] == "all" else row["partition"].replace("<=", "≤")
    return {
        "machine": row.get("machine"),
        "by": GROUPINGS[row["grouping"]],
        "partition": name,
        "items": row["items"],
        "share": row["share"],
    }


def _shown(answer: Mapping[str, Any]) -> list[str]:
    """Which of the four comparisons there are: among machine labels only where some item has two."""
    several = any(machine["most_labels_an_item"] > 1 for machine in answer["machines"])
    return [key for key in SHORT if several or key != "machines"]


def _legend(shown: Sequence[str]) -> list[str]:
    words = "; ".join(f"{SHORT[key]}: {LEGEND[key]}" for key in shown)
    return [f"{words}.", *([] if "machines" in shown else ["Every machine gives an item one label: there is no MM."])]


def _stratified(rows: Sequence[Mapping[str, Any]], shown: Sequence[str], level: float) -> dict[str, Any]:
    interval = f"{100 * level:g} %"
    alpha, percentage = "Krippendorff’s alpha", "Percentage agreement"
    columns = [
        *_partition(),
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
            _placed(row)
            | {f"{measure}_{key}": row[measure][key] for measure in ("alpha", "percentage") for key in shown}
            | {
                "alpha_difference": row["alpha"]["difference"],
                "difference_low": row["alpha"]["difference_low"],
                "difference_high": row["alpha"]["difference_high"],
                "binned": row["divergence"]["binned"],
                "pooled": row["divergence"]["pooled"],
                "notes": "; ".join(_undefined(row, "alpha", shown)),
            }
            for row in rows
        ],
        notes=[*_legend(shown), "Partitions by percentage agreement are chosen by what HH measures in them."],
    )


def _undefined(row: Mapping[str, Any], measure: str, shown: Sequence[str]) -> Iterator[str]:
    """What has no value in this row, each reason once."""
    if row["notes"]:
        yield from row["notes"]
        return
    of: dict[str, list[str]] = {}
    for key, reason in row[measure]["reasons"].items():
        if key in shown:
            of.setdefault(reason, []).append(SHORT[key])
    for reason, keys in of.items():
        yield f"{', '.join(keys)} undefined: {reason}"


def _people(frames: Sequence[Mapping[str, Any]], items: str, level: float) -> dict[str, Any]:
    interval = f"{100 * level:g} %"
    several = len(frames) > 1
    random = "Random labeller, mean"
    columns = [
        *([column("labelled_by", "Items labelled by")] if several else []),
        *_partition(with_machine=False),
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
            _placed(row)
            | {key: row[key] for key in ("alpha", "low", "high", "percentage", "pairwise", "fleiss", "randolph")}
            | {
                "labelled_by": ", ".join(frame["machines"]),
                "random_alpha": row["random"]["alpha"]["mean"],
                "random_high": row["random"]["alpha"]["high"],
                "random_percentage": row["random"]["percentage"]["mean"],
                "random_divergence": row["random"]["divergence"]["mean"],
                "notes": f"undefined: {row['reason']}" if row["reason"] else "",
            }
            for frame in frames
            for row in frame["rows"]
        ],
        notes=[
            "The random labeller gives every item one label, uniformly. Of such labellers "
            f"{100 - 50 * (1 - level):g} % have an alpha of “high” or less with people’s typical label."
        ],
    )


def _kappas(rows: Sequence[Mapping[str, Any]], shown: Sequence[str]) -> dict[str, Any]:
    names = {"fleiss": "Fleiss’ kappa", "randolph": "Randolph’s kappa"}
    return table(
        "kappas",
        "The same by kappas",
        [
            *_partition(),
            *(column(f"{measure}_{key}", SHORT[key], group=title) for measure, title in names.items() for key in shown),
            column("notes", "Notes"),
        ],
        [
            _placed(row)
            | {f"{measure}_{key}": row[measure][key] for measure in names for key in shown}
            | {"notes": "; ".join(dict.fromkeys(note for measure in names for note in _undefined(row, measure, shown)))}
            for row in rows
        ],
        notes=[*_legend(shown), "Randolph’s kappa counts the labels that occur."],
    )


def _correlations(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return table(
        "correlations",
        "Rank correlations of people with the machine",
        [
            *_partition(),
            *(column(key, title, group=group) for key, (group, title) in CORRELATIONS.items()),
            column("notes", "Notes"),
        ],
        [
            _placed(row)
            | {key: getattr(row["correlations"], key).value for key in CORRELATIONS}
            | {
                "notes": "; ".join(
                    dict.fromkeys(
                        f"undefined: {found.reason}"
                        for key in CORRELATIONS
                        if (found := getattr(row["correlations"], key)).reason
                    )
                )
            }
            for row in rows
        ],
    )


def _win_rates(rows: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> dict[str, Any]:
    return table(
        "win_rates",
        "How often each label is the typical one",
        [
            *_partition(),
            column("label", "Label"),
            column("people_rate", "of people", kind="share"),
            column("machine_rate", "of the machine", kind="share"),
        ],
        [
            _placed(row)
            | {
                "label": label,
                "people_rate": row["win_rates"]["people"][place],
                "machine_rate": row["win_rates"]["machine"][place],
            }
            for row in rows
            for place, label in enumerate(labels)
            if row["items"]
        ],
        notes=["For preferences: win rates."],
    )


def _bins(perception: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return table(
        "bins",
        "Items by people’s typical label: how differently people and machines spread their labels",
        [
            column("machine", "Machine"),
            column("label", "People’s typical label"),
            column("items", "Items"),
            column("share", "of items", kind="share"),
            column("value", "Jensen-Shannon"),
            column("notes", "Notes"),
        ],
        [
            {
                "machine": entry["machine"],
                "label": row["label"],
                "items": row["items"],
                "share": row["share"],
                "value": row["value"],
                "notes": row["reason"],
            }
            for entry in perception
            for row in entry["bins"]
        ],
        notes=["The mean, weighted by the share of items, is the binned divergence of all items."],
    )
