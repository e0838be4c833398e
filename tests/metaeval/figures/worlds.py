"""Results that are hard to draw, made from those of analyses: few systems, many, long names, nothing known."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from metaeval.analyses.base.registry import UnreadableResult, analyses

Result = dict[str, Any]
LONG = "A very long name of a model with its size, its tokenizer, the month of its release and a remark"
ARABIC = "نموذج لغوي كبير للنصوص القانونية"
UNKNOWN = ("value", "low", "high", "mean", "difference", "alpha", "fraction", "p_value", "p_holm", "median", "q1", "q3")


def renamed(name: str) -> Callable[[Result], Result]:
    """The models, the experts and the machines under other names."""

    def rename(result: Result) -> Result:
        text = json.dumps(result, ensure_ascii=False)
        for known in ("Alpha", "Beta", "Expert"):
            text = text.replace(known, f"{name} {known}")
        for known in ("M0", "M1", "M2"):
            text = text.replace(f'"{known}"', f'"{name} {known}"')
        found: Result = json.loads(text)
        return found

    return rename


def unknown(result: Result) -> Result:
    """Nothing is defined, as far as the result's declaration allows it."""
    entry = analyses.get(result["analysis"])
    for key in UNKNOWN:
        tried = _without(result, key)
        try:
            entry.read(tried)
        except UnreadableResult:
            continue
        result = tried
    return result


def _without(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        leaves = dict | list | str
        return {
            name: one
            if name == "parameters"
            else (None if name == key and not isinstance(one, leaves) else _without(one, key))
            for name, one in value.items()
        }
    return [_without(one, key) for one in value] if isinstance(value, list) else value


def with_systems(count: int) -> Callable[[Result], Result]:
    """As many models, or experts, as requested."""
    return lambda result: GROWN.get(result["analysis"], lambda same, _: same)(copy.deepcopy(result), count)


def many(rows: list[Result], count: int, **names: Callable[[int], object]) -> list[Result]:
    """The rows repeated, each with a unique name and slightly different values."""
    return [
        {**_shaken(rows[place % len(rows)], place), **{key: name(place) for key, name in names.items()}}
        for place in range(count if rows else 0)
    ]


def _shaken(row: Result, place: int) -> Result:
    by = 1 - 0.4 * ((place * 7919) % 101) / 101
    return {key: value * by if isinstance(value, float) else value for key, value in row.items()}


def model(place: int) -> str:
    return f"Model {place}"


def _preference_correlation(result: Result, count: int) -> Result:
    first = result["systems"]
    result["systems"] = many(first, count, system=lambda i: f"Model {i} / M / 1", model=model, method=lambda _: "M")
    for place, row in enumerate(result["systems"]):
        row["metrics"] = {name: _shaken(value, place) for name, value in first[place % len(first)]["metrics"].items()}
        row["chosen"] = min(row["chosen"], row["responses"])
    for other in result["others"]:
        known = list(other["metrics"].values())
        other["metrics"] = {f"Model {i} / M / 1": known[i % len(known)] for i in range(count)} if known else {}
    return result


def _method_ranking(result: Result, count: int) -> Result:
    for ranking in result["rankings"]:
        if ranking["systems"]:
            ranking["systems"] = many(
                ranking["systems"], count, name=model, rank=lambda i: i + 1, rank_shares=lambda _: [1 / count] * count
            )
    for outcome in result["outcomes"]:
        outcome["names"] = [model(i) for i in range(count)]
        outcome["wins"] = [[float((i * j) % 5) * (i != j) for j in range(count)] for i in range(count)]
        outcome["ties"] = [[0.0] * count for _ in range(count)]
    return result


def _leaderboard(result: Result, count: int) -> Result:
    for board in result["boards"]:
        board["systems"] = many(board["systems"], count, system=model)
        for standings in board["standings"]:
            standings["systems"] = many(standings["systems"], count, system=model, position=lambda i: i + 1)
    return result


def _system_scores(result: Result, count: int) -> Result:
    result["groups"] = many(result["groups"], count, model=model)
    result["ranks"] = many(result["ranks"], count, name=model)
    return result


def _agreement(result: Result, count: int) -> Result:
    for answer in result["judged"]:
        systems = [row for row in answer["partitions"] if row["grouping"] == "systems"] or answer["partitions"][:1]
        answer["partitions"] = answer["partitions"] + many(
            systems, count, grouping=lambda _: "systems", partition=model
        )
        answer["labels"] = many(answer["labels"], count, label=lambda i: f"Label {i}")
        answer["pairs"] = [
            {**answer["pairs"][(i + j) % len(answer["pairs"])], "first": f"Expert {i}", "second": f"Expert {j}"}
            for i in range(count if answer["pairs"] else 0)
            for j in range(i)
        ]
    return result


def _study_quality(result: Result, count: int) -> Result:
    for table in ("people", "times", "sides", "agreement"):
        result[table] = many(result[table], count, expert=lambda i: f"Expert {i}")
    return result


def _human_calibration(result: Result, count: int) -> Result:
    kept = [entry for entry in result["entries"] if entry["kind"] != "system"]
    systems = [entry for entry in result["entries"] if entry["kind"] == "system"]
    result["entries"] = kept + many(systems, count, name=model)
    return result


def _metric_relationship(result: Result, count: int) -> Result:
    if result["points"] and result["points"][0].get("system") is not None:
        result["points"] = many(result["points"], count, system=model)
    return result


GROWN: dict[str, Callable[[Result, int], Result]] = {
    "agreement": _agreement,
    "human_calibration": _human_calibration,
    "leaderboard": _leaderboard,
    "method_ranking": _method_ranking,
    "metric_relationship": _metric_relationship,
    "preference_correlation": _preference_correlation,
    "study_quality": _study_quality,
    "system_scores": _system_scores,
}

WORLDS: dict[str, Callable[[Result], Result]] = {
    "twenty models": with_systems(20),
    "a hundred and twenty systems": with_systems(120),
    "two hundred systems": with_systems(200),
    "undefined values": unknown,
    "very long names": renamed(LONG),
    "Arabic names": renamed(ARABIC),
    "simulated": lambda result: {**result, "is_simulated": True},  # and otherwise as it is
}
