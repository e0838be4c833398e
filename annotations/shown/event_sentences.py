"""The event log in sentences: one function per kind of act, which says who did what in the pages' words.

A sentence is made from what an event contains (counts, names of settings), so no text, answer or secret can get in.
It is made each time it is read, in the reader's language. Details missing from events of earlier versions are left
out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.models import Event, EventKind
from annotations.shown.people import ShownPeople
from annotations.shown.plurals import filled, with_and, with_commas

NOBODY = gettext_noop("The server")
"""For acts by nobody who was signed in: a command, or the app itself."""
CODES = {
    "csv": gettext_noop("CSV"),
    "jsonl": gettext_noop("JSON lines"),
    "parquet": gettext_noop("Parquet"),
    "report_html": gettext_noop("report (HTML)"),
    "report_pdf": gettext_noop("report (PDF)"),
    "report_latex": gettext_noop("report (LaTeX)"),
    "report_docx": gettext_noop("report (Word)"),
    "plan": gettext_noop("the plan"),
    "assignments": gettext_noop("the assignments"),
    "comparisons": gettext_noop("the comparisons"),
    "responses": gettext_noop("the answers"),
    "export as csv": gettext_noop("export as CSV"),
    "export as jsonl": gettext_noop("export as JSON lines"),
    "export as parquet": gettext_noop("export as Parquet"),
    "title": gettext_noop("title"),
    "instructions": gettext_noop("instructions"),
    "consent": gettext_noop("consent text"),
    "question_labels": gettext_noop("question of step 1"),
    "question_preference": gettext_noop("question of step 2"),
    "question_certainty": gettext_noop("question about certainty"),
    "share_meaning": gettext_noop("meaning of a bar"),
    "language": gettext_noop("language"),
    "direction": gettext_noop("direction of writing"),
    "compares": gettext_noop("what is compared"),
    "runs": gettext_noop("runs"),
    "assigning": gettext_noop("assignment of texts"),
    "systems": gettext_noop("systems"),
    "asks_guess": gettext_noop("guess at the end"),
    "display_threshold": gettext_noop("display threshold"),
    "display_step": gettext_noop("display step"),
    "layout": gettext_noop("layout of step 2"),
    "instances_per_system": gettext_noop("texts per system"),
    "experts_per_comparison": gettext_noop("experts per comparison"),
    "repeats_per_expert": gettext_noop("repeated texts per expert"),
    "give_aways": gettext_noop("texts that reveal a side"),
    "leaving": gettext_noop("answers of experts who leave"),
    "known_texts": gettext_noop("texts that experts had in an earlier study"),
    "profile_questions": gettext_noop("questions about experts"),
    "identities_kept_months": gettext_noop("how long names are kept"),
    "opens_at": gettext_noop("planned opening"),
    "seed": gettext_noop("seed"),
}
ROLES = {
    "expert": gettext_noop("expert"),
    "researcher": gettext_noop("researcher"),
    "admin": gettext_noop("admin"),
}
AS_ROLE = {
    "expert": gettext_noop("as an expert"),
    "researcher": gettext_noop("as a researcher"),
    "admin": gettext_noop("as an admin"),
}
REASONS = {
    "unreadable": gettext_noop("it cannot be read"),
    "distressing": gettext_noop("it is distressing"),
    "identifies_person": gettext_noop("it identifies a person"),
}
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Told:
    """What a sentence is made of."""

    who: str
    subject: str
    data: dict[str, Any]

    def text(self, name: str) -> str:
        value = self.data.get(name)
        return str(value) if isinstance(value, str | int | float) else ""

    def number(self, name: str) -> int | None:
        value = self.data.get(name)
        return len(value) if isinstance(value, list | dict) else value if isinstance(value, int) else None

    def counted(self, name: str, message: str) -> str:
        """A message about `number`, filled with the number of that name; empty if it is unknown."""
        number = self.number(name)
        return "" if number is None else filled(message, number=number)

    def listed(self, name: str) -> str:
        """The names in a list, as many as somebody would read."""
        value = self.data.get(name)
        names = [readable(one) for one in value] if isinstance(value, list | dict) else []
        left = len(names) - MOST_NAMED
        shown = with_commas(names[:MOST_NAMED])
        return filled(_("{names} and {number} more"), names=shown, number=left) if left > 0 else shown

    def whom(self) -> str:
        """The person the act is about, by e-mail address or number."""
        known = (self.data.get(name) for name in ("number", "expert", "member"))
        number = next((one for one in known if isinstance(one, int)), None)
        if self.text("email") or number is None:
            return self.text("email") or _("somebody")
        return _("person {number}").format(number=number)

    def say(self, message: str, detail: str = "", **values: object) -> str:
        """A message about `who`, followed by a colon and any detail."""
        said = filled(message, who=self.who, **values)
        return f"{said}: {detail}" if detail else said


Sentence = Callable[[Told], str]
SENTENCES: dict[str, Sentence] = {}


def sentence_of(event: Event, people: ShownPeople) -> str:
    """Who did what, in one sentence with a full stop, in the reader's language, who sees people like this."""
    person = people.name(event.known_actor) or (_("A former account") if event.actor_id else "")
    said = people.data(event.data) if isinstance(event.data, dict) else {}
    told = Told(person or translation.gettext(NOBODY), event.subject, said)
    known = SENTENCES.get(event.kind)
    sentence = known(told) if known else f"{told.who}: {event.get_kind_display()}"
    return " ".join(sentence.split()) + "."


def says(kind: EventKind) -> Callable[[Sentence], Sentence]:
    """Decorator: the function makes the sentence for this kind of act."""

    def add(sentence: Sentence) -> Sentence:
        SENTENCES[kind] = sentence
        return sentence

    return add


def readable(code: object) -> str:
    """A code in words; unknown codes are shown without underscores.

    >>> readable("instances_per_system"), readable("csv"), readable("export as csv"), readable("macro_f1")
    ('texts per system', 'CSV', 'export as CSV', 'macro f1')
    """
    words = str(code)
    return translation.gettext(CODES[words]) if words in CODES else " ".join(words.replace("_", " ").split())


def _quoted(text: str) -> str:
    return _("“{text}”").format(text=text) if text else ""


@says(EventKind.IMPORTED)
def _imported(told: Told) -> str:
    if told.text("what") == "predictions":
        if told.number("systems") is None:
            return told.say(_("{who} imported predictions"))
        return told.say(
            _("{who} imported the predictions of {systems, plural, one {# system} other {# systems}}"),
            told.listed("systems"),
            systems=told.number("systems"),
        )
    found = [
        told.counted("instances", _("{number, plural, one {# text} other {# texts}}")),
        told.counted("labels", _("{number, plural, one {# label} other {# labels}}")),
        told.counted("annotations", _("{number, plural, one {# annotation} other {# annotations}}"))
        if told.number("annotations")
        else "",
        told.counted("votes", _("{number, plural, one {# vote} other {# votes}}")) if told.number("votes") else "",
    ]
    return told.say(_("{who} imported the dataset {dataset}"), with_commas(found), dataset=told.subject)


@says(EventKind.REPLACED)
def _replaced(told: Told) -> str:
    if told.text("what") == "predictions":
        return told.say(_("{who} imported predictions again and replaced the unused ones"), told.listed("systems"))
    return told.say(_("{who} imported a dataset again and replaced the unused one"), told.listed("systems"))


@says(EventKind.STUDY_CREATED)
def _created(told: Told) -> str:
    return told.say(_("{who} created the study"))


@says(EventKind.SETTINGS_CHANGED)
def _settings(told: Told) -> str:
    return told.say(_("{who} changed settings of the study"), told.listed("settings"))


@says(EventKind.DATASET_CHANGED)
def _dataset(told: Told) -> str:
    if told.text("what") == "label":
        return told.say(
            _("{who} changed how the label “{label}” is displayed"),
            _quoted(told.text("display_name")),
            label=told.text("label"),
        )
    if told.text("what") == "search_words":
        return told.say(_("{who} changed the search words of the label “{label}”"), label=told.text("label"))
    return told.say(_("{who} changed the title of the dataset"), _quoted(told.text("after")))


@says(EventKind.PLANNED)
def _planned(told: Told) -> str:
    found = [
        told.counted("comparisons", _("{number, plural, one {# comparison} other {# comparisons}}")),
        told.counted("experts_per_comparison", _("{number, plural, one {# expert} other {# experts}} each"))
        if told.number("experts_per_comparison")
        else "",
    ]
    return told.say(_("{who} planned the study"), with_commas(found))


@says(EventKind.PLACES_ADDED)
def _places(told: Told) -> str:
    if told.number("places") is None:
        return told.say(_("{who} added places for experts"))
    return told.say(
        _("{who} added {places, plural, one {# place} other {# places}} for experts"), places=told.number("places")
    )


@says(EventKind.SYSTEM_PAUSED)
def _paused(told: Told) -> str:
    message = _("{who} paused the system {system}: its free places are not assigned for now")
    return told.say(message, system=told.text("system"))


@says(EventKind.SYSTEM_RESUMED)
def _resumed(told: Told) -> str:
    return told.say(_("{who} resumed the system {system}"), system=told.text("system"))


@says(EventKind.ARCHIVED)
def _archived(told: Told) -> str:
    if not told.subject:
        return told.say(_("{who} archived the study"))
    return told.say(_("{who} archived {study}"), study=told.subject)


@says(EventKind.UNARCHIVED)
def _unarchived(told: Told) -> str:
    if not told.subject:
        return told.say(_("{who} restored the study from the archive"))
    return told.say(_("{who} restored {study} from the archive"), study=told.subject)


@says(EventKind.SIDES_COMMITTED)
def _sides(told: Told) -> str:
    if told.text("phase") == "pilot":
        return _("The secret key that assigns sides A and B in the pilot was created, and its SHA-256 was recorded")
    return _("The secret key that assigns sides A and B in the study was created, and its SHA-256 was recorded")


@says(EventKind.MEMBER_ADDED)
def _member(told: Told) -> str:
    role = AS_ROLE.get(told.text("role"))
    if told.data.get("pending") and role is not None:
        return told.say(
            _("{who} asked {person} to take part in the study {as_role}"),
            person=told.whom(),
            as_role=translation.gettext(role),
        )
    if role is None:
        return told.say(_("{who} added {person} to the study"), person=told.whom())
    return told.say(
        _("{who} added {person} to the study {as_role}"), person=told.whom(), as_role=translation.gettext(role)
    )


@says(EventKind.ROLE_CHANGED)
def _role(told: Told) -> str:
    role = ROLES.get(told.text("after") or told.text("role"))
    detail = _("now {role}").format(role=translation.gettext(role)) if role else ""
    return told.say(_("{who} changed the role of {person} in the study"), detail, person=told.whom())


@says(EventKind.MEMBER_LEFT)
def _left(told: Told) -> str:
    left_out = told.data.get("answers_left_out")
    answers = ""
    if left_out is not None:
        answers = _("their answers are excluded from results") if left_out else _("their answers stay in the study")
    if told.data.get("pending"):
        if told.data.get("themselves"):
            return told.say(_("{who} declined to take part in the study"))
        return told.say(_("{who} took back the request to {person} to take part in the study"), person=told.whom())
    if told.data.get("themselves"):
        return told.say(_("{who} left the study"), answers)
    return told.say(_("{who} removed {person} from the study"), answers, person=told.whom())


@says(EventKind.MEMBER_RETURNED)
def _returned(told: Told) -> str:
    if told.data.get("accepted"):
        return told.say(_("{who} agreed to take part in the study"))
    if told.data.get("pending"):
        return told.say(_("{who} asked {person} to come back to the study"), person=told.whom())
    return told.say(_("{who} added {person} to the study again"), person=told.whom())


@says(EventKind.PROFILE_CHANGED)
def _profile(told: Told) -> str:
    return told.say(_("{who} answered the study's questions about themselves"))


@says(EventKind.INVITED)
def _invited(told: Told) -> str:
    if told.text("purpose") == "access":
        return told.say(_("{who} created a link for {person} to choose a new password"), person=told.whom())
    role = AS_ROLE.get(told.text("role"))
    if role is None:
        return told.say(_("{who} invited {person}"), person=told.whom())
    return told.say(_("{who} invited {person} {as_role}"), person=told.whom(), as_role=translation.gettext(role))


@says(EventKind.REMINDED)
def _reminded(told: Told) -> str:
    if told.number("people") is None:
        return told.say(_("{who} sent a reminder to {person}"), person=told.whom())
    return told.say(
        _("{who} sent a reminder to {people, plural, one {# person} other {# people}}"), people=told.number("people")
    )


@says(EventKind.TOLD)
def _news(told: Told) -> str:
    people = (
        told.counted("people", _("{number, plural, one {# person} other {# people}}")) if told.number("people") else ""
    )
    webhook = _("the webhook") if told.data.get("webhook") else ""
    whom = with_and([one for one in (people, webhook) if one]) or _("people")
    if told.text("what") == "identities":
        return told.say(_("{who} notified {whom}"), _("names will be erased soon"), whom=whom)
    if told.text("what") != "failed":
        return told.say(_("{who} notified {whom}"), _("all answers have been collected"), whom=whom)
    return told.say(_("{who} notified {whom}"), _failed(told.text("failed")), whom=whom)


def _failed(kind: str) -> str:
    known = {"import": _("an import failed"), "export": _("an export failed"), "analysis": _("an analysis failed")}
    return known.get(kind, _("a job failed"))


@says(EventKind.MAIL_FAILED)
def _mail(told: Told) -> str:
    return _("An e-mail to {person} could not be sent").format(person=told.whom())


@says(EventKind.INVITATION_REVOKED)
def _revoked(told: Told) -> str:
    return told.say(_("{who} revoked the invitation of {person}"), person=told.whom())


@says(EventKind.INVITATION_ACCEPTED)
def _accepted(told: Told) -> str:
    return told.say(_("{who} accepted the invitation"))


@says(EventKind.CONSENTED)
def _consented(told: Told) -> str:
    return told.say(_("{who} agreed to take part"))


@says(EventKind.ROLES_CHANGED)
def _roles(told: Told) -> str:
    return told.say(_("{who} changed a person's permissions on this server"))


@says(EventKind.PASSWORD_CHANGED)
def _password(told: Told) -> str:
    return told.say(_("{who} changed their password"))


@says(EventKind.ACCOUNT_CLOSED)
def _closed(told: Told) -> str:
    return told.say(_("{who} closed an account, which can no longer sign in"))


@says(EventKind.ACCOUNT_REOPENED)
def _reopened(told: Told) -> str:
    return told.say(_("{who} reopened an account"))


@says(EventKind.ACCESS_RENEWED)
def _access(told: Told) -> str:
    return told.say(_("{who} chose a new password with a link"))


@says(EventKind.BREAK_IN)
def _break_in(told: Told) -> str:
    return told.say(_("{who} reported that somebody else was in their account; everything that opened it has ended"))


@says(EventKind.SIGNED_IN)
def _signed_in(told: Told) -> str:
    if told.data.get("known_device") is False:
        return told.say(_("{who} signed in on a device that had not been used before"))
    return told.say(_("{who} signed in"))


@says(EventKind.SIGNED_OUT)
def _signed_out(told: Told) -> str:
    return told.say(_("{who} signed out"))


@says(EventKind.SESSIONS_ENDED)
def _sessions_ended(told: Told) -> str:
    browsers, account = told.number("browsers"), told.text("person")
    if told.data.get("themselves") is not False or not account:
        if browsers is None:
            return told.say(_("{who} signed out of other browsers"))
        return told.say(
            _("{who} signed out of {browsers, plural, one {# other browser} other {# other browsers}}"),
            browsers=browsers,
        )
    return told.say(
        _("{who} signed account {account} out of {browsers, plural, one {# browser} other {# browsers}}"),
        account=account,
        browsers=browsers or 0,
    )


@says(EventKind.SIGN_IN_FAILED)
def _sign_in_failed(told: Told) -> str:
    return told.counted("person", _("Somebody tried to sign in to account {number} with a wrong password")) or _(
        "Somebody tried to sign in with an address that has no account"
    )


@says(EventKind.LOCKED_OUT)
def _locked_out(told: Told) -> str:
    return told.counted("person", _("Sign-in to account {number} was paused after too many failed attempts")) or _(
        "Sign-in was paused after too many failed attempts"
    )


@says(EventKind.SECOND_FACTOR_ON)
def _second_factor_on(told: Told) -> str:
    return told.say(_("{who} turned on a second factor"))


@says(EventKind.SECOND_FACTOR_OFF)
def _second_factor_off(told: Told) -> str:
    return told.say(_("{who} turned off a second factor"))


@says(EventKind.SECOND_STEP_FAILED)
def _second_step_failed(told: Told) -> str:
    return told.counted("person", _("Somebody gave a wrong code or passkey when signing in to account {number}")) or _(
        "Somebody gave a wrong code or passkey when signing in"
    )


@says(EventKind.PASSKEY_ADDED)
def _passkey_added(told: Told) -> str:
    return told.say(_("{who} added a passkey"))


@says(EventKind.PASSKEY_REMOVED)
def _passkey_removed(told: Told) -> str:
    return told.say(_("{who} removed a passkey"))


@says(EventKind.RECOVERY_CODES_MADE)
def _recovery_codes_made(told: Told) -> str:
    return told.say(_("{who} made new recovery codes"))


@says(EventKind.RECOVERY_CODE_USED)
def _recovery_code_used(told: Told) -> str:
    return told.say(_("{who} signed in with a recovery code"))


@says(EventKind.PROVIDER_CONNECTED)
def _provider_connected(told: Told) -> str:
    return told.say(_("{who} connected their account to the sign-in provider"))


@says(EventKind.PROVIDER_DISCONNECTED)
def _provider_disconnected(told: Told) -> str:
    return told.say(_("{who} disconnected their account from the sign-in provider"))


@says(EventKind.STEPPED_IN)
def _stepped_in(told: Told) -> str:
    return told.say(_("Somebody at this computer stepped into the demo as {who}"))


@says(EventKind.TOKEN_MADE)
def _token(told: Told) -> str:
    if told.number("days") is None:
        return told.say(_("{who} created an API token"))
    return told.say(
        _("{who} created an API token, valid for {days, plural, one {# day} other {# days}}"), days=told.number("days")
    )


@says(EventKind.TOKEN_REVOKED)
def _untoken(told: Told) -> str:
    return told.say(_("{who} revoked an API token"))


@says(EventKind.STATE_CHANGED)
def _state(told: Told) -> str:
    after = told.text("after")
    if after == "open" and told.text("before") == "paused":
        return told.say(_("{who} reopened the study"))
    fresh = told.counted(
        "fresh_places",
        _("{number, plural, one {# new place replaces one} other {# new places replace those}} used in the pilot"),
    )
    if after == "closed":
        return told.say(_("{who} closed the study"))
    done = {
        "pilot": _("{who} started the pilot"),
        "open": _("{who} opened the study"),
        "paused": _("{who} paused the study"),
    }
    return told.say(done.get(after, _("{who} changed the state of the study")), fresh)


@says(EventKind.ASSIGNED)
def _assigned(told: Told) -> str:
    return assignment_sentence(told)


def assignment_sentence(told: Told) -> str:
    """Who assigned how many places, and how; for the event log and the page that offers to undo it."""
    number = told.number("assignments")
    places = (
        _("places") if number is None else filled(_("{number, plural, one {# place} other {# places}}"), number=number)
    )
    expert = told.data.get("expert")
    act = told.text("act")
    if isinstance(expert, int) and act == "move":
        return told.say(_("{who} moved {places} to expert {expert}"), places=places, expert=expert)
    if isinstance(expert, int) and act not in {"take_back", "share", "upload", "undo"}:
        return told.say(_("{who} assigned {places} to expert {expert}"), places=places, expert=expert)
    acts = {
        "take_back": _("{who} unassigned {places}"),
        "move": _("{who} moved {places}"),
        "share": _("{who} assigned {places} to several experts at once"),
        "upload": _("{who} assigned {places} from a list"),
        "undo": _("{who} undid a change of {places}"),
    }
    return told.say(acts.get(act, _("{who} assigned {places}")), places=places)


@says(EventKind.REPORTED)
def _reported(told: Told) -> str:
    reason = REASONS.get(told.text("reason"), "")
    message = _("{who} reported a text and skipped it") if told.data.get("skipped") else _("{who} reported a text")
    return told.say(message, translation.gettext(reason) if reason else "")


@says(EventKind.REPORT_DISMISSED)
def _dismissed(told: Told) -> str:
    return told.say(_("{who} reviewed a report and kept the text"))


@says(EventKind.TEXT_WITHDRAWN)
def _withdrawn(told: Told) -> str:
    return told.say(_("{who} withdrew the text {text}: it identifies a person"), text=told.text("instance"))


@says(EventKind.TEXT_SHOWN_AGAIN)
def _shown(told: Told) -> str:
    return told.say(_("{who} restored the withdrawn text {text}"), text=told.text("instance"))


@says(EventKind.SIMULATED)
def _simulated(told: Told) -> str:
    if told.number("responses") is None:
        return told.say(_("{who} simulated answers"))
    return told.say(
        _("{who} simulated {answers, plural, one {# answer} other {# answers}}"), answers=told.number("responses")
    )


@says(EventKind.RESPONSES_IMPORTED)
def _responses(told: Told) -> str:
    answers = told.counted("responses", _("{number, plural, one {# answer} other {# answers}}"))
    return told.say(_("{who} restored the study from an export"), answers)


@says(EventKind.UNBLINDED_VIEW)
def _looked(told: Told) -> str:
    return told.say(_("{who} viewed unblinded data before the study closed"), readable(told.text("what")))


@says(EventKind.EXPORTED)
def _exported(told: Told) -> str:
    filters = told.data.get("filters")
    names = isinstance(filters, dict) and filters.get("identified") is True
    message = _("{who} downloaded an export") if told.data.get("taken") else _("{who} exported answers")
    values: dict[str, object] = {}
    if told.text("what") == "votes":
        message = _("{who} exported votes")
        if told.number("votes") is not None:
            message = _("{who} exported {votes, plural, one {# vote} other {# votes}}")
            values = {"votes": told.number("votes")}
    elif "texts" in told.data:
        message = _("{who} exported a document with texts") if told.data["texts"] else _("{who} exported a document")
    details = [readable(told.text("format")), _("with names and e-mail addresses") if names else ""]
    return told.say(message, with_commas(details), **values)


@says(EventKind.ANALYSED)
def _analysed(told: Told) -> str:
    return told.say(_("{who} started an analysis"), readable(told.text("analysis")))


@says(EventKind.TRAINED)
def _trained(told: Told) -> str:
    acts = {
        "prepared": _("{who} prepared a training of systems"),
        "started": _("{who} started a training of systems"),
        "stopped": _("{who} stopped a training of systems"),
        "resumed": _("{who} resumed a training of systems"),
    }
    return told.say(acts.get(told.text("act"), _("{who} trained systems")), told.listed("methods"))


@says(EventKind.ANALYSES_PLANNED)
def _plan(told: Told) -> str:
    return told.say(_("{who} changed the analysis plan"), told.listed("analyses"))


@says(EventKind.PLAN_STAMPED)
def _stamped(told: Told) -> str:
    return told.say(
        _("The analysis plan was fixed"),
        told.counted("analyses", _("{number, plural, one {# analysis} other {# analyses}}")),
    )


@says(EventKind.ERASED)
def _erased(told: Told) -> str:
    known = {
        "person": _("{who} erased everything that names a person"),
        "text": _("{who} erased a text"),
        "study": _("{who} erased a study with everything in it"),
        "dataset": _("{who} erased a dataset with everything in it"),
    }
    answers = _("their answers too") if told.text("what") == "person" and told.data.get("with_answers") else ""
    return told.say(known.get(told.text("what"), _("{who} erased something")), answers)


@says(EventKind.IDENTITIES_DUE)
def _due(told: Told) -> str:
    return filled(
        _(
            "On {day} the names and addresses of {people, plural, one {# expert} other {# experts}} will be erased; "
            "their answers stay under their numbers"
        ),
        day=told.text("day"),
        people=told.number("people") or 0,
    )


@says(EventKind.DELETED)
def _deleted(told: Told) -> str:
    if told.text("what") == "predictions":
        return told.say(_("{who} deleted predictions"), told.listed("systems"))
    if not told.subject:
        return told.say(_("{who} deleted something"))
    return told.say(_("{who} deleted {what}"), what=told.subject)
