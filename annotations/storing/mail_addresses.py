"""One spelling of an e-mail address: by it people are found, their sign-ins counted, and accounts kept apart.

The spelling that a person uses is kept beside it, and mails go to that.
"""

import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email


def normalised(email: str) -> str:
    """The spelling by which an address is stored and looked up.

    Two addresses that mail systems may deliver to different mailboxes stay two. Before the `@` only what Unicode calls
    the same text (NFC) and capitals are made one: no compatibility forms, and not the dotless i, whose capital is I.
    The domain is what the domain name system would be asked for (IDNA 2008 with the mapping of UTS 46).

    >>> normalised(" Erin@Example.ORG. ")
    'erin@example.org'
    >>> normalised("erin@Bücher.example") == normalised("erin@xn--bcher-kva.example")
    True
    >>> normalised("er\\u0131n@example.org") == normalised("erin@example.org")
    False
    """
    local, at, domain = unicodedata.normalize("NFC", email.strip()).rpartition("@")
    # Capitals may leave characters that compose again; the result must be its own spelling.
    return unicodedata.normalize("NFC", local.lower()) + at + _asked_for(domain)


def _asked_for(domain: str) -> str:
    if domain.isascii():
        return domain.lower().rstrip(".")
    import idna  # a large table, which few addresses need

    try:
        return idna.encode(domain, uts46=True).decode().rstrip(".")
    except (idna.IDNAError, UnicodeError):  # no domain at all
        return unicodedata.normalize("NFC", domain.lower()).rstrip(".")


def is_address(email: str) -> bool:
    """Whether mail can be sent there. Before the `@` only ASCII: Django's pattern lets the four letters pass whose
    capital or small letter is ASCII (such as ſ), and no others.

    >>> is_address("erin@example.org"), is_address("\\u017fam@example.org"), is_address("erin")
    (True, False, False)
    """
    if len(email) > 254 or not email.rpartition("@")[0].isascii():
        return False
    try:
        validate_email(email)
    except ValidationError:
        return False
    return True


OF_DEMO = {"expert": "expert@example.org", "researcher": "researcher@example.org", "admin": "admin@example.org"}
"""The people of a demo, by role: whoever visits it steps into each of them."""
