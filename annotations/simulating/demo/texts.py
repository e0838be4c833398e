"""The demo's texts: invented legal problems and the areas of law that lawyers would see in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from annotations.ground.arrays import Matrix

EXCLUSIVE_LABEL = "Not a legal issue"

LABELS = (
    "Banking and finance",
    "Building and construction",
    "Charities Law",
    "Consumer law",
    "Corporate and commercial law",
    "Criminal law",
    "Elder Law",
    "Employees and volunteers",
    "Environment",
    "Family law",
    "Fines and infringements",
    "Fundraising law",
    "Guardianship and administration",
    "Health",
    "Housing and residential tenancies",
    "IT",
    "Inquiries",
    "Insurance",
    "Intellectual Property",
    "Litigation and dispute resolution",
    "Migration",
    "Native title",
    "Neighbourhood disputes",
    "Personal safety",
    "Planning and local government",
    "Privacy",
    "Property law",
    "Public and administrative law",
    "Tax",
    "Torts and compensation",
    "Trusts/equity",
    "Wills, estates and probate",
    EXCLUSIVE_LABEL,
)

_FILE = Path(__file__).with_name("texts.jsonl")
SEARCH_WORDS_FILE = Path(__file__).with_name("search_words.json")
"""A label list with the other words by which these areas can be found."""


@dataclass(frozen=True, slots=True)
class DemoText:
    """One invented problem and the latent share of lawyers who would choose each area of law."""

    id: str
    text: str
    areas: dict[str, float]


@cache
def load_texts() -> tuple[DemoText, ...]:
    """The demo's texts, in order.

    >>> texts = load_texts()
    >>> len(texts)
    129
    >>> texts[1].areas["Fines and infringements"]
    0.95
    """
    with _FILE.open(encoding="utf-8") as lines:
        return tuple(DemoText(**json.loads(line)) for line in lines)


@cache
def load_search_words() -> dict[str, tuple[str, ...]]:
    """The other words, besides its name, by which experts can find an area.

    >>> load_search_words()["Housing and residential tenancies"][:3]
    ('tenant', 'landlord', 'lease')
    """
    listed = json.loads(SEARCH_WORDS_FILE.read_text(encoding="utf-8"))
    return {label["name"]: tuple(label["search_words"]) for label in listed}


def latent_shares(texts: tuple[DemoText, ...] | None = None) -> Matrix:
    """Latent shares as a float64 matrix, row = text, column = label in the order of `LABELS`; 0 = nobody.

    >>> latent_shares().shape
    (129, 33)
    """
    texts = load_texts() if texts is None else texts
    column = {label: k for k, label in enumerate(LABELS)}
    shares = np.zeros((len(texts), len(LABELS)))
    for row, text in zip(shares, texts, strict=True):
        for area, share in text.areas.items():
            row[column[area]] = share
    return shares
