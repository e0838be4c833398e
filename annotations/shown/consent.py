"""What a study's experts agree to before they begin, made from what the study saves.

The text is the study's own, or the app's, in the study's language, and below either the list of what is saved. An item
of that list stands for fields in the database and for columns of exports: whoever adds one of these says to which item
it belongs, and tests compare all three (tests/annotations/exporting/test_consent.py).
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import override

from annotations.ground.saved import Saved
from annotations.models import Leaving, Membership, Study, StudyState
from annotations.shown.languages import language_and_direction, of_study


@dataclass(frozen=True, slots=True)
class Basis:
    """The settings of a study on which its consent depends."""

    own_text: str
    language: str
    leaving: str
    has_repeats: bool
    asks_guess: bool
    questions: tuple[tuple[str, bool], ...]
    """About the expert: what each says, and whether it has to be answered."""

    @classmethod
    def by(cls, study: Study, language: str) -> "Basis":
        return cls(
            own_text=study.consent.strip() and study.consent,
            language=language,
            leaving=study.leaving,
            has_repeats=study.repeats_per_expert > 0,
            asks_guess=study.asks_guess,
            questions=tuple((question["label"], bool(question["required"])) for question in study.profile_questions),
        )


def _always(_: Basis) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ConsentItem:
    """An item: its words in the language of the moment, the fields that it stands for, and which studies have it."""

    words: Callable[[Basis], str]
    fields: tuple[str, ...]
    applies: Callable[[Basis], bool] = _always


ITEMS: dict[Saved, ConsentItem] = {
    Saved.ANSWERS: ConsentItem(
        lambda _basis: _(
            "Your answers: the labels that you choose, which side you find more accurate, and how certain you are. If "
            "you change an answer, the earlier one is kept, too."
        ),
        (
            "LabelResponse.labels",
            "PreferenceResponse.a_chosen",
            "PreferenceResponse.b_chosen",
            "PreferenceResponse.certainty",
        ),
    ),
    Saved.TIMES: ConsentItem(
        lambda _basis: _("When you get and answer each text, and how long you take, without pauses."),
        (
            "Assignment.claimed_at",
            "Assignment.comparison_shown_at",
            "Assignment.completed_at",
            "LabelResponse.active_ms",
            "LabelResponse.created_at",
            "PreferenceResponse.active_ms",
            "PreferenceResponse.created_at",
        ),
    ),
    Saved.PAGES: ConsentItem(
        lambda _basis: _("Which wording of the pages you read, and in which language."),
        ("LabelResponse.page_language", "PreferenceResponse.page_language"),
    ),
    Saved.REPEATS: ConsentItem(
        lambda _basis: _("Which of your answers are to texts that come twice."), (), lambda basis: basis.has_repeats
    ),
    Saved.REPORTS: ConsentItem(
        lambda _basis: _("What you report about a text, in your words, and which texts you skip."),
        ("Assignment.released_at", "Report.text", "Report.reason", "Report.skipped", "Report.created_at"),
    ),
    Saved.GUESSES: ConsentItem(
        lambda _basis: _(
            "Your answers to one more question, which is asked and explained after the last text. It is about some of "
            "the texts."
        ),
        ("Guess.side", "Guess.created_at"),
        lambda basis: basis.asks_guess,
    ),
    Saved.PROFILE: ConsentItem(
        lambda basis: _profile_in_words(basis.questions),
        ("Membership.profile",),
        lambda basis: bool(basis.questions),
    ),
    Saved.PART: ConsentItem(lambda _basis: _("When you agree to this and join and, if you leave, when you do."), ()),
    Saved.IDENTITY: ConsentItem(
        lambda _basis: _("Your name and e-mail address, so that the people who run the study can reach you."),
        ("User.email", "User.address", "User.name"),
    ),
    Saved.NUMBER: ConsentItem(
        lambda _basis: _(
            "A number. Results and published data identify you only by this number, never by your name or address. "
            "Everything else in this list may be part of them."
        ),
        (),
    ),
}


def _profile_in_words(questions: tuple[tuple[str, bool], ...]) -> str:
    lines = [_("Your answers to these questions about you, which are asked before the first text:")]
    for label, is_required in questions:
        words = " ".join(label.split())
        lines.append(f"  - {words}" if is_required else f"  - {words} ({_('optional')})")
    return "\n".join(lines)


def consent_text(study: Study) -> str:
    """The Markdown that an expert of this study agrees to. One query."""
    return _text(Basis.by(study, of_study(study)[0]))


@lru_cache(maxsize=256)
def _text(basis: Basis) -> str:
    """Made once as long as the settings stay as they are, not for each text that an expert gets."""
    with override(basis.language):
        saved = "\n".join(f"- {ITEMS[item].words(basis)}" for item in Saved if ITEMS[item].applies(basis))
        saved = "\n\n".join((_("**What is saved.**"), saved, _leaving_in_words(basis.leaving)))
        if basis.own_text:
            return f"{basis.own_text.rstrip()}\n\n{saved}"
        again = _(
            "**Some texts come twice.** Towards the end you get a few texts again, so that we can see how "
            "consistent answers are. Answer each time as you read the text then."
        )
        return "\n\n".join(
            (
                _(
                    "**What you will do.** You read short texts, choose the labels that fit each of them, and then "
                    "say which of two sides, A or B, describes it more accurately."
                ),
                *([again] if basis.has_repeats else []),
                saved,
                _("**Taking part is voluntary.** You can stop at any time, without giving a reason."),
                _("**The texts.** Please treat them as confidential: do not copy them and do not pass them on."),
                _("**Questions.** Please reply to the message that invited you."),
            )
        )


def _leaving_in_words(leaving: str) -> str:
    if leaving == Leaving.LEFT_OUT:
        return _(
            "**If you leave.** You can leave the study on its page. Your answers are then left out of all results "
            "and published data from that day on."
        )
    return _(
        "**If you leave.** You can leave the study on its page. The answers that you have given by then stay in it."
    )


def version_of(text: str) -> str:
    """SHA-256 of a consent text: any change to the text makes a new version.

    >>> version_of("I agree.")[:12]
    '826ff0dab649'
    """
    return hashlib.sha256(text.encode()).hexdigest()


def must_agree(expert: Membership, *, agreed: str | None, text: str) -> bool:
    """Whether the expert has yet to agree to the study's text, or agreed to another one than it has now.

    Args:
        agreed: the version of the text to which they agreed last; None: to none. Then only experts who were added
            without an invitation owe it, not those whom the operator or a simulation put there.
    """
    return expert.owes_consent or (agreed is not None and agreed != version_of(text))


def is_asked_first(expert: Membership, *, agreed: str | None, first_text: tuple[str | None, str | None]) -> bool:
    """Whether the expert (loaded with the study) must consent or answer questions before the next text. No query.

    Args:
        agreed: see `must_agree`.
        first_text: the language and direction of the study's first text.
    """
    study = expert.study
    if study.state in {StudyState.PAUSED, StudyState.CLOSED}:
        return False
    text = _text(Basis.by(study, language_and_direction(study, texts=first_text)[0]))
    unanswered = any(question["name"] not in expert.profile for question in study.profile_questions)
    return unanswered or must_agree(expert, agreed=agreed, text=text)
