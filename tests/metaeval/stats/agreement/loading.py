"""The real files as annotations, for tests only: just what these tests need of each."""

import json
from pathlib import Path

from metaeval.stats.agreement import Annotations

WORDS = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def lewidi_2023(folder: Path, name: str, splits: list[str]) -> Annotations:
    rows = [
        (f"{split}/{key}", person, label)
        for split in splits
        for key, item in read(folder / "lewidi2023" / f"{name}_{split}.json").items()
        for person, label in zip(item["annotators"].split(","), item["annotations"].split(","), strict=True)
    ]
    return from_rows(rows, ["0", "1"])


def lewidi_2025(folder: Path, name: str, splits: list[str], labels: list[str]) -> Annotations:
    rows = [
        (f"{split}/{key}", person, label)
        for split in splits
        for key, item in read(folder / "lewidi2025" / f"{name}_{split}.json").items()
        for person, label in item["annotations"].items()
    ]
    return from_rows(rows, labels)


def varierr_binary(folder: Path, label: str) -> Annotations:
    items = read(folder / "lewidi2025" / "VariErrNLI_dev.json")
    rows = [
        (key, person, str(int(label in chosen.split(","))))
        for key, item in items.items()
        for person, chosen in item["annotations"].items()
    ]
    return from_rows(rows, ["0", "1"])


def chaosnli(folder: Path) -> Annotations:
    lines = (folder / "chaosnli" / "chaosNLI_snli.jsonl").read_text().splitlines()
    items = [json.loads(line) for line in lines]
    counts = [[item["label_counter"].get(label, 0) for label in "cen"] for item in items]
    return Annotations.from_counts(counts, list("cen"), items=[item["uid"] for item in items])


def chaosnli_old(folder: Path) -> Annotations:
    lines = (folder / "chaosnli" / "chaosNLI_snli.jsonl").read_text().splitlines()
    letter = {word: short for short, word in WORDS.items()}
    rows = [
        (item["uid"], str(place), letter[label])
        for item in map(json.loads, lines)
        for place, label in enumerate(item["old_labels"])
    ]
    return from_rows(rows, list("cen"))


def dices(folder: Path) -> Annotations:
    instances = read(folder / "dices350" / "dices_350_crowdsourced.json")["instances"]
    rows = [
        (instance["id"], rater, label)
        for instance in instances
        for rater, label in enumerate(instance["annotations"]["safety"]["individual_human_scores"])
    ]
    return from_rows(rows, ["No", "Unsure", "Yes"])


def topical_chat(folder: Path, criterion: str, only: str | None = None) -> Annotations:
    """All 360 responses; `only`: those of one model, which are the 60 that the paper has."""
    contexts = read(folder / "topicalchat" / "tc_usr_data.json")
    rows = [
        (context * 6 + place, rater, score)
        for context, entry in enumerate(contexts)
        for place, response in enumerate(entry["responses"])
        if only is None or response["model"] == only
        for rater, score in enumerate(response[criterion])
    ]
    return from_rows(rows, None)


def mt_bench(folder: Path, who: str) -> Annotations:
    """Votes of `human` or `gpt4_pair`, turned so that model A is the alphabetically first of the pair. Rows keep the
    file's order."""
    rows = []
    for line in (folder / "mtbench" / f"{who}.jsonl").read_text().splitlines():
        vote = json.loads(line)
        first, second = sorted((vote["model_a"], vote["model_b"]))
        winner = "tie" if vote["winner"].startswith("tie") else vote[vote["winner"]]
        label = "tie" if winner == "tie" else "A" if winner == first else "B"
        rows.append(((first, second, vote["question_id"], vote["turn"]), vote["judge"], label))
    return from_rows(rows, ["A", "B", "tie"])


def from_rows(rows: list, labels: list | None) -> Annotations:
    item, person, label = zip(*rows, strict=True)
    return Annotations.from_columns(item, person, label, labels=labels)


def read(path: Path):
    return json.loads(path.read_text())
