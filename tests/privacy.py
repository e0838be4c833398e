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
