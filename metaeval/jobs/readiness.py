"""Whether a question can be answered yet and, if not, what is missing. Only checks for existence, in a fixed number of
queries."""

from __future__ import annotations

from functools import cached_property

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.models import HumanAnnotation, LabelResponse, Membership, PreferenceResponse, Role
from metaeval.analyses.base.options import systems_of
from metaeval.analyses.base.registry import Analysis
from metaeval.analyses.base.wording import Need
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject

FEWEST_SYSTEMS = 3
"""The smallest number of systems for a correlation."""

NOBODY = gettext_noop("No expert has answered yet.")
PILOT_ONLY = gettext_noop(
    "Only the pilot has been answered so far. To use its answers, tick “Include the pilot” in the settings."
)


class Holdings:
    """What exists for a subject; each thing is looked up once, when needed."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def lacking(self, entry: Analysis) -> str:
        """Why the question cannot be answered yet, as a sentence in the reader's language; empty where it can."""
        needs = entry.words.needs.get(self.subject.kind, ())
        return next((reason for reason in map(self._lacking, needs) if reason), "")

    def _lacking(self, need: Need) -> str:
        match need:
            case "answers":
                return self.lacking_answers
            case "preferences":
                return self.lacking_preferences
            case "experts":
                return self.lacking_experts
            case "annotations":
                return self.lacking_annotations
            case "systems":
                return "" if self.systems else self._no_systems
            case "three systems":
                return "" if self.systems >= FEWEST_SYSTEMS else self._few_systems

    @cached_property
    def lacking_answers(self) -> str:
        study = self.subject.study
        if not self.lacking_preferences:
            return ""
        if LabelResponse.objects.filter(assignment__study=study, assignment__is_pilot=False).exists():
            return ""
        piloted = LabelResponse.objects.filter(assignment__study=study).exists()
        return translation.gettext(PILOT_ONLY if piloted or self._has_pilot else NOBODY)

    @cached_property
    def lacking_preferences(self) -> str:
        study = self.subject.study
        if PreferenceResponse.objects.filter(assignment__study=study, assignment__is_pilot=False).exists():
            return ""
        return translation.gettext(PILOT_ONLY if self._has_pilot else NOBODY)

    @cached_property
    def _has_pilot(self) -> bool:
        return PreferenceResponse.objects.filter(assignment__study=self.subject.study).exists()

    @cached_property
    def lacking_experts(self) -> str:
        experts = Membership.objects.filter(study=self.subject.study, role=Role.EXPERT)
        return "" if experts.exists() else _("The study has no experts yet. Invite some.")

    @cached_property
    def lacking_annotations(self) -> str:
        has_annotations = HumanAnnotation.objects.filter(instance__dataset__in=self.subject.datasets).exists()
        return "" if has_annotations else _("The dataset has no judgements by single people, only their distributions.")

    @cached_property
    def systems(self) -> int:
        study = self.subject.study
        return systems_of(study, (study.dataset,) if study else self.subject.datasets).count()

    @property
    def _no_systems(self) -> str:
        return _("There are no predictions of systems yet. Import some.")

    @property
    def _few_systems(self) -> str:
        if not self.systems:
            return _("The study compares no systems yet. Plan it first.") if self._is_study else self._no_systems
        if self._is_study:
            message = _("The study compares {systems} of the {needed} systems that a correlation needs.")
        else:
            message = _("The dataset has {systems} of the {needed} systems that a correlation needs.")
        return message.format(systems=self.systems, needed=FEWEST_SYSTEMS)

    @property
    def _is_study(self) -> bool:
        return self.subject.kind == SubjectKind.STUDY
