"""The loss of every method by epoch, as a chart."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.captions import with_words
from metaeval.figures.rows import ChartRow, InlineRows
from metaeval.figures.sizes import SIZES
from metaeval.figures.style import HUES, heading, styled
from metaeval.training_jobs.models import Training, TrainingJob

LEARNT, DEVELOPED = "learnt from", "development part"
ACROSS = {"screen": 4, "two": 4, "one": 2}
PANEL_HEIGHT = 90
BETWEEN = 45


def loss_curves(training: Training, *, size: str = "screen") -> Chart:
    """One panel for each method, because their losses are in different units; the mean over runs and folds."""
    room = SIZES[size]
    rows = curve_rows(training)
    names = [name for name in training.methods if any(row["method"] == name for row in rows)]
    across = min(ACROSS[room.name], max(len(names), 1))
    width = (room.width - 2 * room.padding) / across - BETWEEN
    kinds = [LEARNT, DEVELOPED]
    # Above the panels, where it is seen although the page shows only the first rows of them.
    legend = alt.Legend(title=None, orient="top", labelLimit=0, symbolType="stroke")
    panels = [
        alt.Chart(InlineRows(values=[row for row in rows if row["method"] == name]))
        .mark_line(strokeWidth=room.text * 0.17)
        .encode(
            x=alt.X("epoch:Q", title="Epoch", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False)),
            y=alt.Y("loss:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=3)),
            color=alt.Color("texts:N", sort=kinds, scale=alt.Scale(domain=kinds, range=HUES[:2]), legend=legend),
            strokeDash=alt.StrokeDash("texts:N", sort=kinds, scale=alt.Scale(domain=kinds, range=[[1, 0], [4, 2]])),
            tooltip=[
                alt.Tooltip("texts:N", title="Texts"),
                alt.Tooltip("epoch:Q", title="Epoch"),
                alt.Tooltip("loss:Q", title="Loss", format=".4f"),
            ],
        )
        .properties(width=width, height=PANEL_HEIGHT, title=name, description=_told(name, rows))
        for name in names
    ]
    notes = ["Mean over runs and folds. Each method has a loss of its own, so heights cannot be compared."]
    title = heading("Loss by epoch", notes, size=room)
    chart = styled(alt.concat(*panels, columns=across).properties(title=title), room)
    return with_words(chart, name="loss_curves", size=room, is_simulated=training.dataset.is_simulated)


def curve_rows(training: Training) -> list[ChartRow]:
    """The mean loss of each method and epoch, of the fits that have ended."""
    fits = training.jobs.defer("outputs").filter(kind=TrainingJob.Piece.FIT, state="succeeded")
    losses: dict[tuple[str, str, int], list[float]] = {}
    for job in fits.order_by("method", "fold", "run"):
        epochs: list[dict[str, Any]] = job.found()["epochs"]
        for number, epoch in enumerate(epochs, start=1):
            losses.setdefault((job.method, LEARNT, number), []).append(epoch["loss"])
            if epoch["dev_loss"] is not None:
                losses.setdefault((job.method, DEVELOPED, number), []).append(epoch["dev_loss"])
    return [
        {"method": method, "texts": texts, "epoch": epoch, "loss": sum(values) / len(values)}
        for (method, texts, epoch), values in losses.items()
    ]


def _told(name: str, rows: list[ChartRow]) -> str:
    """A panel in words: where the loss begins and ends."""
    line = [row for row in rows if row["method"] == name and row["texts"] == LEARNT]
    return f"{name}: from {line[0]['loss']:.3f} to {line[-1]['loss']:.3f} in {len(line)} epochs"
