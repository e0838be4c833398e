"""Who the experts were and what they did."""

from __future__ import annotations

import numpy as np

from annotations.models import Role, Study
from metaeval.analyses.base.table import Table
from metaeval.analyses.base.wording import counted, share
from metaeval.documents.report.blocks import Block, Paragraph, Section
from metaeval.documents.report.material import Material
from metaeval.documents.report.numbering import is_cut
from metaeval.documents.report.people import counts_table, labels_table, people_table, profile_table
from metaeval.documents.report.results_section import labels_of


def people(material: Material, appendix: list[Section]) -> Section:
    """How many experts there were, what they said about themselves, how much they did; individual experts in the
    appendix."""
    inputs, numbering = material.inputs, material.numbering
    blocks: list[Block] = [Paragraph(_who(material))]
    profile = profile_table(inputs)
    tables: list[Table] = [counts_table(inputs), *([profile] if profile else [])]
    if inputs.answers.is_labelled.any():
        tables.append(labels_table(inputs))
    further: list[Block] = []
    for table in tables:
        if is_cut(table):
            whole = numbering.long_table("people", table)
            further += whole
            blocks.append(numbering.short_table(table, where=labels_of(whole)[0]))
        else:
            blocks.append(numbering.table(table, notes=table.notes))
    if inputs.experts:
        each = numbering.long_table("people", people_table(inputs))
        further += each
        blocks.insert(1, Paragraph(f"{labels_of(each)[0]} shows what each of them did.", "soft"))
    if further:
        appendix.append(Section("more-people", "People", further))
    return Section("people", "People", blocks, number="4")


def _who(material: Material) -> str:
    study, answers = material.study, material.inputs.answers
    answered = answers.is_answered
    said = f"{_roles(study)} Experts are known by number only."
    times = answers.preference_ms[answered & ~np.isnan(answers.preference_ms)] / 1000
    if len(times):
        said += f" The median time of step 2 is {np.median(times):.0f} seconds."
    certainty = answers.certainty[answered & ~np.isnan(answers.certainty)]
    if len(certainty):
        said += f" Their mean certainty is {share(float(certainty.mean()))} (0 is guessing, 100% certain)."
    return said


def _roles(study: Study) -> str:
    """How many there are of each role. Nobody is named."""
    members = study.memberships.filter(is_active=True)
    simulated = members.experts().filter(is_simulated=True).count()
    counts = {role: members.filter(role=role).count() for role in Role}
    experts = counted(counts[Role.EXPERT], "expert")
    if simulated:
        experts += f", {simulated} of them simulated"
    others = [counted(counts[role], str(role.label)) for role in (Role.RESEARCHER, Role.ADMIN)]
    return f"The study has {experts}; and {others[0]} and {others[1]}."
