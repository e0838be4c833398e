"""How a result is cited: which result of which study, how to recompute it, and whose method it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from metaeval.analyses.base.registry import analyses
from metaeval.documents.report.methods import cited, methods_text
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import result_of, subject_of

SHORT = 12
"""How many characters of a fingerprint suffice to distinguish a study's inputs."""


def citation_of(run: AnalysisRun, *, about: str, url: str) -> dict[str, Any]:
    """The citation of a finished run about something with this title, at this address: its `text`, its `bibtex`, and
    the `works` whose method it is.
    """
    result = result_of(run)
    entry = analyses.get(run.analysis)
    number = f", result {run.number}" if run.number else ""
    made = f"Computed with HLV Study ({run.analysis} version {result['version']}, rules {result.get('rules', 1)})"
    repeated = f"seed {run.seed}, inputs {result['fingerprint'][:SHORT]}"
    day = run.finished_at or run.created_at
    simulated = " Simulated data." if run.is_simulated else ""
    key = re.sub(r"[^a-z0-9]+", "-", "-".join([subject_of(run).name, run.analysis, str(run.number or day.date())]))
    return {
        "text": f"{about}: {entry.words.question} {day:%-d %B %Y}{number}. {made}, {repeated}.{simulated} {url}",
        "bibtex": "\n".join(
            [
                f"@misc{{{key},",
                f"  title = {{{_in_braces(about)}: {_in_braces(entry.words.question)}}},",
                f"  year = {{{day.year}}},",
                f"  month = {{{day:%B}}},",
                f"  howpublished = {{\\url{{{url}}}}},",
                f"  note = {{{_in_braces(f'{made}; {repeated}.{simulated}')}}}",
                "}",
            ]
        ),
        "works": cited(" ".join([methods_text(run.analysis), *_sentences(result)])),
    }


def _sentences(result: Mapping[str, Any]) -> Iterator[str]:
    """Where a result cites works: in its notes and those of its tables."""
    yield from result["notes"]
    for table in result["tables"]:
        yield from table["notes"]


def _in_braces(text: str) -> str:
    """The text, escaped for BibTeX.

    >>> _in_braces("50% {of} a_b")
    '50\\\\% of a\\\\_b'
    """
    plain = text.replace("{", "").replace("}", "").replace("\\", "")
    return re.sub(r"([&%$#_])", r"\\\1", plain)
