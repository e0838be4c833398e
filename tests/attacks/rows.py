"""What attackers tried, what closed it, and the tests that try it again: a row of docs/security.md each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One way in that was found, or looked for."""

    found: str
    closed_by: str
    tests: tuple[str, ...]
    """Files, or single tests, below the repository's root."""


ROWS = (
    Row(
        "Eight half-sent requests stopped the documented server for as long as they stayed",
        "the server takes whole requests, within time limits, before a thread works on them; nginx does, too",
        ("tests/deploy/test_slow_clients.py",),
    ),
    Row(
        "On PostgreSQL, `ı` and `ſ` in an address signed in past a lockout",
        "one normalised spelling of an address is stored, unique, and looked up exactly",
        ("tests/annotations/storing/test_mail_addresses.py",),
    ),
    Row(
        "One stranger behind the proxy shut out everybody, and could try one password on all accounts",
        "limits for each account, network and device and over all; only trusted proxies are believed",
        ("tests/annotations/api/people/test_guarding.py",),
    ),
    Row(
        "2,000 nested brackets gave anybody a 500 with a traceback",
        "bodies, headers, forms and queries are bounded before they are parsed",
        ("tests/hlvstudy/test_bounds.py",),
    ),
    Row(
        "A page left open by somebody else was obeyed on documents, invitations, runs and imports",
        "one middleware compares `X-HLV-User` before any address acts",
        (
            "tests/annotations/api/test_permissions.py"
            "::test_no_address_of_the_api_acts_for_another_person_than_the_page_says",
        ),
    ),
    Row(
        "Names of files broke a header, crafted bundles stopped `verify_bundle`, and a refused name told of a foreign "
        "dataset",
        "one function writes that header; bundles are checked against their types, in bounded time; a foreign name is "
        "taken with a suffix",
        (
            "tests/annotations/api/test_downloads.py",
            "tests/metaeval/bundles/test_crafted.py",
            "tests/annotations/shown/test_short_names.py",
        ),
    ),
    Row(
        "After an incident the logs told neither who nor from where",
        "a security log, sign-ins and changes of rights as events, request ids, and never a text or secret",
        ("tests/hlvstudy/test_logs.py",),
    ),
    Row(
        "Looked for: an address that answers a role that it should not",
        "querysets decide who sees what; each address is asked in each role, with login and token",
        ("tests/annotations/api/test_every_permission.py",),
    ),
    Row(
        "Roles and datasets: "
        "an expert of one study read people's side in a bundle of another on the same dataset, or knew it by the text "
        "that came again; an admin made rivals experts, who then could not open their own studies",
        "blinding holds for a person and texts, on every way in and out; a role from somebody else waits for a yes",
        ("tests/annotations/history/test_looks.py",),
    ),
    Row(
        "Roles and datasets: "
        "the history of a study told its researchers the addresses that the list of its members hides, and that of "
        "whoever had no name stood in place of the name",
        "one place decides who may see an address; every field of a person is planted and searched for in everything "
        "that everybody can get (roles x datasets)",
        ("tests/annotations/api/test_privacy.py",),
    ),
    Row(
        "A training asked for with an unknown key was prepared with the default instead",
        "no JSON body and no form takes a key that its operation does not declare, except an answer from an outbox",
        ("tests/annotations/api/test_parsing.py",),
    ),
    Row(
        "Looked for: a way around the second factor, or to another person's sessions",
        "a session is nobody's before the code; only its person and admins of the server end one",
        (
            "tests/annotations/api/people/test_second_factor.py",
            "tests/annotations/api/people/test_signed_in_on.py",
            "tests/annotations/people/sign_in/test_sessions.py",
        ),
    ),
    Row(
        "HTTP through nginx: "
        "the answer to a researcher's HEAD had a body, which the next person on that connection read",
        "no answer to HEAD has a body, whatever serves the app; what two programs could read as different requests is "
        "refused, and its connection ends",
        ("tests/deploy/test_conformance.py", "tests/hlvstudy/program/test_buffering.py"),
    ),
    Row(
        "Tokens: "
        "a session alone made a token of all rights for 366 days, which outlived a changed password, a new second "
        "factor and signing out everywhere",
        "what gives lasting power takes a proof that is at most five minutes old, and those acts end tokens",
        (
            "tests/annotations/api/people/test_again.py",
            "tests/annotations/api/people/test_tokens.py",
        ),
    ),
    Row(
        "Budgets: 60 reports and 60 exports of one researcher: everybody else's small export waited for minutes",
        "in each queue people take turns, chosen in SQL; one person has only so many jobs waiting and running",
        (
            "tests/annotations/background/test_turns.py",
            "tests/annotations/background/test_waiting.py",
            "tests/metaeval/api/test_waiting.py",
        ),
    ),
    Row(
        "Budgets: "
        "49 kB of Markdown became 90 MB, or took minutes; a table of 40,000 columns (210 kB) worked a worker for 45 s",
        "one table of bounds for all that the server renders; tables are read in one pass and have at most 11,000 "
        "columns",
        (
            "tests/annotations/importing/test_budgets.py",
            "tests/annotations/importing/test_sizes.py",
            "tests/annotations/api/designing/test_markdown_shown.py",
            "tests/metaeval/documents/test_word.py",
            "tests/metaeval/figures/test_saving.py",
        ),
    ),
)
