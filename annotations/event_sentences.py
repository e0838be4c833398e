"""The event log in sentences: one function an act, which says who did what in the words of the pages.

A sentence is made of what an event holds (counts, names of settings), so no text, answer or secret can get in.
Events of earlier versions may lack something, and are told without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from annotations.models import Event, EventKind

NOBODY = "The server"
"""Who did what no signed-in person did: a command, or the app itself."""
CODES = {
    "csv": "CSV",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "report_html": "report (HTML)",
    "report_pdf": "report (PDF)",
    "report_latex": "report (LaTeX)",
    "report_docx": "report (Word)",
    "plan": "the plan",
    "assignments": "the assignments",
    "comparisons": "the comparisons",
    "responses": "the answers",
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

    def counted(self, name: str, one: str, many: str = "") -> str:
        """As "3 experts"; empty where it is not known."""
        number = self.number(name)
        return "" if number is None else f"{number:,} {one if number == 1 else many or one + 's'}"

    def listed(self, name: str) -> str:
        """The names in a list, as far as somebody reads them."""
        value = self.data.get(name)
        names = [readable(one) for one in value] if isinstance(value, list | dict) else []
        left = len(names) - MOST_NAMED
        return ", ".join(names[:MOST_NAMED]) + (f" and {left} more" if left > 0 else "")

    def whom(self) -> str:
        """The person whom the act is about: by e-mail address or by number."""
        known = (self.data.get(name) for name in ("number", "expert", "member"))
        number = next((one for one in known if isinstance(one, int)), None)
        return self.text("email") or ("somebody" if number is None else f"person {number}")


Sentence = Callable[[Told], str]
SENTENCES: dict[str, Sentence] = {}


def sentence_of(event: Event) -> str:
    """Who did what, in one sentence with a full stop."""
    person = event.actor.name or event.actor.email if event.actor else event.actor_email
    told = Told(person or NOBODY, event.subject, event.data if isinstance(event.data, dict) else {})
    known = SENTENCES.get(event.kind)
    said = known(told) if known else f"{told.who}: {event.get_kind_display()}"
    return " ".join(said.split()) + "."


def says(kind: EventKind) -> Callable[[Sentence], Sentence]:
    """The decorator that makes a function the sentence of an act."""

    def add(sentence: Sentence) -> Sentence:
        SENTENCES[kind] = sentence
        return sentence

    return add


def readable(code: object) -> str:
    """A code as words.

    >>> readable("instances_per_system"), readable("csv"), readable("export as csv")
    ('instances per system', 'CSV', 'export as CSV')
    """
    words = str(code)
    if words in CODES:
        return CODES[words]
    return " ".join(CODES.get(word, word) if word in {"csv", "jsonl", "parquet"} else word for word in _spaced(words))


def _spaced(words: str) -> Iterable[str]:
    return words.replace("_", " ").split()


def _after(text: str, mark: str = ": ") -> str:
    """Something more, where there is something."""
    return f"{mark}{text}" if text else ""


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


@says(EventKind.IMPORTED)
def _imported(told: Told) -> str:
    held = _joined(
        told.counted("instances", "text"),
        told.counted("labels", "label"),
        told.counted("annotations", "annotation") if told.number("annotations") else "",
        told.counted("votes", "vote") if told.number("votes") else "",
    )
    if told.text("what") == "predictions":
        return f"{told.who} imported the predictions of {told.counted('systems', 'system') or 'systems'}" + _after(
            told.listed("systems")
        )
    return f"{told.who} imported the dataset {told.subject}" + _after(held)


@says(EventKind.REPLACED)
def _replaced(told: Told) -> str:
    what = "predictions" if told.text("what") == "predictions" else "a dataset"
    return f"{told.who} imported {what} again, in place of what nothing used" + _after(told.listed("systems"))


@says(EventKind.STUDY_CREATED)
def _created(told: Told) -> str:
    return f"{told.who} began the study"


@says(EventKind.SETTINGS_CHANGED)
def _settings(told: Told) -> str:
    return f"{told.who} changed settings of the study" + _after(told.listed("settings"))


@says(EventKind.DATASET_CHANGED)
def _dataset(told: Told) -> str:
    if told.text("what") == "label":
        return f"{told.who} changed what the label “{told.text('label')}” is shown as" + _after(
            told.text("display_name") and f"“{told.text('display_name')}”"
        )
    if told.text("what") == "search_words":
        return f"{told.who} changed the words by which experts find the label “{told.text('label')}”"
    return f"{told.who} gave the dataset another title" + _after(told.text("after") and f"“{told.text('after')}”")


@says(EventKind.PLANNED)
def _planned(told: Told) -> str:
    return f"{told.who} planned the study" + _after(
        _joined(
            told.counted("comparisons", "comparison"),
            f"{told.counted('experts_per_comparison', 'expert')} each" if told.number("experts_per_comparison") else "",
        )
    )


@says(EventKind.PLACES_ADDED)
def _places(told: Told) -> str:
    return f"{told.who} added {told.counted('places', 'place') or 'places'} for experts"


@says(EventKind.SYSTEM_PAUSED)
def _paused(told: Told) -> str:
    return f"{told.who} paused the system {told.text('system')}: its free places are not handed out"


@says(EventKind.SYSTEM_RESUMED)
def _resumed(told: Told) -> str:
    return f"{told.who} resumed the system {told.text('system')}"


@says(EventKind.ARCHIVED)
def _archived(told: Told) -> str:
    return f"{told.who} archived {told.subject or 'it'}"


@says(EventKind.UNARCHIVED)
def _unarchived(told: Told) -> str:
    return f"{told.who} took {told.subject or 'it'} back from the archive"


@says(EventKind.SIDES_COMMITTED)
def _sides(told: Told) -> str:
    phase = "pilot" if told.text("phase") == "pilot" else "study"
    return f"The key that draws the sides of the {phase} was made, and its SHA-256 was written down"


@says(EventKind.MEMBER_ADDED)
def _member(told: Told) -> str:
    role = _article(told.text("role"))
    return f"{told.who} added {told.whom()} to the study" + (f" as {role}" if role else "")


@says(EventKind.ROLE_CHANGED)
def _role(told: Told) -> str:
    role = _article(told.text("after") or told.text("role"))
    return f"{told.who} changed the role of {told.whom()} in the study" + (f": now {role}" if role else "")


@says(EventKind.MEMBER_LEFT)
def _left(told: Told) -> str:
    left_out = told.data.get("answers_left_out")
    answers = "" if left_out is None else "their answers are left out" if left_out else "their answers stay"
    if told.data.get("themselves"):
        return f"{told.who} left the study{_after(answers)}"
    return f"{told.who} took {told.whom()} out of the study{_after(answers)}"


@says(EventKind.MEMBER_RETURNED)
def _returned(told: Told) -> str:
    return f"{told.who} let {told.whom()} back into the study"


@says(EventKind.PROFILE_CHANGED)
def _profile(told: Told) -> str:
    return f"{told.who} answered the study's questions about themselves"


@says(EventKind.INVITED)
def _invited(told: Told) -> str:
    if told.text("purpose") == "access":
        return f"{told.who} made a link with which {told.whom()} can choose a new password"
    role = _article(told.text("role"))
    return f"{told.who} invited {told.whom()}" + (f" as {role}" if role else "")


@says(EventKind.REMINDED)
def _reminded(told: Told) -> str:
    return f"{told.who} reminded {told.counted('people', 'person', 'people') or told.whom()}"


@says(EventKind.TOLD)
def _news(told: Told) -> str:
    people = told.counted("people", "person", "people") if told.number("people") else ""
    whom = " and ".join(one for one in (people, "the webhook" if told.data.get("webhook") else "") if one)
    kind = _article(readable(told.text("failed")))
    what = f"{kind or 'something'} failed" if told.text("what") == "failed" else "all answers are there"
    return f"{told.who} told {whom or 'people'} that {what}"


@says(EventKind.MAIL_FAILED)
def _mail(told: Told) -> str:
    return f"A mail to {told.whom()} could not be sent"


@says(EventKind.INVITATION_REVOKED)
def _revoked(told: Told) -> str:
    return f"{told.who} took back the invitation of {told.whom()}"


@says(EventKind.INVITATION_ACCEPTED)
def _accepted(told: Told) -> str:
    return f"{told.who} accepted the invitation"


@says(EventKind.CONSENTED)
def _consented(told: Told) -> str:
    return f"{told.who} agreed to the consent form"


@says(EventKind.ROLES_CHANGED)
def _roles(told: Told) -> str:
    return f"{told.who} changed what a person may do on this installation"


@says(EventKind.PASSWORD_CHANGED)
def _password(told: Told) -> str:
    return f"{told.who} changed their password"


@says(EventKind.ACCOUNT_CLOSED)
def _closed(told: Told) -> str:
    return f"{told.who} closed an account: nobody can sign in with it"


@says(EventKind.ACCOUNT_REOPENED)
def _reopened(told: Told) -> str:
    return f"{told.who} opened a closed account again"


@says(EventKind.ACCESS_RENEWED)
def _access(told: Told) -> str:
    return f"{told.who} chose a new password with a link"


@says(EventKind.STEPPED_IN)
def _stepped_in(told: Told) -> str:
    return f"Somebody at this computer stepped into the demo as {told.who}"


@says(EventKind.TOKEN_MADE)
def _token(told: Told) -> str:
    return f"{told.who} made an API token" + _after(told.counted("days", "day"), " that works for ")


@says(EventKind.TOKEN_REVOKED)
def _untoken(told: Told) -> str:
    return f"{told.who} revoked an API token"


@says(EventKind.STATE_CHANGED)
def _state(told: Told) -> str:
    done = {"pilot": "started the pilot", "open": "opened the study", "paused": "paused the study"}
    after = told.text("after")
    if after == "open" and told.text("before") == "paused":
        return f"{told.who} opened the study again"
    fresh = told.counted("fresh_places", "fresh place")
    if after == "closed":
        return f"{told.who} closed the study for good"
    return f"{told.who} {done.get(after, 'changed the state of the study')}" + _after(
        fresh and f"{fresh} in the stead of what the pilot used"
    )


@says(EventKind.ASSIGNED)
def _assigned(told: Told) -> str:
    acts = {
        "take_back": "took back",
        "move": "moved",
        "share": "shared out",
        "upload": "gave by a list",
        "undo": "undid the change of",
    }
    places = told.counted("assignments", "place") or "places"
    expert = told.data.get("expert")
    whom = f" to expert {expert}" if isinstance(expert, int) else ""
    return f"{told.who} {acts.get(told.text('act'), 'gave')} {places}{whom}"


@says(EventKind.REPORTED)
def _reported(told: Told) -> str:
    reasons = {
        "unreadable": "it cannot be read",
        "distressing": "it is distressing",
        "identifies_person": "it identifies a person",
    }
    skipped = ", and skipped it" if told.data.get("skipped") else ""
    return f"{told.who} reported a text{_after(reasons.get(told.text('reason'), ''))}{skipped}"


@says(EventKind.REPORT_DISMISSED)
def _dismissed(told: Told) -> str:
    return f"{told.who} looked at a report: the text stays"


@says(EventKind.TEXT_WITHDRAWN)
def _withdrawn(told: Told) -> str:
    return f"{told.who} withdrew the text {told.text('instance')}: it identifies a person"


@says(EventKind.TEXT_SHOWN_AGAIN)
def _shown(told: Told) -> str:
    return f"{told.who} let the withdrawn text {told.text('instance')} be shown again"


@says(EventKind.SIMULATED)
def _simulated(told: Told) -> str:
    return f"{told.who} had {told.counted('responses', 'answer') or 'answers'} simulated"


@says(EventKind.RESPONSES_IMPORTED)
def _responses(told: Told) -> str:
    return f"{told.who} restored the study from an export" + _after(told.counted("responses", "answer"))


@says(EventKind.UNBLINDED_VIEW)
def _looked(told: Told) -> str:
    return f"{told.who} looked at unblinded data before the study closed" + _after(
        readable(told.text("what")) if told.text("what") else ""
    )


@says(EventKind.EXPORTED)
def _exported(told: Told) -> str:
    filters = told.data.get("filters")
    names = isinstance(filters, dict) and filters.get("identified") is True
    verb = "took a file" if told.data.get("taken") else "exported answers"
    if told.text("what") == "votes":
        verb = f"exported {told.counted('votes', 'vote') or 'votes'}"
    elif "texts" in told.data:
        verb = "took out a document" + (" with texts" if told.data["texts"] else "")
    kind = readable(told.text("format"))
    return f"{told.who} {verb}{_after(kind)}" + (", with names and e-mail addresses" if names else "")


@says(EventKind.ANALYSED)
def _analysed(told: Told) -> str:
    return f"{told.who} started an analysis" + _after(readable(told.text("analysis")))


@says(EventKind.ANALYSES_PLANNED)
def _plan(told: Told) -> str:
    return f"{told.who} changed the analysis plan" + _after(told.listed("analyses"))


@says(EventKind.PLAN_STAMPED)
def _stamped(told: Told) -> str:
    return "The analysis plan was fixed" + _after(told.counted("analyses", "analysis", "analyses"))


@says(EventKind.DELETED)
def _deleted(told: Told) -> str:
    if told.text("what") == "predictions":
        return f"{told.who} deleted predictions" + _after(told.listed("systems"))
    return f"{told.who} deleted {told.subject or 'something'}"


def _article(role: str) -> str:
    """As "an expert"; empty for no role.

    >>> _article("expert"), _article("researcher"), _article("")
    ('an expert', 'a researcher', '')
    """
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}" if role else ""
