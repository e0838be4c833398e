"""Refuse to start with a setting that would expose people's texts or answers.

Django's system checks cover more (`manage.py check --deploy`); the server must not run at all unless these here pass.
"""

import ipaddress
import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

UMASK = 0o027
"""What the server writes, its group may read and others may not: databases, uploads, logs, collected pages."""
OTHERS = 0o007
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
MIN_SECRET_KEY_LENGTH = 50


def secret_key_of(folder: Path, *, public_url: str) -> str:
    """The key of a server for this machine only, which nobody has to set: drawn at random once, and kept in a file that
    only its owner can read. Empty for a server that others can reach: its key must be set, the same for all processes.
    """
    if urlsplit(public_url).hostname not in LOOPBACK:
        return ""
    key_file = folder / "secret_key"
    if not key_file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=folder) as made:  # only its owner can read it
            made.write(secrets.token_urlsafe(50))
            made.flush()
            with suppress(FileExistsError):
                os.link(made.name, key_file)  # atomic, and the first of several processes wins
    return key_file.read_text()


def one_of(name: str, value: str, known: set[str]) -> str:
    """A setting that can be misspelled must not quietly protect nobody."""
    if value not in known:
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to one of: {', '.join(sorted(known))}.")
    return value


def keep_private(folder: Path) -> None:
    """From now on, whatever this process and its children write is closed to others; so is the server's folder, also
    one that an earlier version left open.
    """
    os.umask(UMASK)
    folder.mkdir(parents=True, exist_ok=True)
    for path in (folder, *folder.iterdir()):
        with suppress(OSError):  # somebody else's, or gone: `hlvstudy doctor` says so
            mode = path.lstat().st_mode
            if mode & OTHERS and not path.is_symlink():
                path.chmod(mode & 0o7777 & ~OTHERS)


def insecure_settings(*, debug: bool, secret_key: str, public_url: str, demo: bool = False) -> list[str]:
    """What is insecure and how to fix it, one sentence each; empty if all is well.

    >>> insecure_settings(debug=False, secret_key="k" * 50, public_url="https://study.example.org")
    []
    >>> print(insecure_settings(debug=False, secret_key="short", public_url="https://study.example.org")[0])
    SECRET_KEY is shorter than 50 characters. Set it to a long random string, for example the output of:
    python -c "import secrets; print(secrets.token_urlsafe(50))"
    """
    url = urlsplit(public_url)
    problems = []
    if url.scheme not in {"http", "https"} or not url.hostname:
        problems.append(
            f"PUBLIC_URL is {public_url!r}, not an address. Set it to the address that people type, "
            "for example https://study.example.org."
        )
    if demo and not (url.scheme == "http" and url.hostname in LOOPBACK):
        problems.append(
            "HLV_DEMO is on, but PUBLIC_URL is not http on this machine: in the demo anyone can step into any role "
            "without a password. Set HLV_DEMO=0; only `hlvstudy demo` turns it on."
        )
    if debug:
        if url.hostname not in LOOPBACK:
            problems.append(
                "DEBUG is on, but PUBLIC_URL is not this machine: error pages would show texts to strangers. "
                "Set DEBUG=0."
            )
        return problems
    make_key = 'python -c "import secrets; print(secrets.token_urlsafe(50))"'
    if not secret_key:
        problems.append(f"SECRET_KEY is not set. Set it to a long random string, for example the output of: {make_key}")
    elif len(secret_key) < MIN_SECRET_KEY_LENGTH:
        problems.append(
            f"SECRET_KEY is shorter than {MIN_SECRET_KEY_LENGTH} characters. Set it to a long random string, "
            f"for example the output of: {make_key}"
        )
    if url.scheme == "http" and url.hostname not in LOOPBACK:
        problems.append(
            f"PUBLIC_URL is {public_url!r}: passwords and answers would travel unencrypted. "
            "Put the server behind HTTPS and set PUBLIC_URL to its https:// address."
        )
    return problems


def refuse_insecure_settings(*, debug: bool, secret_key: str, public_url: str, demo: bool = False) -> None:
    """Raise ImproperlyConfigured with one sentence per problem."""
    problems = insecure_settings(debug=debug, secret_key=secret_key, public_url=public_url, demo=demo)
    if problems:
        lines = "\n".join(f"  - {problem}" for problem in problems)
        raise ImproperlyConfigured(f"HLV Study does not start, because its settings are not safe:\n{lines}")


MIN_METRICS_TOKEN_LENGTH = 16


def refuse_insecure_metrics(*, token: str, networks: list[str]) -> None:
    """Raise ImproperlyConfigured if strangers could read the figures, or a network is none.

    >>> refuse_insecure_metrics(token="a" * 20, networks=["127.0.0.1/32", "fd00::/8"])
    """
    if token and len(token) < MIN_METRICS_TOKEN_LENGTH:
        raise ImproperlyConfigured(
            f"METRICS_TOKEN is shorter than {MIN_METRICS_TOKEN_LENGTH} characters. Set it to a long random string."
        )
    for network in networks:
        try:
            parsed = ipaddress.ip_network(network, strict=False)
        except ValueError:
            raise ImproperlyConfigured(
                f"METRICS_NETWORKS: {network!r} is not a network. Write it like 127.0.0.1/32 or 10.0.0.0/8."
            ) from None
        if parsed.prefixlen == 0:
            raise ImproperlyConfigured(
                f"METRICS_NETWORKS: {network} is everybody. Name the network that Prometheus is in."
            )


def refuse_unsafe_provider(*, issuer: str, client: str, secret: str) -> None:
    """Raise ImproperlyConfigured if the sign-in provider would be talked to unencrypted, or not as a known client.

    >>> refuse_unsafe_provider(issuer="", client="", secret="")
    >>> refuse_unsafe_provider(issuer="https://login.example.org", client="hlv", secret="x")
    """
    if not issuer:
        return
    url = urlsplit(issuer)
    if not url.hostname or not (url.scheme == "https" or (url.scheme == "http" and url.hostname in LOOPBACK)):
        raise ImproperlyConfigured(
            "OIDC_ISSUER is not an https:// address. Set OIDC_ISSUER as the provider names itself."
        )
    for name, value in (("OIDC_CLIENT_ID", client), ("OIDC_CLIENT_SECRET", secret)):
        if not value:
            raise ImproperlyConfigured(f"OIDC_ISSUER is set without {name}. Set {name} to what the provider gave you.")
