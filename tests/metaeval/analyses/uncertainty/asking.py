"""The analysis for tests: quick, on stored data or on arrays; and the paper's toy dataset."""

from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.jobs.runs import compute
from tests.lab.reproductions.uncertainty import QUICK
from tests.metaeval.golden_runs import about, imported


def of(subject, **parameters):
    return compute(
        subject=subject, analysis="uncertainty", parameters={**QUICK, **parameters}, seed=1, progress=lambda *_: None
    )


def of_inputs(inputs, **parameters):
    """Run on existing arrays, as in a notebook."""
    entry = analyses.get("uncertainty")
    return result_of(
        inputs=inputs, entry=entry, parameters=entry.validated({**QUICK, **parameters}), seed=1, work=Work()
    )


def by_partition(rows):
    return {row["partition"]: row for row in rows}


def table(result, name):
    return next(entry for entry in result["tables"] if entry["name"] == name)


def toy_dataset(folder, human, machine, *, points, slug="toy"):
    """Labels of people, and of a machine, each of whose runs is a system that is certain of one label."""
    names = [str(point) for point in range(1, points + 1)]
    rows = [f"i{item},p{who},{label}" for item, labels in enumerate(human) for who, label in enumerate(labels)]
    (folder / "people.csv").write_text("instance,annotator,label\n" + "\n".join(rows) + "\n")
    lines = [
        f"i{item},M,run,{run}," + ",".join(str(int(name == str(label))) for name in names)
        for item, labels in enumerate(machine)
        for run, label in enumerate(labels)
    ]
    (folder / "runs.csv").write_text(f"instance,model,method,run,{','.join(names)}\n" + "\n".join(lines) + "\n")
    options = {"task": "ordinal", "labels": "; ".join(names)}
    return about(imported(folder, ["people.csv"], predictions=["runs.csv"], slug=slug, **options))
