"""Agreement among people in every partition (Elangovan et al. 2025, Tables 10 and 11): Topical Chat and DICES-350."""

from __future__ import annotations

from typing import Any

from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import PublishedFigure, reproduction, rows_of
from metaeval.reproductions.partitions import PARTITIONS, QUICK

CRITERIA = {
    "table10.TC.understandable": "Understandable",
    "table10.TC.uses_knowledge": "Uses Knowledge",
    "table11.TC.engaging": "Engaging",
    "table11.TC.maintains_context": "Maintains Context",
    "table11.TC.natural": "Natural",
    "table11.TC.overall": "Overall",
}
DICES = "table10.DICES350.safety"
TOPICAL_CHAT, SAFETY = "topicalchat/tc_usr_data.json", "dices350/dices_350_crowdsourced.json"
WORDS = {
    "size_percent": "items, per cent",
    "krippendorff_alpha_nominal": "alpha",
    "krippendorff_alpha_ordinal": "alpha (ordinal)",
    "percentage_agreement": "percentage agreement",
    "randolph_kappa": "Randolph’s kappa",
}


@reproduction(
    title="Agreement among people, by how far they agree",
    source="Elangovan et al. (2025), Tables 10 and 11, columns of people",
    files=[TOPICAL_CHAT, SAFETY],
    analysis="uncertainty",
    golden="uncertainty.json",
    note="Of Topical Chat the paper used 60 of 360 responses (“New Human Generated”): a converter kept only the last "
    "one of each context. The same 60 are taken here. Where all labels are equal, alpha and kappa are undefined here, "
    "and printed as 1.00 there: that convention is applied for the comparison.",
)
def agreement_of_people(bench: Bench) -> list[PublishedFigure]:
    figures = []
    for name, rows in bench.golden("uncertainty.json")["tables"].items():
        if name not in {*CRITERIA, DICES}:
            continue
        found, scale = _rows(bench, name)
        title = CRITERIA.get(name, "DICES-350")
        for row in rows:
            mine = found[PARTITIONS[row["partition"]]]
            values = {
                "size_percent": 100 * mine["share"],
                f"krippendorff_alpha_{scale}": 1.0 if mine["alpha"] is None else mine["alpha"],
                "percentage_agreement": mine["percentage"],
                "randolph_kappa": 1.0 if mine["randolph"] is None else mine["randolph"],
            }
            for check in rows_of(row["checks"]):
                what = f"{title}, {PARTITIONS[row['partition']]}: {WORDS[check['name']]}"
                where = check["published_where"].partition(",")[0]
                figures.append(PublishedFigure.printed(what, where, check["published"], values[check["name"]]))
    return figures


def _rows(bench: Bench, name: str) -> tuple[dict[str, Any], str]:
    if name == DICES:
        dataset = bench.dataset("dices", [SAFETY])
    else:
        options: dict[str, Any] = {"criterion": CRITERIA[name], "responses": "New Human Generated"}
        dataset = bench.dataset(name.rpartition(".")[2].replace("_", "-"), [TOPICAL_CHAT], **options)
    result = bench.of_dataset(dataset, "uncertainty", **QUICK, bounds=[0.4, 0.6, 0.8, 1.0])
    return {row["partition"]: row for row in result["people_strata"][0]["rows"]}, result["scale"]
