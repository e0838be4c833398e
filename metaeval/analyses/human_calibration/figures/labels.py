"""The distribution of errors label by label and guess by guess: after Baan et al. (2022), Figures 4 to 15."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.human_calibration.figures.histogram import histogram
from metaeval.analyses.human_calibration.figures.words import chosen, drawable, variants
from metaeval.analyses.human_calibration.result import HumanCalibrationResult, SignedErrors
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size, text_width, wrapped
from metaeval.figures.style import heading, number, styled

SYSTEMS = 1
ROWS = 8
"""With more labels than this, the rest are only in the table."""


def _exists(result: HumanCalibrationResult) -> bool:
    """Earlier results have no such errors."""
    return any(entry.by_label for entry in chosen(result, "", SYSTEMS))


@figure(
    "Errors of labels and of guesses",
    variants=lambda result: variants(result) if _exists(result) else [],
    exists=_exists,
)
def calibration_labels(result: HumanCalibrationResult, variant: str, size: Size) -> Chart:
    """For one system: one row per label, and beside it the guess with that number; a line for a sub-sample of
    people."""
    (entry,) = chosen(result, variant, SYSTEMS)
    people = next((one for one in result.entries if one.name == result.reference), None)
    width = int((size.width - 2 * size.padding - size.text * 1.6) / 2 - text_width("100%", size.text) - 12)
    shown = range(min(ROWS, len(result.labels)))
    drawn = [entry, people] if people else [entry]
    highest = max(max(one.shares) for found in drawn for k in shown for one in (found.by_label[k], found.by_guess[k]))
    rows = [
        alt.hconcat(
            *(
                _panel(errors[k], of_people[k] if of_people else None, name, size, width=width, highest=highest)
                for name, errors, of_people in (
                    (result.labels[k], entry.by_label, people and people.by_label),
                    (f"Guess {k + 1}", entry.by_guess, people and people.by_guess),
                )
            ),
            spacing=size.text * 1.6,
        )
        for k in shown
    ]
    notes = [
        (f"{entry.name}: predicted minus people’s share, as shares of the instances; above 0: the system gives more."),
        "Guess 1 is the label that the prediction gives the highest probability.",
    ]
    if people:
        notes.append(f"Line: {people.name}, {result.parameters['sample_size']} of the votes of every instance.")
    if len(result.labels) > ROWS:
        notes.append(f"The first {ROWS} of {len(result.labels)} labels and guesses.")
    if not variant and len(drawable(result)) > 1:
        notes.append(f"The first of {len(drawable(result))} systems.")
    title = heading("Errors of labels and of guesses", notes, size=size)
    return styled(alt.vconcat(*rows, spacing=size.text * 1.2).properties(title=title), size)


def _panel(
    errors: SignedErrors, people: SignedErrors | None, name: str, size: Size, *, width: int, highest: float
) -> Chart:
    title = wrapped(f"{name}, mean {number(round(errors.mean, 2) + 0.0)}", width, size.text)
    return histogram(errors, people, size, title=title, width=width, highest=highest)
