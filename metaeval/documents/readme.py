"""The text of a bundle's README.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import Template

from annotations.models import Study

SIMULATED = "**SIMULATED: this study holds simulated data or experts. Its numbers say nothing about real people.**\n\n"
WITH_TEXTS = (
    "The texts of the instances are in `data/texts.jsonl`, except for those that were withdrawn because "
    "they identify a person. Ask before you pass them on."
)
WITHOUT_TEXTS = "The texts of the instances are left out: they may be confidential, and no result needs them."
MISSING = "\nResults that are not here, because the data have changed since:\n\n"


def readme(study: Study, *, results: int, left_out: Sequence[str], with_texts: bool) -> str:
    """An introduction for anyone who opens the archive."""
    words = Template((Path(__file__).parent / "bundle_readme.md").read_text(encoding="utf-8"))
    return words.substitute(
        title=study.title,
        simulated=SIMULATED if study.is_simulated or study.dataset.is_simulated else "",
        results=results,
        texts=WITH_TEXTS if with_texts else WITHOUT_TEXTS,
        missing=MISSING + "".join(f"- {line}\n" for line in left_out) if left_out else "",
    )
