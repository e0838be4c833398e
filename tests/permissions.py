"""Who may do what over the API: `python -m tests.permissions > docs/reference/permissions.md` writes it down.

RULES is the one table. tests/annotations/api/test_every_permission.py asks every operation of the schema as everybody.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import django

from tests.privacy import section

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "permissions.md"

PEOPLE = {
    "nobody": "not signed in",
    "stranger": "signed in, in no study",
    "expert": "expert of the study",
    "former expert": "was expert of the study, and was removed",
    "foreign expert": "expert of another study",
    "researcher": "researcher of the study",
    "admin": "admin of the study",
    "foreign admin": "admin of another study, on another dataset",
    "importer": "may import datasets, in no study",
    "root": "administers the installation",
}
YES, HIDDEN, REFUSED, SIGN_IN = "yes", "404", "403", "401"
EVERYBODY = frozenset(PEOPLE)
SIGNED_IN = EVERYBODY - {"nobody"}
OF_THE_STUDY = frozenset({"researcher", "admin", "root"})
WORKING = OF_THE_STUDY | {"foreign admin", "importer"}

# The first line whose pattern fits METHOD and address says who may. Each: pattern, who may, who is told that it is for
# others (403). For everybody else it does not exist (404).
RULES: list[tuple[str, frozenset[str], frozenset[str]]] = [
    (
        r".* (session|session/(second-step|passkey|passkey/begin|provider|provider/answer)|invitations/(look|accept))/",
        EVERYBODY,
        frozenset(),
    ),
    # Only in a demo on one's own machine, where everybody is everybody (tests/annotations/api/people/test_demo.py).
    (r".* demo/.*", frozenset(), frozenset()),
    (r"POST (studies|study-setups|studies/\{slug\}/copy)/", frozenset({"root"}), frozenset()),
    (r".* (question-wordings|study-presets)/", WORKING, frozenset()),
    (r"POST markdown/", OF_THE_STUDY | {"foreign admin"}, frozenset()),
    (r".* (account|session/again)/.*", SIGNED_IN, frozenset()),
    (r".* (studies|former-studies|tokens|roles/offered)/", SIGNED_IN, frozenset()),
    (r"POST studies/\{slug\}/role/.*", frozenset({"importer"}), frozenset()),  # whom somebody asked; in the test, them
    (r".* tokens/\{id\}/revoke/", frozenset({"importer"}), frozenset()),  # the token in the test is the importer's
    (r".* import-formats/", frozenset({"importer", "root"}), frozenset()),
    (r".* imports/", frozenset({"importer", "root"}), frozenset()),
    (r".* imports/\{id\}/.*", frozenset({"importer", "root"}), frozenset()),  # the importer's
    (r".* (users|system|erasures)/.*", frozenset({"root"}), frozenset()),
    (r".* export-files/\{id\}/.*", OF_THE_STUDY, frozenset()),
    (r"POST studies/\{slug\}/more/", frozenset({"expert"}), frozenset()),
    (
        r"POST studies/\{slug\}/assignments/.*",
        frozenset({"admin", "root"}),
        frozenset({"researcher"}),
    ),
    (r".* studies/\{slug\}/assignments/.*", OF_THE_STUDY, frozenset()),
    (r"DELETE datasets/.*", frozenset({"root"}), frozenset({"researcher", "admin"})),
    (r".* (analyses|runs|datasets)/", WORKING, frozenset()),
    (r".* analyses/.*", WORKING, frozenset()),
    # Their own answers, to look at.
    (
        r"GET (studies/\{slug\}/answers|assignments/\{token\}/answer)/",
        frozenset({"expert", "former expert"}),
        frozenset(),
    ),
    (r".* assignments/.*", frozenset({"expert"}), frozenset()),
    (r".* studies/\{slug\}/(next|last|practised|guesses)/", frozenset({"expert"}), frozenset()),
    (r".* studies/\{slug\}/(leave|profile)/", frozenset({"expert"}), frozenset()),
    (r"GET studies/\{slug\}/members/", OF_THE_STUDY, frozenset()),
    (r"GET studies/\{slug\}/transition/", OF_THE_STUDY, frozenset()),
    (
        r".* studies/\{slug\}/(invitations|members|reminders)/.*",
        frozenset({"admin", "root"}),
        frozenset({"researcher"}),
    ),
    (
        r"DELETE studies/\{slug\}/|POST studies/\{slug\}/(places/|systems/.*|archive/|unarchive/)"
        r"|PUT studies/\{slug\}/retention/"
        r"|.* studies/\{slug\}/(transition/|reports/.*decisions/)",
        frozenset({"admin", "root"}),
        frozenset({"researcher"}),
    ),
    (r".* studies/\{slug\}/.*", OF_THE_STUDY, frozenset()),
    # Training is for those who may import and see the dataset; whoever sees the dataset sees how it goes.
    (r".* datasets/\{slug\}/trainings/.*|POST trainings/\{id\}/.*", frozenset({"root"}), frozenset()),
    (r"GET trainings/\{id\}/.*", OF_THE_STUDY, frozenset()),
    (r".* (datasets/\{slug\}|runs/\{id\}|documents/\{id\})/.*", OF_THE_STUDY, frozenset()),
]
# What needs a login: an API token of whoever may is told so.
LOGIN_ONLY = (
    r".* (tokens/|account/|session/again/|roles/|users/|erasures/|system/|"
    r"studies/\{slug\}/(role|invitations|reminders)/).*|"
    r"PATCH studies/\{slug\}/members/.*|.* studies/\{slug\}/members/\{number\}/access/"
)
# What gives lasting power: it takes a proof of who one is that is at most five minutes old.
RECENT = (
    r"POST (tokens|account/break-in|account/provider|account/provider/disconnect)/|"
    r"POST account/second-factor/(begin|recovery-codes|off|app/remove|passkeys/begin|passkeys/\{id\}/remove)/|"
    r"POST users/(invitations|invitations/\{id\}/replace|\{id\}/second-factor/reset)/|PATCH users/\{id\}/|"
    r"POST studies/\{slug\}/(invitations|invitations/(renew|\{id\}/replace)|members|members/\{number\}/access)/|"
    r"PATCH studies/\{slug\}/members/\{number\}/"
)
WHERE = "Please add a line to RULES in tests/permissions.py that says who may, then `python -m tests.permissions`."


def operations() -> Iterator[tuple[str, str]]:
    """Method and address (from behind /api/v1/ on) of every operation of the schema."""
    from annotations.api.schema import api_schema

    for address, item in api_schema()["paths"].items():
        for method in item:
            if method in {"get", "post", "put", "patch", "delete"}:
                yield method.upper(), address.removeprefix("/api/v1/")


def expected(method: str, address: str) -> dict[str, str]:
    """What each person is answered."""
    for pattern, may, told in RULES:
        if re.fullmatch(pattern, f"{method} {address}"):
            said = {who: YES if who in may else REFUSED if who in told else HIDDEN for who in PEOPLE}
            return said if "nobody" in may or not may else said | {"nobody": SIGN_IN}
    raise LookupError(f"Nobody has said who may {method} {address}. {WHERE}")


def needs_login(method: str, address: str) -> bool:
    return re.fullmatch(LOGIN_ONLY, f"{method} {address}") is not None


def takes_recent_proof(method: str, address: str) -> bool:
    return re.fullmatch(RECENT, f"{method} {address}") is not None


def page() -> str:
    lines = [
        "# Who may do what",
        "",
        "Written by `make reference` from the table in `tests/permissions.py`; a test asks every address as everybody.",
        "What one may not see does not exist: 404. A token can do what its person can, but for what is marked *login*.",
        "",
        "What is marked *recent* takes a proof of who one is that is at most five minutes old: signing in, or `POST",
        "session/again/`. Otherwise the answer is 403 `sign_in_again`, and the pages ask in a dialog and repeat it.",
        "Whoever has a second factor proves it with that (a code, a passkey, a recovery code), everybody else with",
        "the password or through the sign-in provider, which must say when one signed in there (`auth_time`). The",
        "session then gets a new key, so that a stolen copy of it does not profit. Changing the password takes the",
        "current one, and of whoever has a second factor such a proof. In a study it is asked for only where people",
        "become researchers or admins, or get a link for a new password: experts see nothing but their own texts.",
        "",
        *(f"- **{who}**: {meaning}" for who, meaning in PEOPLE.items()),
        "",
        "| address | " + " | ".join(PEOPLE) + " |",
        "|---" * (len(PEOPLE) + 1) + "|",
    ]
    for method, address in sorted(operations(), key=lambda one: (one[1], one[0])):
        said = expected(method, address)
        login = ", *login*" if needs_login(method, address) else ""
        recent = ", *recent*" if takes_recent_proof(method, address) else ""
        lines.append(f"| `{method} {address}`{login}{recent} | " + " | ".join(said[who] for who in PEOPLE) + " |")
    return "\n".join([*lines, "", *section()])


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
    django.setup()
    sys.stdout.write(page())
