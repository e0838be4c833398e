"""Everything that the report shows, as plain data."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotations.models import Compares, Role, Runs, Study
from annotations.progress import Progress, silent
from metaeval import figures
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.documents.report import methods
from metaeval.documents.report.limits import limits
from metaeval.documents.report.people import people_table, responses_tables
from metaeval.documents.report.references import cited
from metaeval.documents.results import newest_runs
from metaeval.jobs.files import figure_of, tables_of
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.plan_models import StampedPlan
from metaeval.jobs.planning import in_todays_words, planned_rows
from metaeval.jobs.runs import result_of

COMPARES = {
    Compares.HUMAN_VS_SYSTEM: "what people said with what a system predicted",
    Compares.SYSTEM_VS_SYSTEM: "what two systems predicted",
}
RUNS = {Runs.AVERAGED: "averaged before anything was shown", Runs.SINGLE: "each a system of its own"}


@dataclass(frozen=True)
class Drawn:
    """A figure as an image in the page itself."""

    title: str
    data: str


def gathered(study: Study, progress: Progress = silent) -> dict[str, Any]:
    """The context of the template."""
    progress(0, 1, "Reading the data")
    inputs = gather_study(study)
    runs = newest_runs(study)
    results = [_result(run, inputs, progress, place, len(runs)) for place, run in enumerate(runs)]
    used = list(dict.fromkeys(run.analysis for run in runs))
    paragraphs = [(analyses.get(name).title, methods.methods_text(name)) for name in used]
    return {
        "study": study,
        "dataset": study.dataset,
        "made_at": timezone.now(),
        "simulated": inputs.is_simulated,
        "facts": _facts(study, inputs),
        "settings": _settings(study),
        "plan": _plan(study),
        "people": people_table(inputs),
        "roles": _roles(study),
        "responses": responses_tables(inputs),
        "results": results,
        "design": methods.design(),
        "every": methods.every_result(),
        "methods": paragraphs,
        "limits": limits(
            inputs,
            [entry["result"] for entry in results],
            stale=sum(entry["stale"] for entry in results),
            shares_dataset=study.dataset.studies.exclude(pk=study.pk).exists(),
        ),
        "references": cited(" ".join([methods.design(), *(text for _, text in paragraphs)])),
        "fingerprint": inputs.fingerprint,
    }


def _result(run: AnalysisRun, inputs: StudyInputs, progress: Progress, place: int, of: int) -> dict[str, Any]:
    result = result_of(run)
    # The variants of a figure, one a metric say, stand beside one another.
    drawn: dict[str, list[Drawn]] = {"two": [], "one": []}
    for name in run.figures:
        progress(place, of, f"Drawing {name}")
        size = "one" if "-" in name else "two"
        chart = figure_of(run, name, size=size)
        svg = base64.b64encode(figures.image(chart, "svg")).decode()
        drawn[size].append(Drawn(_title(chart, name), f"data:image/svg+xml;base64,{svg}"))
    return {
        "anchor": f"result-{place + 1}",
        "result": result,
        "tables": tables_of(run),
        "parameters": methods.parameters_in_words(run.analysis, run.parameters),
        "counts": [(name.replace("_", " "), f"{count:,}") for name, count in result["counts"].items()],
        "figures": drawn["two"],
        "variants": drawn["one"],
        "planned": (result.get("plan") or {}).get("status") == "planned",
        "finished_at": run.finished_at,
        "stale": run.fingerprint != inputs.fingerprint,
        "made_with": run.made_with,
    }


def _title(chart: Any, name: str) -> str:
    """The chart's own title, for whoever cannot see it."""
    title = chart.to_dict().get("title")
    text = title.get("text") if isinstance(title, dict) else title
    return (" ".join(text) if isinstance(text, list) else text) or name.replace("_", " ")


def _facts(study: Study, inputs: StudyInputs) -> list[tuple[str, Any]]:
    answers = inputs.answers
    kept = answers.counting(answers.is_answered).kept
    return [
        ("Dataset", study.dataset.title),
        ("State", study.get_state_display()),
        ("Opened", study.opened_at),
        ("Closed", study.closed_at),
        ("Systems", f"{len(inputs.systems):,}"),
        ("Instances shown", f"{len(set(answers.instance[kept].tolist())):,} of {len(inputs.P):,}"),
        ("Experts who answered", f"{len(set(answers.expert[kept].tolist())):,}"),
        ("Answers that count", f"{int(kept.sum()):,}"),
    ]


def _settings(study: Study) -> list[tuple[str, str]]:
    dataset = study.dataset
    step = "what a text’s people can give" if study.display_step is None else f"{study.display_step:g}"
    return [
        ("Experts compared", COMPARES[Compares(study.compares)]),
        ("Asked in step 1", study.question_labels),
        ("Asked in step 2", study.question_preference),
        ("Asked about certainty", study.question_certainty or "How certain are you? (the app’s own words)"),
        ("A bar is explained as", study.share_meaning or "share of people who would choose it (the app’s own words)"),
        ("Step 2 is drawn as", study.get_layout_display()),
        ("Labels", f"{dataset.labels.count()}, {dataset.get_task_display()}"),
        (
            "Planned",
            f"{study.instances_per_system} instances a system, {study.experts_per_comparison} experts a comparison",
        ),
        ("Runs of one model and method", RUNS[Runs(study.runs)]),
        ("Shown", f"labels above {study.display_threshold:g}, rounded to {step}"),
        ("Texts on which a system gives itself away", study.get_give_aways_display()),
        ("Source of the data", dataset.source or "not stated"),
        ("Licence of the data", dataset.licence or "not stated"),
        ("Seed of the study", str(study.seed)),
    ]


def _roles(study: Study) -> list[tuple[str, int]]:
    """How many there are of each role. Nobody is named."""
    members = study.memberships.filter(is_active=True)
    simulated = members.experts().filter(is_simulated=True).count()
    counts = [(role.label, members.filter(role=role).count()) for role in Role]
    return [*counts, ("of the experts simulated", simulated)] if simulated else counts


def _plan(study: Study) -> dict[str, Any]:
    stamped = StampedPlan.objects.filter(study=study).first()
    planned = [in_todays_words(row) for row in stamped.content] if stamped else planned_rows(study)
    return {
        "sha256": stamped.sha256 if stamped else "",
        "at": stamped.at if stamped else None,
        "rows": [_planned(row) for row in planned],
    }


def _planned(row: dict[str, Any]) -> dict[str, Any]:
    """A planned analysis in words; of one that is not installed any more only what is stored."""
    known = row["analysis"] in analyses.names()
    return {
        "title": analyses.get(row["analysis"]).title if known else row["analysis"],
        "parameters": methods.parameters_in_words(row["analysis"], row["parameters"]) if known else [],
        "seed": row["seed"],
        "note": row["note"],
    }
