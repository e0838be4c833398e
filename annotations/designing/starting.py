"""Create a study, with its maker as admin, and change a draft's settings."""

import secrets
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.dispatch import Signal
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.designing.applying import NotADraft, discard_plan, refuse_if_begun
from annotations.designing.averaging import all_candidates
from annotations.designing.lifecycle import add_member
from annotations.designing.pairing import mark_identical
from annotations.designing.presets import PRESETS, QUESTIONS, default_questions, in_language, preset_settings
from annotations.ground.bounds import TooMuchToRender
from annotations.ground.display_rule import DisplayRule, parts_of_step, stored_step
from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import Compares, Consent, Dataset, Event, EventKind, Role, Study, StudyState, User
from annotations.shown.languages import of_study
from annotations.shown.people import ShownPeople
from annotations.shown.profiles import flaws_of
from annotations.shown.short_names import own_name

SETTINGS = (
    "title",
    "instructions",
    "consent",
    "question_labels",
    "question_preference",
    "share_meaning",
    "question_certainty",
    "language",
    "direction",
    "compares",
    "runs",
    "systems",
    "assigning",
    "asks_guess",
    "opens_at",
    "display_threshold",
    "display_step",
    "layout",
    "give_aways",
    "instances_per_system",
    "experts_per_comparison",
    "leaving",
    "known_texts",
    "profile_questions",
    "repeats_per_expert",
    "seed",
)

RESERVED = frozenset({"new"})  # used as an address by the pages

MARKDOWN = ("instructions", "consent")

study_begins = Signal()
"""Sent with `study` and `actor` in the transaction that creates a study, for additions to every new one."""

# The plan depends on these (and on the dataset).
PLANNED = (
    "compares",
    "runs",
    "systems",
    "assigning",
    "give_aways",
    "instances_per_system",
    "experts_per_comparison",
    "seed",
)

# The database refuses everything else (models/studies.py); here each bound has its sentence.
BOUNDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "display_threshold": (lambda v: 0 <= v < 1, gettext_noop("must be at least 0 and below 1")),
    "display_step": (
        lambda v: v is None or (0.01 <= v <= 0.5 and abs(v * parts_of_step(v) - 1) < 0.005),
        gettext_noop(
            "must divide 1 evenly and be between 0.01 and 0.5, such as 0.05, 0.1 or 0.2; or it must be grid or exact"
        ),
    ),
    "instances_per_system": (lambda v: v >= 1, gettext_noop("must be at least 1")),
    "experts_per_comparison": (lambda v: v >= 1, gettext_noop("must be at least 1")),
    "repeats_per_expert": (lambda v: 0 <= v <= 1000, gettext_noop("must be between 0 and 1000")),
    "seed": (lambda v: 0 <= v < 2**63, gettext_noop("must be a whole number between 0 and 2^63 - 1")),
}


class InvalidSettings(HLVError):
    """A setting has an invalid value; the data name the fields."""


class StudyExists(Conflict):
    """The slug is already taken."""


class EditedMeanwhile(Conflict):
    """Somebody has changed the settings since the caller read them; the data say who and when."""


def draft(*, dataset: Dataset, slug: str, **settings: Any) -> Study:
    """A study that is not stored yet. Without a seed, one is drawn at random. Raises InvalidSettings."""
    study = Study(dataset=dataset, slug=slug, seed=secrets.randbelow(2**53), is_simulated=dataset.is_simulated)
    study.title = slug
    for name, question in default_questions(dataset.task, _language(study, settings)).items():
        setattr(study, name, question)
    put_settings(study, settings)
    return study


@transaction.atomic
def create_study(
    *, dataset: Dataset, slug: str, actor: User | None = None, origin: dict[str, Any] | None = None, **settings: Any
) -> Study:
    """Store a new draft. `origin`: what it was made from, for the event log. Raises InvalidSettings, StudyExists."""
    if slug in RESERVED:
        raise InvalidSettings(_("This short name is reserved."), fields={"slug": [_("Choose another short name.")]})
    if actor is not None:
        slug = own_name(slug, taken=Study.objects.all(), seen=Study.objects.visible_to(actor), user=actor)
    if Study.objects.filter(slug=slug).exists():
        raise StudyExists(
            _("There is already a study {slug}. Choose another short name.").format(slug=repr(slug)), slug=slug
        )
    study = draft(dataset=dataset, slug=slug, **settings)
    study.save()
    events.record(EventKind.STUDY_CREATED, actor=actor, study=study, **(origin or {}))
    return study


def slug_for(title: str) -> str:
    """An unused slug derived from a title, `study` for titles in other scripts; with a random part if it is in use,
    which does not say how many others there are.
    """
    slug = base = slugify(title)[:70].strip("-") or "study"
    while slug in RESERVED or Study.objects.filter(slug=slug).exists():
        slug = f"{base}-{secrets.token_hex(3)}"
    return slug


def settings_of_preset(name: str, *, dataset: Dataset, language: str = "") -> dict[str, Any]:
    """What a preset sets for a dataset, in the language of the experts' pages. Raises InvalidSettings."""
    if name not in PRESETS:
        raise InvalidSettings(
            _("There is no preset {name}.").format(name=repr(name)),
            fields={"preset": [_("Choose one of these: {known}.").format(known=", ".join(PRESETS))]},
        )
    spoken = _language(Study(dataset=dataset, language=language), {})
    return preset_settings(name, dataset=dataset, language=spoken)


@transaction.atomic
def change_settings(*, study: Study, actor: User | None = None, version: int | None = None, **settings: Any) -> Study:
    """Change a draft's settings; after that, answers depend on them.

    A stored plan that no longer matches them is deleted, so that nobody opens the study with it. Questions worded in
    this app follow the language, and chosen systems follow the choice to average runs.

    Args:
        version: the version of the settings that the caller saw; None if it does not matter.

    Raises:
        NotADraft, EditedMeanwhile, InvalidSettings.
    """
    study = Study.objects.select_for_update().select_related("dataset").get(pk=study.pk)
    refuse_if_edited(study, version, actor)
    if study.state != StudyState.DRAFT:
        raise NotADraft(_("The settings can only be changed while the study is a draft."), state=study.state)
    before, shown = {name: getattr(study, name) for name in SETTINGS}, DisplayRule.of(study)
    put_settings(study, _followed(study, settings))
    _refuse_agreed(study, before)
    changed = sorted(name for name in SETTINGS if getattr(study, name) != before[name])
    if set(changed) & set(PLANNED):
        discard_plan(study)
    if changed:
        study.version += 1
        events.record(EventKind.SETTINGS_CHANGED, actor=actor, study=study, settings=changed, version=study.version)
    study.save()
    if DisplayRule.of(study) != shown and study.comparisons.exists():
        refuse_if_begun(study)
        mark_identical(study)
    return study


def _refuse_agreed(study: Study, before: dict[str, Any]) -> None:
    if study.leaving != before["leaving"] and Consent.objects.filter(study=study).exists():
        raise InvalidSettings(
            _("Experts have already agreed to how their answers are handled if they leave, so this cannot be changed."),
            fields={"leaving": [_("An expert has already agreed to this.")]},
        )
    if study.profile_questions != before["profile_questions"] and study.memberships.exclude(profile={}).exists():
        raise InvalidSettings(
            _("An expert has already answered these questions, so they cannot be changed."),
            fields={"profile_questions": [_("An expert has already answered them.")]},
        )


def refuse_if_edited(study: Study, version: int | None, actor: User | None) -> None:
    """Raises EditedMeanwhile, which tells the actor who was faster, if the settings are no longer at this version."""
    if version is None or version == study.version:
        return
    last = Event.objects.filter(study=study, kind=EventKind.SETTINGS_CHANGED).order_by("-at").first()
    who = ShownPeople(to=actor, study=study).name(last.known_actor if last else None) or _("Somebody")
    raise EditedMeanwhile(
        _("{who} has changed this study in the meantime. Check the new settings and make your change again.").format(
            who=who
        ),
        version=study.version,
        who=who,
        at=last.at.isoformat() if last else None,
    )


def _language(study: Study, settings: dict[str, Any]) -> str:
    language = settings.get("language") or study.language
    return language or (of_study(study)[0] if study.dataset_id else "en")


def _followed(study: Study, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings plus those that follow from them, unless given explicitly."""
    followed = dict(settings)
    if "language" in settings and settings["language"] != study.language:
        language = _language(Study(dataset=study.dataset), settings)
        for name in QUESTIONS:
            value = getattr(study, name)
            followed.setdefault(name, in_language(study.dataset.task, language, question=name, value=value))
    if "runs" in settings and settings["runs"] != study.runs and study.systems:
        chosen = {
            (system.model, system.method) for system in all_candidates(study).systems if system.name in study.systems
        }
        unsaved = Study(dataset_id=study.dataset_id, runs=settings["runs"])
        names = [system.name for system in all_candidates(unsaved).systems if (system.model, system.method) in chosen]
        followed.setdefault("systems", names)
    return followed


def _unknown_systems(study: Study) -> list[str]:
    names = {system.name for system in all_candidates(study).systems}
    return [name for name in study.systems if name not in names]


def put_tried(study: Study, settings: dict[str, Any]) -> None:
    """Put settings, and those that follow from them, on a study in memory, to see what they would amount to."""
    for name, value in _followed(study, settings).items():
        setattr(study, name, value)


def put_settings(study: Study, settings: dict[str, Any]) -> None:
    """Put checked settings on a study, in memory. Raises InvalidSettings."""
    unknown = sorted(set(settings) - set(SETTINGS))
    if unknown:
        raise InvalidSettings(
            _("Unknown setting: {unknown}.").format(unknown=", ".join(unknown)), fields={name: [] for name in unknown}
        )
    for name, value in settings.items():
        setattr(study, name, stored_step(value) if name == "display_step" else value)
    fields: dict[str, list[str]] = {}
    try:
        study.clean_fields(exclude=["dataset"])
    except ValidationError as error:
        fields = error.message_dict
    for name, (holds, sentence) in BOUNDS.items():
        if name not in fields and not holds(getattr(study, name)):
            fields[name] = [sentence]
    if "systems" in settings and study.systems and "systems" not in fields and (lacking := _unknown_systems(study)):
        fields["systems"] = [_("This dataset has no system {name}.").format(name=name) for name in lacking]
    for name in MARKDOWN:
        if name in settings and name not in fields:
            from annotations.shown.instructions import sanitised  # the parser is for who writes

            try:
                sanitised(settings[name], field=name)
            except TooMuchToRender as error:
                fields |= error.data["fields"]
    if "profile_questions" in settings and (flaws := flaws_of(study.profile_questions)):
        fields["profile_questions"] = flaws
    if study.asks_guess and study.compares != Compares.HUMAN_VS_SYSTEM:
        fields["asks_guess"] = [_("only possible when one side comes from people, not when two systems are compared")]
    if fields:
        plain = "; ".join(f"{name}: {' '.join(sentences)}" for name, sentences in sorted(fields.items()))
        raise InvalidSettings(_("These settings are not valid. {plain}").format(plain=plain), fields=fields)


@transaction.atomic
def begin_study(
    *, dataset: Dataset, actor: User, title: str, slug: str = "", preset: str = "safe", **settings: Any
) -> Study:
    """Create a draft with its maker as admin; `settings` override the preset's. Raises InvalidSettings, StudyExists."""
    chosen = settings_of_preset(preset, dataset=dataset, language=settings.get("language", "")) | settings
    study = create_study(dataset=dataset, slug=slug or slug_for(title), actor=actor, title=title, **chosen)
    add_member(study=study, user=actor, role=Role.ADMIN, actor=actor)
    study_begins.send(sender=Study, study=study, actor=actor)
    return study
