"""What of a person who may receive over the API and in files: a part of docs/reference/permissions.md.

MATRIX is the one table. tests/annotations/api/test_privacy.py asks every operation, and for every file, as everybody.
"""

from __future__ import annotations

PEOPLE = {
    "oneself": "the person whom it is about",
    "expert": "another expert of the study",
    "former expert": "somebody who was an expert of the study and left",
    "former researcher": "somebody who was a researcher of the study and left",
    "researcher": "another researcher of the study",
    "admin": "admin of the study",
    "foreign admin": "admin of another study, on another dataset",
    "importer": "may import datasets, in no study",
    "stranger": "signed in, in no study",
    "root": "administers the server",
    "nobody": "not signed in",
}
ADMINS = frozenset({"admin", "root"})
UNBLINDED = ADMINS | {"researcher"}

MATRIX: dict[str, frozenset[str]] = {
    "address of an expert": ADMINS | {"oneself"},
    "name of an expert": UNBLINDED | {"oneself"},
    "what an expert said about themselves": UNBLINDED | {"oneself"},
    "an expert's words in a report": UNBLINDED,
    "address of a researcher": ADMINS | {"oneself"},
    "name of a researcher": UNBLINDED | {"oneself"},
    "a researcher's note on a report": UNBLINDED | {"oneself"},
    "address of an invited person": ADMINS,
    "name of an invited person": ADMINS,
    "browser and system of a session": frozenset({"oneself", "root"}),
    "name of an API token": frozenset({"oneself"}),
    "name of a passkey": frozenset({"oneself"}),
    "name at the sign-in provider": frozenset(),
    "code of a dataset's annotator": UNBLINDED,
}
"""Who may receive each. Admins of the server receive it as admins of every study in which they are no expert."""

PLANTED = {
    "annotations.User": {"email", "address", "name"},
    "annotations.Membership": {"profile"},
    "annotations.Invitation": {"email", "address", "name"},
    "annotations.Report": {"text"},
    "annotations.ReportDecision": {"note"},
    "annotations.Session": {"device"},
    "annotations.ApiToken": {"name"},
    "annotations.Passkey": {"name"},
    "annotations.Identity": {"subject"},
    "annotations.HumanAnnotation": {"annotator"},
}
"""Whatever is personal and a text, as annotations/erasing/holdings.py says, is among the fields ..."""
NOT_PLANTED = {
    "annotations.User": {"language"},  # shared by many
    "annotations.Identity": {"issuer"},  # the server's provider
    "annotations.Annotator": {"code", "about"},  # of the files, as a HumanAnnotation's annotator
    "annotations.Judge": {"code"},  # of the files, too
    "annotations.Letter": {"progress_message", "error", "error_detail"},  # of a job that no address shows
    "annotations.Notice": {"progress_message", "error", "error_detail"},
    "admin.LogEntry": {"object_repr", "change_message", "object_id"},  # of Django's admin pages
}
"""... or left out for a reason."""

NOTES = """\
Names and answers about oneself stand beside an expert's number in exports of the study; an expert's address is only in
an export that an admin asked for with names, which only admins can download. Where somebody who may not see addresses
would see that of a person without a name, they see the person's number."""


def section() -> list[str]:
    """The table, for the page."""
    return [
        "## What of a person who may receive",
        "",
        "In answers and in files alike; a test plants each of them and searches everything that everybody can get.",
        "",
        *(f"- **{who}**: {meaning}" for who, meaning in PEOPLE.items()),
        "",
        "| | " + " | ".join(PEOPLE) + " |",
        "|---" * (len(PEOPLE) + 1) + "|",
        *(
            f"| {field} | " + " | ".join("yes" if who in may else "no" for who in PEOPLE) + " |"
            for field, may in MATRIX.items()
        ),
        "",
        *NOTES.splitlines(),
        "",
    ]
