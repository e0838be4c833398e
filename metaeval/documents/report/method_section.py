"""How the study was done, as in a paper; numbers of a method are given here, not among the results."""

from __future__ import annotations

from typing import Any

from annotations.models import Compares, GiveAways, Layout, Runs, Study, Task
from metaeval.analyses.base.table import column, table
from metaeval.analyses.base.wording import counted, listed, number
from metaeval.analyses.inputs import StudyInputs
from metaeval.documents.report import methods
from metaeval.documents.report.blocks import Block, KeyFacts, Paragraph, Section, moment
from metaeval.documents.report.material import Material, ReportedResult
from metaeval.figures.sizes import sentence

SEEN = 0.0005
"""A smaller bound of p-values does not matter to readers."""

COUNTS = {
    "1": "A response in which both distributions were chosen counts for each of them",
    "1/2": "A response in which both distributions were chosen counts one half for each",
    "0": "A response in which both distributions were chosen counts for neither",
}
ALIKE = {
    "keep": "as it was answered",
    "both": "as if both had been chosen",
    "half": "one half",
    "leave out": "not at all",
}
TASKS = {
    Task.MULTICLASS: "one of {labels}",
    Task.MULTILABEL: "any of {labels}",
    Task.ORDINAL: "one point on a scale of {labels}",
}
RUNS = {
    Runs.AVERAGED: "Predictions of several runs of one model and method were averaged before anything was shown.",
    Runs.SINGLE: "Each run of a model and method is a system of its own.",
}
LAYOUT = {
    Layout.ALIGNED: ("One chart has a row for each label, with side A to the left and side B to the right."),
    Layout.SEPARATE: (
        "Two lists, each in the order of its own values, are shown side by side, as in the original study."
    ),
}
GIVE_AWAYS = {
    GiveAways.KEEP: "Texts for which one side can only be a system’s were kept.",
    GiveAways.REDRAW: (
        "If one side could only be a system’s, another text was drawn for that system where there was one."
    ),
}


def method(material: Material) -> Section:
    """The section, in the order in which a study is carried out."""
    study, inputs = material.study, material.inputs
    sections = [
        Section("asking", "How experts were asked", _asking(study), number="2.1"),
        Section("sampling", "Texts, systems and sampling", [Paragraph(_sampling(study, inputs))], number="2.2"),
        Section("showing", "What experts saw", [Paragraph(_showing(study))], number="2.3"),
        Section("counting", "What counts as preferred", [Paragraph(_counting(material.main))], number="2.4"),
        Section("tests", "Unit of analysis, tests and intervals", _tests(material.main), number="2.5"),
    ]
    return Section("methods", "Methods", [], sections, "2")


def other_methods(material: Material) -> Section:
    """How everything else was computed."""
    return Section("other-methods", "Methods of the other analyses", _others(material))


def text_of(section: Section) -> str:
    """All paragraphs of a section, to find what it cites."""
    text = " ".join(block.text for block in section.blocks if isinstance(block, Paragraph))
    return " ".join([text, *(text_of(inner) for inner in section.sections)])


def _asking(study: Study) -> list[Block]:
    facts = [
        ("Asked in step 1", study.question_labels),
        ("Asked in step 2", study.question_preference),
        ("Asked about certainty", study.question_certainty or "How certain are you? (the app’s own words)"),
        ("A bar is explained as", study.share_meaning or "share of people who would choose it (the app’s own words)"),
    ]
    return [Paragraph(methods.design()), KeyFacts(facts)]


def _sampling(study: Study, inputs: StudyInputs) -> str:
    dataset = study.dataset
    source = f" Source of the data: {dataset.source.rstrip('.')}." if dataset.source else ""
    licence = f" Licence: {dataset.licence.rstrip('.')}." if dataset.licence else ""
    choice = TASKS[Task(dataset.task)].format(labels=counted(len(inputs.labels), "label"))
    sentences = (
        f"{dataset.title} has {counted(len(inputs.P), 'text')}; people gave each "
        f"{choice}.{source}{licence} The study compared {systems_in_words(inputs)}. "
        f"{RUNS[Runs(study.runs)]} "
    )
    if study.compares == Compares.HUMAN_VS_SYSTEM:
        sentences += (
            f"Each system drew {counted(study.instances_per_system, 'text')} from one shuffled deck of all texts; a "
            "new deck was opened only when the old one was used up, so that all texts are used about equally often and "
            "no system gets one twice. "
        )
    else:
        sentences += (
            f"Each system takes part in {counted(study.instances_per_system, 'comparison')}, each about "
            "another text, and all pairs of systems meet about equally often. "
        )
    return (
        f"{sentences}Each comparison was for {counted(study.experts_per_comparison, 'expert')}. {_seen_twice(inputs)} "
        f"Every choice follows from the study’s seed ({study.seed}); which side was A follows from a secret key."
    )


def _seen_twice(inputs: StudyInputs) -> str:
    again = int(inputs.answers.counting_labels(include_pilot=True).again.sum())
    if not again:
        return "No expert saw a text twice, except for deliberate repeats."
    return (
        f"{counted(again, 'response')} {'is' if again == 1 else 'are'} about a text that the expert had judged "
        "before, beside another system: in step 1, an expert’s first labels of a text count, and in step 2, every "
        "comparison does."
    )


def _showing(study: Study) -> str:
    step = (
        "rounded to the shares that the text’s people can give (with five people, to fifths)"
        if study.display_step is None
        else f"rounded to multiples of {study.display_step:g}"
    )
    return (
        f"Both sides were {step} and drawn as whole percentages. A label was drawn if both its exact and "
        f"its rounded share are above the threshold of {100 * study.display_threshold:g}%. "
        f"{LAYOUT[Layout(study.layout)]} Two sides that would look identical were marked as such, and "
        f"only “both” or “neither” could be chosen. {GIVE_AWAYS[GiveAways(study.give_aways)]}"
    )


def _counting(main: ReportedResult | None) -> str:
    values: dict[str, Any] = dict(main.run.parameters) if main else {}
    sentences = (
        "The preference fraction of a system is the share of the responses about it in which its distribution was "
        f"chosen. {COUNTS[str(values.get('both', '1'))]}; one in which neither was chosen counts against both. "
        f"Where both sides looked the same, a response counts {ALIKE.get(str(values.get('identical', 'keep')), '')}. "
    )
    weights = values.get("weights", "none")
    sentences += (
        "Responses were weighted by the stated certainty. "
        if weights == "certainty"
        else ("All responses count equally. ")
    )
    pilot = "The pilot’s responses count too" if values.get("include_pilot") else "The pilot’s responses do not count"
    return (
        f"{sentences}{pilot}; deliberate repeats and skipped texts never do. If an answer was "
        "revised, the newest revision counts."
    )


def _tests(main: ReportedResult | None) -> list[Block]:
    if main is None:
        return [Paragraph("No analysis has been run yet, so there is no unit of analysis and no test.")]
    unit = main.result.get("unit") or {}
    blocks: list[Block] = []
    if unit.get("words"):
        least = unit.get("smallest_p")
        bound = ""
        if least is not None and least >= SEEN:
            bound = f" No p-value can be below {number(least, 4)}, whatever the data are."
        few = f" {unit['cannot_reject']}" if unit.get("cannot_reject") else ""
        blocks.append(Paragraph(f"{unit['words']}{bound}{few}", lead="Unit."))
    blocks.append(Paragraph(methods.methods_text(main.analysis.name), lead=sentence(main.analysis.title)))
    blocks.append(
        Paragraph(
            "Corrected p-values decide. Corrections cover what one table compares; nothing is corrected "
            "across the analyses of this report, and those that were not planned are exploratory.",
            lead="Multiplicity.",
        )
    )
    blocks.append(
        Paragraph(
            "Effects are reported as they are measured, each with an interval: correlations, preference "
            "fractions, agreement coefficients and their differences. Read an interval before its "
            "p-value.",
            lead="Effect size.",
        )
    )
    return [*blocks, Paragraph(f"{methods.every_result()} How the other analyses were computed is in the appendix.")]


def _others(material: Material) -> list[Block]:
    main = material.main
    names = dict.fromkeys(entry.analysis.name for entry in material.entries)
    return [
        Paragraph(methods.methods_text(entry.analysis.name), lead=sentence(entry.analysis.title))
        for name in names
        for entry in [next(printed for printed in material.entries if printed.analysis.name == name)]
        if main is None or name != main.analysis.name
    ]


def provenance(material: Material) -> Section:
    """Parameters, seeds, versions and fingerprints: what is needed to reproduce every number."""
    rows = [
        {
            "section": entry.number or "appendix",
            "analysis": entry.analysis.title,
            "standing": entry.standing,
            "seed": str(entry.run.seed),
            "at": moment(entry.run.finished_at),
            "data": entry.result["fingerprint"][:16],
        }
        for entry in material.entries
    ]
    made = table(
        "provenance",
        "How every result can be repeated",
        [
            column("section", "Section"),
            column("analysis", "Analysis"),
            column("standing", "Standing"),
            column("seed", "Seed"),
            column("at", "Computed"),
            column("data", "Data (SHA-256, first digits)"),
        ],
        rows,
    )
    study = material.study
    facts = [
        ("Data (SHA-256)", material.inputs.fingerprint),
        *([("Plan (SHA-256)", material.plan.sha256)] if material.plan.sha256 else []),
        ("Seed of the study", str(study.seed)),
        ("Opened", moment(study.opened_at)),
        ("Closed", moment(study.closed_at)),
        *([("Made with", listed(list(dict.fromkeys(e.run.made_with for e in material.entries))))] if rows else []),
    ]
    blocks: list[Block] = [
        Paragraph(
            "The bundle of this study holds its data, plan and results; `manage.py verify_bundle` recomputes every "
            "number from it."
        ),
        KeyFacts(facts),
    ]
    if rows:
        blocks.append(material.numbering.table(made, appendix=True))
    parameters = [
        Section(
            f"parameters-{entry.anchor}",
            f"{entry.number} {entry.analysis.title}".strip(),
            [KeyFacts(methods.parameters_in_words(entry.analysis.name, entry.run.parameters))],
        )
        for entry in material.entries
    ]
    return Section("provenance", "How to check and repeat this", blocks, parameters)


def systems_in_words(inputs: StudyInputs) -> str:
    """How many systems there are, and how they are crossed.

    Models and methods are mentioned only if every model has every method.
    """
    models = {origin["model"] for origin in inputs.origins}
    methods = {origin["method"] for origin in inputs.origins}
    cells = {(origin["model"], origin["method"]) for origin in inputs.origins}
    words = counted(len(inputs.systems), "system")
    if len(cells) == len(models) * len(methods) == len(inputs.systems) and "" not in models | methods:
        words += f" ({counted(len(models), 'model')} × {counted(len(methods), 'method')})"
    return words
