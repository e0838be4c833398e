"""How many attempts to get in may fail, per account, per network and over all, and for how long to wait then.

An attempt is counted before its password is looked at, in one statement: however many processes try at once, no more
passwords are tried than the limit says. A device on which the person signed in before is counted by itself, so that
strangers cannot lock its owner out (OWASP: device cookies).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address

from django.conf import settings
from django.db import connection, models
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotations.models import AttemptCount

KEPT = timedelta(days=1)


class MustWait(Exception):
    """Too many attempts failed; the sentence is the caller's."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Limit:
    """What is counted, and how many failures within the window are allowed."""

    key: str
    most: int


def window() -> timedelta:
    return timedelta(minutes=settings.ATTEMPT_WINDOW_MINUTES)


def of_account(address: str) -> Limit:
    """Attempts of unknown devices on one account (its normalised address; it need not exist)."""
    return Limit(_key("account", address), settings.ATTEMPTS_PER_ACCOUNT)


def of_network(client: str) -> Limit:
    """Attempts of unknown devices in one network, on whatever account."""
    return Limit(_key("network", network_of(client)), settings.ATTEMPTS_PER_NETWORK)


def of_all() -> Limit:
    """Attempts of all unknown devices: what spraying over many accounts from many networks comes up against."""
    return Limit(_key("all", ""), settings.ATTEMPTS_OVER_ALL)


def of_device(number: str) -> Limit:
    return Limit(_key("device", number), settings.ATTEMPTS_PER_ACCOUNT)


def of_second_step(account: int) -> Limit:
    """Codes of a second factor, which only who knows the password comes to type."""
    return Limit(_key("second step", str(account)), settings.ATTEMPTS_PER_ACCOUNT)


def of_links(client: str) -> Limit:
    """Links of invitations or of access that do not exist."""
    return Limit(_key("links", network_of(client)), settings.ATTEMPTS_PER_ACCOUNT)


def of_provider(client: str) -> Limit:
    """Setting out to the sign-in provider, without coming back as somebody."""
    return Limit(_key("provider", network_of(client)), settings.ATTEMPTS_PER_NETWORK)


def of_tokens(client: str) -> Limit:
    """API tokens that do not exist."""
    return Limit(_key("tokens", network_of(client)), settings.ATTEMPTS_PER_NETWORK)


def network_of(client: str) -> str:
    """An IPv4 address, or the /64 that one customer of a provider has of IPv6.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3::4"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7')
    """
    try:
        address = ip_address(client.partition("%")[0])
    except ValueError:
        return client
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return f"{ip_address(int(address) >> 64 << 64)}/64"


def seconds_to_wait(counted: Sequence[Limit]) -> int:
    """How long until another attempt may be made; 0: now. Reads only."""
    now, most = timezone.now(), {limit.key: limit.most for limit in counted}
    rows = AttemptCount.objects.filter(key__in=most, since__gt=now - window()).values_list("key", "failures", "since")
    waits = [since + window() - now for key, failures, since in rows if failures >= most[key]]
    return max((int(wait.total_seconds()) + 1 for wait in waits), default=0)


def take(counted: Sequence[Limit]) -> int:
    """Count an attempt everywhere, unless it has to wait; returns the seconds to wait, 0 if it may be made."""
    if waiting := seconds_to_wait(counted):
        return waiting  # a locked attempt costs one read, and writes nothing
    counts = _count(counted)
    if any(failures > limit.most for limit, failures in zip(counted, counts, strict=True)):
        return max(1, seconds_to_wait(counted))
    return 0


def forgive(*, wholly: Sequence[Limit] = (), once: Sequence[Limit] = ()) -> None:
    """The attempt succeeded: take it back, and forget earlier failures of the account and the device."""
    AttemptCount.objects.filter(key__in=[limit.key for limit in wholly]).delete()
    for limit in sorted(once, key=lambda limit: limit.key):
        AttemptCount.objects.filter(key=limit.key, failures__gt=0).update(failures=models.F("failures") - 1)


def _count(counted: Sequence[Limit]) -> list[int]:
    now = timezone.now()
    at, cutoff = (connection.ops.adapt_datetimefield_value(limit) for limit in (now, now - window()))
    table = connection.ops.quote_name(AttemptCount._meta.db_table)
    # One statement for each, in a fixed order, so that two processes cannot wait for each other.
    counts = {}
    for key in sorted(limit.key for limit in counted):
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} (key, failures, since) VALUES (%s, 1, %s) ON CONFLICT (key) DO UPDATE SET "  # noqa: S608 - our table's name
                f"failures = CASE WHEN {table}.since <= %s THEN 1 ELSE {table}.failures + 1 END, "
                f"since = CASE WHEN {table}.since <= %s THEN excluded.since ELSE {table}.since END "
                "RETURNING failures",
                [key, at, cutoff, cutoff],
            )
            counts[key] = int(cursor.fetchone()[0])
    if 1 in counts.values():  # something new is counted: the place for it was somebody's of yesterday
        AttemptCount.objects.filter(since__lt=now - KEPT).delete()
    return [counts[limit.key] for limit in counted]


def _key(kind: str, value: str) -> str:
    return salted_hmac(f"annotations.people.limits.{kind}", value, algorithm="sha256").hexdigest()
