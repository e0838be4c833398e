"""Settings that can be judged by reading them. A wrong one is replaced, so that all the others can be looked at too."""

import difflib
import os
import re
import secrets
from collections.abc import Callable, Iterator
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from hlvstudy import places
from hlvstudy.checks.conditions import Check, HealthPart, broken, look, well
from hlvstudy.security import LOOPBACK, insecure_settings, refuse_unsafe_provider
from hlvstudy.storage import storage_of

KNOWN = re.compile(r'env(?:\.\w+)?\(\s*"([A-Z_]+)"')
NUMBERS = re.compile(r'env\.int\("([A-Z_]+)"')
YES_OR_NO = re.compile(r'env\.bool\("([A-Z_]+)"')
NUMBER, BOOLEAN = re.compile(r"\d+"), re.compile("|0|1|true|false|yes|no|on|off|y|n|t|f|ok")
DATABASES = {"postgres", "postgresql", "psql", "pgsql", "sqlite"}
BROKERS = {"redis", "rediss", "amqp", "amqps", "sqla+sqlite", "sqla+postgresql", "memory"}
MAILS = {"smtp", "smtps", "smtp+tls", "smtp+ssl", "consolemail", "filemail", "memorymail", "dummymail"}
PROVIDER = {"issuer": "ISSUER", "client": "CLIENT_ID", "secret": "CLIENT_SECRET"}


def judged(folder: Path = places.BASE) -> Iterator[HealthPart]:
    """What is wrong with the environment and the file `.env`; afterwards `hlvstudy.settings` can be imported.

    Args:
        folder: where `.env` is.
    """
    own = set(os.environ)
    environ.Env.read_env(folder / ".env")
    source = (places.PACKAGE / "settings.py").read_text(encoding="utf-8")
    yield from _names(set(os.environ) - own, known=set(KNOWN.findall(source)))
    yield from _plain_values(NUMBERS.findall(source), YES_OR_NO.findall(source))
    yield from _safety()
    yield from _hosts()
    yield from _addresses()
    yield from _mail()
    yield from _refused("STORAGE_URL", lambda: storage_of(os.environ.get("STORAGE_URL", ""), folder=Path()))
    provider = {name: os.environ.get(f"OIDC_{of}", "") for name, of in PROVIDER.items()}
    yield from _refused("OIDC_ISSUER", lambda: refuse_unsafe_provider(**provider))


def _names(names: set[str], *, known: set[str]) -> Iterator[HealthPart]:
    for name in sorted(names - known):
        near = difflib.get_close_matches(name, known, n=1)
        remedy = f"Did you mean {near[0]}?" if near else "Remove the line, or correct its name."
        yield look(f"The file .env sets {name}, which is not a setting.", remedy, name=name)


def _plain_values(numbers: list[str], booleans: list[str]) -> Iterator[HealthPart]:
    for names, accepted, wrong, remedy in (
        (numbers, NUMBER, "not a whole number", "a number, or remove it"),
        (booleans, BOOLEAN, "which means no", "1 or 0"),
    ):
        for name in names:
            value = os.environ.get(name)
            if value is not None and not accepted.fullmatch(value.strip().lower()):
                yield broken(f"{name} is {value!r}, {wrong}.", f"Set {name} to {remedy}.", name=name)
                del os.environ[name]


def _safety() -> Iterator[HealthPart]:
    env = environ.Env()
    url = env.str("PUBLIC_URL", default="http://127.0.0.1:8000").rstrip("/")
    key, is_local = env.str("SECRET_KEY", default=""), urlsplit(url).hostname in LOOPBACK
    debug, demo = env.bool("DEBUG", default=False), env.bool("HLV_DEMO", default=False)
    problems = insecure_settings(
        debug=debug, secret_key=key or ("x" * 50 if is_local else ""), public_url=url, demo=demo
    )
    for problem in problems:
        sentence, verb, remedy = re.split(r" (Set|Put) ", problem, maxsplit=1)
        yield broken(sentence, f"{verb} {remedy}", name=sentence.split()[0])
    if problems:
        os.environ |= {"PUBLIC_URL": "http://127.0.0.1:8000", "DEBUG": "0", "HLV_DEMO": "0"}
        os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
        return
    yield well(f"People type {url}.", name="PUBLIC_URL")
    if is_local:
        yield look(
            "The server is for this machine only.", "For others, set PUBLIC_URL to its address.", name="PUBLIC_URL"
        )
    if debug:
        yield look("DEBUG is on.", "Set DEBUG=0, except while you develop.", name="DEBUG")
    if urlsplit(url).scheme == "https" and not env.bool("BEHIND_PROXY", default=False):
        yield look(
            "PUBLIC_URL is https, but BEHIND_PROXY is not set: behind a proxy that ends HTTPS, every page would "
            "redirect to itself.",
            "Set BEHIND_PROXY=1 if such a proxy (nginx, Caddy) is in front.",
            name="BEHIND_PROXY",
        )


def _hosts() -> Iterator[HealthPart]:
    for host in environ.Env().list("ALLOWED_HOSTS", default=[]):
        if host == "*":
            yield broken(
                "ALLOWED_HOSTS allows every host name, so that links in mails could lead to another server.",
                "List the names, separated by commas.",
                name="ALLOWED_HOSTS",
            )
        elif "/" in host or " " in host or re.search(r":\d+$", host):
            yield broken(
                f"ALLOWED_HOSTS holds {host!r}, not a host name.", "Write names without https://.", name="ALLOWED_HOSTS"
            )


def _addresses() -> Iterator[HealthPart]:
    """Schemes only; whether somebody answers there is looked at later."""
    for name, schemes, example in (
        ("DATABASE_URL", DATABASES, "postgres://hlvstudy:password@127.0.0.1/hlvstudy"),
        ("CELERY_BROKER_URL", BROKERS, "redis://127.0.0.1:6379/0"),
        ("NOTIFY_WEBHOOK_URL", {"https", "http"}, "https://chat.example.org/hook"),
    ):
        value = os.environ.get(name, "")
        if value and (_scheme(value) not in schemes or not _has_a_port(value)):
            yield broken(f"{name} is not an address that is understood.", f"Write it like {example}.", name=name)
            del os.environ[name]
    if os.environ.get("NOTIFY_WEBHOOK_URL") and not os.environ.get("NOTIFY_WEBHOOK_SECRET"):
        yield look(
            "What is sent to the webhook is not signed.",
            "Set NOTIFY_WEBHOOK_SECRET to a random string, which the other side checks.",
            name="NOTIFY_WEBHOOK_SECRET",
        )
    if _scheme(os.environ.get("DATABASE_URL", "")) in DATABASES - {"sqlite"} and not os.environ.get(
        "CELERY_BROKER_URL"
    ):
        yield look(
            "Jobs are announced in a file of this machine, though the database can serve several.",
            "Set CELERY_BROKER_URL to a Redis, for example redis://127.0.0.1:6379/0.",
            name="CELERY_BROKER_URL",
        )


def _scheme(url: str) -> str:
    return url.partition(":")[0].lower()


def _has_a_port(url: str) -> bool:
    """Whether what stands where a port does is one; a `/` or `@` in a password makes it something else."""
    try:
        urlsplit(url).port  # noqa: B018 - it raises
    except ValueError:
        return False
    return True


def _mail() -> Iterator[HealthPart]:
    value = os.environ.get("EMAIL_URL", "")
    if not value:
        return
    if _scheme(value) not in MAILS or not _has_a_port(value):
        yield broken(
            "EMAIL_URL is not the address of a mail server.",
            "Write it like smtp+tls://user:password@mail.example.org:587, with @ in the user or password as %40.",
            name="EMAIL_URL",
        )
        del os.environ["EMAIL_URL"]
        return
    sender = os.environ.get("DEFAULT_FROM_EMAIL", "hlv-study@localhost")
    address = parseaddr(sender)[1]
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s.]+", address):
        yield broken(
            f"Mails would come from {sender!r}, which mail servers refuse.",
            "Set DEFAULT_FROM_EMAIL to an address that your mail server may send from.",
            name="DEFAULT_FROM_EMAIL",
        )


def _refused(name: str, judge: Callable[[], object]) -> Iterator[HealthPart]:
    """What the settings themselves would refuse at the start; without it, the others can be looked at."""
    try:
        judge()
    except ImproperlyConfigured as error:
        sentence, _, remedy = str(error).partition(". ")
        yield broken(f"{sentence}.", remedy, name=name)
        del os.environ[name]


SETTINGS = Check("Settings", judged)
"""Asked before Django starts."""
