"""The titles of a result's figures in a list, before they are drawn."""

from collections.abc import Sequence

from metaeval import figures, metrics


def figure_titles(names: Sequence[str]) -> dict[str, str]:
    """Figures are titled by family, and those of one metric by its title; unknown ones have none.

    >>> figure_titles(["scatter", "scatter-po_jsd", "scatter-theirs", "of_a_package"])
    {'scatter': 'Each metric and the experts’ preference', 'scatter-po_jsd': 'PO-JSD'}
    """
    of_metrics = {metric.name: metric.title for metric in metrics.available()}
    variants = {name: of_metrics.get(name.partition("-")[2]) for name in names}
    return figures.titles(names) | {name: title for name, title in variants.items() if title}
