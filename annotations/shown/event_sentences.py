"""The event log in sentences: one for each kind of act, which says who did what in the pages' words.

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
PLAIN = {
    EventKind.STUDY_CREATED: gettext_noop("{who} created the study"),
    EventKind.PROFILE_CHANGED: gettext_noop("{who} answered the study's questions about themselves"),
    EventKind.INVITATION_ACCEPTED: gettext_noop("{who} accepted the invitation"),
    EventKind.CONSENTED: gettext_noop("{who} agreed to take part"),
    EventKind.ROLES_CHANGED: gettext_noop("{who} changed a person's permissions on this server"),
    EventKind.PASSWORD_CHANGED: gettext_noop("{who} changed their password"),
    EventKind.ACCOUNT_CLOSED: gettext_noop("{who} closed an account, which can no longer sign in"),
    EventKind.ACCOUNT_REOPENED: gettext_noop("{who} reopened an account"),
    EventKind.ACCESS_RENEWED: gettext_noop("{who} chose a new password with a link"),
    EventKind.BREAK_IN: gettext_noop(
        "{who} reported that somebody else was in their account; everything that opened it has ended"
    ),
    EventKind.SIGNED_OUT: gettext_noop("{who} signed out"),
    EventKind.SECOND_FACTOR_ON: gettext_noop("{who} turned on a second factor"),
    EventKind.SECOND_FACTOR_OFF: gettext_noop("{who} turned off a second factor"),
    EventKind.PASSKEY_ADDED: gettext_noop("{who} added a passkey"),
    EventKind.PASSKEY_REMOVED: gettext_noop("{who} removed a passkey"),
    EventKind.RECOVERY_CODES_MADE: gettext_noop("{who} made new recovery codes"),
    EventKind.RECOVERY_CODE_USED: gettext_noop("{who} signed in with a recovery code"),
    EventKind.PROVIDER_CONNECTED: gettext_noop("{who} connected their account to the sign-in provider"),
    EventKind.PROVIDER_DISCONNECTED: gettext_noop("{who} disconnected their account from the sign-in provider"),
    EventKind.STEPPED_IN: gettext_noop("Somebody at this computer stepped into the demo as {who}"),
    EventKind.TOKEN_REVOKED: gettext_noop("{who} revoked an API token"),
    EventKind.REPORT_DISMISSED: gettext_noop("{who} reviewed a report and kept the text"),
    EventKind.SETTINGS_CHANGED: gettext_noop("{who} changed settings of the study"),
    EventKind.ANALYSES_PLANNED: gettext_noop("{who} changed the analysis plan"),
    EventKind.SYSTEM_PAUSED: gettext_noop("{who} paused the system {system}: its free places are not assigned for now"),
    EventKind.SYSTEM_RESUMED: gettext_noop("{who} resumed the system {system}"),
    EventKind.MAIL_FAILED: gettext_noop("An e-mail to {person} could not be sent"),
    EventKind.INVITATION_REVOKED: gettext_noop("{who} revoked the invitation of {person}"),
    EventKind.TEXT_WITHDRAWN: gettext_noop("{who} withdrew the text {text}: it identifies a person"),
    EventKind.TEXT_SHOWN_AGAIN: gettext_noop("{who} restored the withdrawn text {text}"),
}
"""Kinds of acts whose sentence is always the same, but for whom and what it is about."""
LISTS = {EventKind.SETTINGS_CHANGED: "settings", EventKind.ANALYSES_PLANNED: "analyses"}
"""What some of these sentences end with: the names in this list of the event."""
COUNTED = {
    EventKind.PLACES_ADDED: (
        "places",
        gettext_noop("{who} added {places, plural, one {# place} other {# places}} for experts"),
        gettext_noop("{who} added places for experts"),
    ),
    EventKind.REMINDED: (
        "people",
        gettext_noop("{who} sent a reminder to {people, plural, one {# person} other {# people}}"),
        gettext_noop("{who} sent a reminder to {person}"),
    ),
    EventKind.SIGN_IN_FAILED: (
        "person",
        gettext_noop("Somebody tried to sign in to account {number} with a wrong password"),
        gettext_noop("Somebody tried to sign in with an address that has no account"),
    ),
    EventKind.LOCKED_OUT: (
        "person",
        gettext_noop("Sign-in to account {number} was paused after too many failed attempts"),
        gettext_noop("Sign-in was paused after too many failed attempts"),
    ),
    EventKind.SECOND_STEP_FAILED: (
        "person",
        gettext_noop("Somebody gave a wrong code or passkey when signing in to account {number}"),
        gettext_noop("Somebody gave a wrong code or passkey when signing in"),
    ),
    EventKind.TOKEN_MADE: (
        "days",
        gettext_noop("{who} created an API token, valid for {days, plural, one {# day} other {# days}}"),
        gettext_noop("{who} created an API token"),
    ),
}
"""Kinds of acts whose sentence tells a number: its name in the event, the sentence, and the one without the number."""
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Act:
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
        names = [readable(item) for item in value] if isinstance(value, list | dict) else []
        others = len(names) - MOST_NAMED
        shown = with_commas(names[:MOST_NAMED])
        return filled(_("{names} and {number} more"), names=shown, number=others) if others > 0 else shown

    def whom(self) -> str:
        """The person the act is about, by e-mail address or number."""
        numbers = (self.data.get(name) for name in ("number", "expert", "member"))
        number = next((number for number in numbers if isinstance(number, int)), None)
        if self.text("email") or number is None:
            return self.text("email") or _("somebody")
        return _("person {number}").format(number=number)

    def say(self, message: str, detail: str = "", **values: object) -> str:
        """A message about `who`, followed by a colon and any detail."""
        sentence = filled(message, who=self.who, **values)
        return f"{sentence}: {detail}" if detail else sentence


Sentence = Callable[[Act], str]
SENTENCES: dict[str, Sentence] = {}


def sentence_of(event: Event, people: ShownPeople) -> str:
    """Who did what, in one sentence with a full stop, in the reader's language, who sees people like this."""
    person = people.name(event.known_actor) or (_("A former account") if event.actor_id else "")
    data = people.data(event.data) if isinstance(event.data, dict) else {}
    act = Act(person or translation.gettext(NOBODY), event.subject, data)
    about = {"person": act.whom(), "system": act.text("system"), "text": act.text("instance")}
    if event.kind in PLAIN:
        kind = EventKind(event.kind)
        sentence = act.say(translation.gettext(PLAIN[kind]), act.listed(LISTS.get(kind, "")), **about)
    elif event.kind in COUNTED:
        name, with_number, without = COUNTED[EventKind(event.kind)]
        number = act.number(name)
        values = about if number is None else {name: number, "number": number}
        sentence = act.say(translation.gettext(without if number is None else with_number), **values)
    else:
        worded = SENTENCES.get(event.kind)
        sentence = worded(act) if worded else f"{act.who}: {event.get_kind_display()}"
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
def _imported(act: Act) -> str:
    if act.text("what") == "predictions":
        if act.number("systems") is None:
            return act.say(_("{who} imported predictions"))
        return act.say(
            _("{who} imported the predictions of {systems, plural, one {# system} other {# systems}}"),
            act.listed("systems"),
            systems=act.number("systems"),
        )
    counts = [
        act.counted("instances", _("{number, plural, one {# text} other {# texts}}")),
        act.counted("labels", _("{number, plural, one {# label} other {# labels}}")),
        act.counted("annotations", _("{number, plural, one {# annotation} other {# annotations}}"))
        if act.number("annotations")
        else "",
        act.counted("votes", _("{number, plural, one {# vote} other {# votes}}")) if act.number("votes") else "",
    ]
    return act.say(_("{who} imported the dataset {dataset}"), with_commas(counts), dataset=act.subject)


@says(EventKind.REPLACED)
def _replaced(act: Act) -> str:
    if act.text("what") == "predictions":
        return act.say(_("{who} imported predictions again and replaced the unused ones"), act.listed("systems"))
    return act.say(_("{who} imported a dataset again and replaced the unused one"), act.listed("systems"))


@says(EventKind.DATASET_CHANGED)
def _dataset(act: Act) -> str:
    if act.text("what") == "label":
        return act.say(
            _("{who} changed how the label “{label}” is displayed"),
            _quoted(act.text("display_name")),
            label=act.text("label"),
        )
    if act.text("what") == "search_words":
        return act.say(_("{who} changed the search words of the label “{label}”"), label=act.text("label"))
    return act.say(_("{who} changed the title of the dataset"), _quoted(act.text("after")))


@says(EventKind.PLANNED)
def _planned(act: Act) -> str:
    counts = [
        act.counted("comparisons", _("{number, plural, one {# comparison} other {# comparisons}}")),
        act.counted("experts_per_comparison", _("{number, plural, one {# expert} other {# experts}} each"))
        if act.number("experts_per_comparison")
        else "",
    ]
    return act.say(_("{who} planned the study"), with_commas(counts))


@says(EventKind.ARCHIVED)
def _archived(act: Act) -> str:
    if not act.subject:
        return act.say(_("{who} archived the study"))
    return act.say(_("{who} archived {study}"), study=act.subject)


@says(EventKind.UNARCHIVED)
def _unarchived(act: Act) -> str:
    if not act.subject:
        return act.say(_("{who} restored the study from the archive"))
    return act.say(_("{who} restored {study} from the archive"), study=act.subject)


@says(EventKind.SIDES_COMMITTED)
def _sides(act: Act) -> str:
    if act.text("phase") == "pilot":
        return _("The secret key that assigns sides A and B in the pilot was created, and its SHA-256 was recorded")
    return _("The secret key that assigns sides A and B in the study was created, and its SHA-256 was recorded")


@says(EventKind.MEMBER_ADDED)
def _member(act: Act) -> str:
    role = AS_ROLE.get(act.text("role"))
    if act.data.get("pending") and role is not None:
        return act.say(
            _("{who} asked {person} to take part in the study {as_role}"),
            person=act.whom(),
            as_role=translation.gettext(role),
        )
    if role is None:
        return act.say(_("{who} added {person} to the study"), person=act.whom())
    return act.say(
        _("{who} added {person} to the study {as_role}"), person=act.whom(), as_role=translation.gettext(role)
    )


@says(EventKind.ROLE_CHANGED)
def _role(act: Act) -> str:
    role = ROLES.get(act.text("after") or act.text("role"))
    detail = _("now {role}").format(role=translation.gettext(role)) if role else ""
    return act.say(_("{who} changed the role of {person} in the study"), detail, person=act.whom())


@says(EventKind.MEMBER_LEFT)
def _left(act: Act) -> str:
    left_out = act.data.get("answers_left_out")
    answers = ""
    if left_out is not None:
        answers = _("their answers are excluded from results") if left_out else _("their answers stay in the study")
    if act.data.get("pending"):
        if act.data.get("themselves"):
            return act.say(_("{who} declined to take part in the study"))
        return act.say(_("{who} took back the request to {person} to take part in the study"), person=act.whom())
    if act.data.get("themselves"):
        return act.say(_("{who} left the study"), answers)
    return act.say(_("{who} removed {person} from the study"), answers, person=act.whom())


@says(EventKind.MEMBER_RETURNED)
def _returned(act: Act) -> str:
    if act.data.get("accepted"):
        return act.say(_("{who} agreed to take part in the study"))
    if act.data.get("pending"):
        return act.say(_("{who} asked {person} to come back to the study"), person=act.whom())
    return act.say(_("{who} added {person} to the study again"), person=act.whom())


@says(EventKind.INVITED)
def _invited(act: Act) -> str:
    if act.text("purpose") == "access":
        return act.say(_("{who} created a link for {person} to choose a new password"), person=act.whom())
    role = AS_ROLE.get(act.text("role"))
    if role is None:
        return act.say(_("{who} invited {person}"), person=act.whom())
    return act.say(_("{who} invited {person} {as_role}"), person=act.whom(), as_role=translation.gettext(role))


@says(EventKind.TOLD)
def _news(act: Act) -> str:
    people = _("{number, plural, one {# person} other {# people}}")
    people = act.counted("people", people) if act.number("people") else ""
    webhook = _("the webhook") if act.data.get("webhook") else ""
    whom = with_and([part for part in (people, webhook) if part]) or _("people")
    news = {"identities": _("names will be erased soon"), "failed": _failed(act.text("failed"))}
    detail = news.get(act.text("what"), _("all answers have been collected"))
    return act.say(_("{who} notified {whom}"), detail, whom=whom)


def _failed(kind: str) -> str:
    jobs = {"import": _("an import failed"), "export": _("an export failed"), "analysis": _("an analysis failed")}
    return jobs.get(kind, _("a job failed"))


@says(EventKind.SIGNED_IN)
def _signed_in(act: Act) -> str:
    if act.data.get("known_device") is False:
        return act.say(_("{who} signed in on a device that had not been used before"))
    return act.say(_("{who} signed in"))


@says(EventKind.SESSIONS_ENDED)
def _sessions_ended(act: Act) -> str:
    browsers, account = act.number("browsers"), act.text("person")
    if act.data.get("themselves") is not False or not account:
        if browsers is None:
            return act.say(_("{who} signed out of other browsers"))
        return act.say(
            _("{who} signed out of {browsers, plural, one {# other browser} other {# other browsers}}"),
            browsers=browsers,
        )
    return act.say(
        _("{who} signed account {account} out of {browsers, plural, one {# browser} other {# browsers}}"),
        account=account,
        browsers=browsers or 0,
    )


@says(EventKind.STATE_CHANGED)
def _state(act: Act) -> str:
    after = act.text("after")
    if after == "open" and act.text("before") == "paused":
        return act.say(_("{who} reopened the study"))
    fresh = act.counted(
        "fresh_places",
        _("{number, plural, one {# new place replaces one} other {# new places replace those}} used in the pilot"),
    )
    if after == "closed":
        return act.say(_("{who} closed the study"))
    done = {
        "pilot": _("{who} started the pilot"),
        "open": _("{who} opened the study"),
        "paused": _("{who} paused the study"),
    }
    return act.say(done.get(after, _("{who} changed the state of the study")), fresh)


@says(EventKind.ASSIGNED)
def assignment_sentence(act: Act) -> str:
    """Who assigned how many places, and how; for the event log and the page that offers to undo it."""
    number = act.number("assignments")
    places = (
        _("places") if number is None else filled(_("{number, plural, one {# place} other {# places}}"), number=number)
    )
    expert = act.data.get("expert")
    way = act.text("act")
    if isinstance(expert, int) and way == "move":
        return act.say(_("{who} moved {places} to expert {expert}"), places=places, expert=expert)
    if isinstance(expert, int) and way not in {"take_back", "share", "upload", "undo"}:
        return act.say(_("{who} assigned {places} to expert {expert}"), places=places, expert=expert)
    acts = {
        "take_back": _("{who} unassigned {places}"),
        "move": _("{who} moved {places}"),
        "share": _("{who} assigned {places} to several experts at once"),
        "upload": _("{who} assigned {places} from a list"),
        "undo": _("{who} undid a change of {places}"),
    }
    return act.say(acts.get(way, _("{who} assigned {places}")), places=places)


@says(EventKind.REPORTED)
def _reported(act: Act) -> str:
    reason = REASONS.get(act.text("reason"), "")
    message = _("{who} reported a text and skipped it") if act.data.get("skipped") else _("{who} reported a text")
    return act.say(message, translation.gettext(reason) if reason else "")


@says(EventKind.SIMULATED)
def _simulated(act: Act) -> str:
    if act.number("responses") is None:
        return act.say(_("{who} simulated answers"))
    return act.say(
        _("{who} simulated {answers, plural, one {# answer} other {# answers}}"), answers=act.number("responses")
    )


@says(EventKind.RESPONSES_IMPORTED)
def _responses(act: Act) -> str:
    answers = act.counted("responses", _("{number, plural, one {# answer} other {# answers}}"))
    return act.say(_("{who} restored the study from an export"), answers)


@says(EventKind.UNBLINDED_VIEW)
def _looked(act: Act) -> str:
    return act.say(_("{who} viewed unblinded data before the study closed"), readable(act.text("what")))


@says(EventKind.EXPORTED)
def _exported(act: Act) -> str:
    filters = act.data.get("filters")
    names = isinstance(filters, dict) and filters.get("identified") is True
    message = _("{who} downloaded an export") if act.data.get("taken") else _("{who} exported answers")
    values: dict[str, object] = {}
    if act.text("what") == "votes":
        message = _("{who} exported votes")
        if act.number("votes") is not None:
            message = _("{who} exported {votes, plural, one {# vote} other {# votes}}")
            values = {"votes": act.number("votes")}
    elif "texts" in act.data:
        message = _("{who} exported a document with texts") if act.data["texts"] else _("{who} exported a document")
    details = [readable(act.text("format")), _("with names and e-mail addresses") if names else ""]
    return act.say(message, with_commas(details), **values)


@says(EventKind.ANALYSED)
def _analysed(act: Act) -> str:
    return act.say(_("{who} started an analysis"), readable(act.text("analysis")))


@says(EventKind.TRAINED)
def _trained(act: Act) -> str:
    acts = {
        "prepared": _("{who} prepared a training of systems"),
        "started": _("{who} started a training of systems"),
        "stopped": _("{who} stopped a training of systems"),
        "resumed": _("{who} resumed a training of systems"),
    }
    return act.say(acts.get(act.text("act"), _("{who} trained systems")), act.listed("methods"))


@says(EventKind.PLAN_STAMPED)
def _stamped(act: Act) -> str:
    return act.say(
        _("The analysis plan was fixed"),
        act.counted("analyses", _("{number, plural, one {# analysis} other {# analyses}}")),
    )


@says(EventKind.ERASED)
def _erased(act: Act) -> str:
    acts = {
        "person": _("{who} erased everything that names a person"),
        "text": _("{who} erased a text"),
        "study": _("{who} erased a study with everything in it"),
        "dataset": _("{who} erased a dataset with everything in it"),
    }
    answers = _("their answers too") if act.text("what") == "person" and act.data.get("with_answers") else ""
    return act.say(acts.get(act.text("what"), _("{who} erased something")), answers)


@says(EventKind.IDENTITIES_DUE)
def _due(act: Act) -> str:
    return filled(
        _(
            "On {day} the names and addresses of {people, plural, one {# expert} other {# experts}} will be erased; "
            "their answers stay under their numbers"
        ),
        day=act.text("day"),
        people=act.number("people") or 0,
    )


@says(EventKind.DELETED)
def _deleted(act: Act) -> str:
    if act.text("what") == "predictions":
        return act.say(_("{who} deleted predictions"), act.listed("systems"))
    if not act.subject:
        return act.say(_("{who} deleted something"))
    return act.say(_("{who} deleted {what}"), what=act.subject)
