"""Where referees find answers to their questions: nine questions, and what this report says about each, in one line."""

from __future__ import annotations

from metaeval.analyses.base.wording import counted
from metaeval.documents.report.blocks import Paragraph, Pointer, Pointers, Section
from metaeval.documents.report.material import Material

ASKED = (
    "Question",
    "Unit of analysis",
    "Multiplicity",
    "Effect size",
    "Interval",
    "Power",
    "Exclusions",
    "Sensitivity",
    "Limits",
)


def where_things_stand(material: Material) -> Section:
    """One line per question, with the section that answers it."""
    main = material.main
    results = main.anchor if main else "results"
    powers = [entry for entry in material.entries if entry.analysis.name == "power"]
    varied = bool(main and main.result.get("sensitivity"))
    excluded = sum(bool(entry.result["exclusions"]) for entry in material.entries)
    lines = {
        "Question": ("the study’s question and its answer", "summary"),
        "Unit of analysis": ("what the tests exchange, and why", "tests"),
        "Multiplicity": ("what p-values are corrected for, and what not", "tests"),
        "Effect size": ("the sizes with their table" if main else "no analysis has been run yet", results),
        "Interval": ("beside every size" if main else "no analysis has been run yet", results),
        "Power": (
            ("what a study of this size can detect", powers[0].anchor)
            if powers
            else ("not computed: run the analysis `power`", "limits")
        ),
        "Exclusions": (
            f"reasons in {counted(excluded, 'result')}; skips and withdrawn texts" if excluded else "none",
            "left-out",
        ),
        "Sensitivity": (
            ("whether the answer holds when one thing is changed", results)
            if varied
            else ("not computed: `preference_correlation` reports it", "limits")
        ),
        "Limits": ("what must not be concluded", "limits"),
    }
    found = [Pointer(asked, *lines[asked]) for asked in ASKED]
    opening = Paragraph("What referees ask, and where it is answered.")
    return Section("where", "Where things stand", [opening, Pointers(found)], number="7")
