"""A study's report, built once from the database; renderers write it in their formats."""

from __future__ import annotations

from django.utils import timezone

from annotations.ground.progress import Progress, silent
from annotations.models import Study
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.documents.report.blocks import Items, References, ReportContent, Section
from metaeval.documents.report.front import front
from metaeval.documents.report.integrity import integrity
from metaeval.documents.report.limits import limits
from metaeval.documents.report.material import Material, material_of
from metaeval.documents.report.method_section import method, other_methods, provenance, text_of
from metaeval.documents.report.people_section import people
from metaeval.documents.report.referees import where_things_stand
from metaeval.documents.report.references import cited
from metaeval.documents.report.results_section import results


def report_of(study: Study, progress: Progress = silent) -> ReportContent:
    """The whole report.

    Sections are built in their final order, because they number their figures and tables.
    """
    progress(0, 3, "Reading the data")
    material = material_of(study, gather_study(study))
    progress(1, 3, "Drawing the figures")
    warned = _limits(material)
    appendix: list[Section] = []
    methods, others = method(material), other_methods(material)
    sections = [
        front(material, warned),
        methods,
        results(material, appendix),
        people(material, appendix),
        integrity(material),
        Section("limits", "Limits", [Items(warned)], number="6"),
        where_things_stand(material),
        Section("references", "References", [References(cited(f"{text_of(methods)} {text_of(others)}"))]),
    ]
    progress(2, 3, "Writing")
    return ReportContent(
        title=study.title,
        slug=study.slug,
        made_at=timezone.now(),
        is_simulated=material.inputs.is_simulated,
        sections=sections,
        appendix=[*([others] if others.blocks else []), *appendix, provenance(material)],
    )


def _limits(material: Material) -> list[str]:
    study = material.study
    return limits(
        material.inputs,
        [entry.result for entry in material.entries],
        stale=sum(entry.is_stale for entry in material.entries),
        shares_dataset=study.dataset.studies.exclude(pk=study.pk).exists(),
    )
