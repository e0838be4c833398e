"""docs/reference/methods.md: the training methods, from their registry. Needs no torch."""

from __future__ import annotations

from textwrap import fill

from metaeval.reference.markdown import anchor, table, written_by
from metaeval.training.registry import CROSS_ENTROPY, TrainingMethod, methods

HEAD = """
[Training systems](../training.md) says how to use them; systems that are trained with a method have its name as their
`method`. What a method learns from needs NumPy only; training needs the packages of `hlvstudy[training]`.

## All methods

*Several labels*: a text may have any number of labels. *Annotators*: every annotation must say who gave it.
"""
SAID_ONCE = (
    "*Target* is what is to be predicted, one number for each label. *The cross-entropy* is that "
    f"{CROSS_ENTROPY.removeprefix('the cross-entropy ')}. What a model predicts, unless its method says otherwise: "
    f"{TrainingMethod.prediction[0].lower()}{TrainingMethod.prediction[1:]}"
)


def methods_page() -> str:
    """The page."""
    ours = [entry for entry in methods if type(entry).__module__.startswith("metaeval.training.methods.")]
    parts = [
        written_by("Training methods", HEAD),
        table(["method", "title", "learns from", "several labels", "annotators"], map(_row, ours)),
        f"\n## Losses and predictions\n\n{fill(SAID_ONCE, width=120)}\n",
        *map(_section, ours),
    ]
    return "\n".join(parts)


def _row(entry: TrainingMethod) -> tuple[str, ...]:
    several = "yes" if "multilabel" in entry.tasks else "no"
    return f"[{entry.name}](#{entry.name})", entry.title, entry.learns, several, "yes" if entry.needs_people else ""


def _section(entry: TrainingMethod) -> str:
    said = [f"- **Loss.** {entry.objective.replace(CROSS_ENTROPY, 'the cross-entropy')}"]
    if entry.prediction != TrainingMethod.prediction:
        said.append(f"- **Prediction.** {entry.prediction}")
    said.append(f"- **Source.** {entry.source}.")
    return "\n".join([anchor(entry.name), f"### {entry.name}: {entry.title}", "", *said, ""])
