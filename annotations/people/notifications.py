"""Tell a study's researchers and admins, and the installation's webhook, that all answers are in or a job failed.

Workers look for such news in every sweep, so no answer or analysis waits for it, and no news is lost with a
worker. Each mail and each call is its own job: one that fails delays neither the others nor the study.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import urllib.request
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from http.client import HTTPException
from typing import Any, Never
from urllib.error import HTTPError
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.ground.errors import HLVError
from annotations.ground.progress import Progress
from annotations.history import events
from annotations.models import (
    Assignment,
    BackgroundJob,
    EventKind,
    JobState,
    Membership,
    News,
    Notice,
    Study,
    StudyState,
)
from annotations.models.comparisons import in_plan, of_main
from annotations.people.invitations.letters import send_mail, sends_mail
from annotations.shown.place_counts import by_study
from annotations.shown.plurals import filled

STILL_NEWS = timedelta(days=1)
MOST_TRIES = 5
FAILED = {
    "export": gettext_noop("An export of the study “{study}” failed."),
    "analysis": gettext_noop("An analysis of the study “{study}” failed."),
    "study document": gettext_noop("A document of the study “{study}” failed."),
}
EVENTS = {
    News.COMPLETED: "study_completed",
    News.FAILED: "run_failed",
    News.IDENTITIES: "identities_due",
}
"""The names used for the webhook."""
SIGNATURE = "X-HLV-Signature"


def tell() -> None:
    """Look for news that has not been told yet, and call workers for it; does nothing if nobody could be told."""
    if not (sends_mail() or settings.NOTIFY_WEBHOOK_URL):
        return
    for study in _completed():
        # Once per occasion: two workers looking at the same moment see the same previous time.
        _post(study, News.COMPLETED, f"completed:{study.pk}:{study.told_at or 'first'}", _counts(study))
    for job, study in _failed():
        kind = str(job._meta.verbose_name)
        _post(study, News.FAILED, _key(job), _counts(study), kind=kind, tab=job.tab)


def tell_identities_due(*, study: Study, key: str, experts: int, day: str) -> None:
    """Announce that the names of so many experts will be erased on a day (ISO 8601); once for each key.

    A job of the caller's transaction, as the entry in the history is, which is there without mail too.
    """
    if sends_mail() or settings.NOTIFY_WEBHOOK_URL:
        _post(study, News.IDENTITIES, f"identities:{key}", {"experts": experts}, kind=day, tab="people")


def _completed() -> QuerySet[Any]:
    """Studies whose last place was answered recently, and after the last notice about them. Cheap for any number of
    answers: for each study it reads one newer row and one unanswered row of an index.
    """
    now = timezone.now()
    notices = Notice.objects.filter(study=OuterRef("pk"), news=News.COMPLETED).order_by("-created_at")
    places = Assignment.objects.filter(of_main(), study=OuterRef("pk"), released_at=None).order_by()
    since = Coalesce(OuterRef("told_at"), now - STILL_NEWS)
    return (
        Study.objects.filter(state__in=[StudyState.PILOT, StudyState.OPEN], archived_at=None)
        .annotate(told_at=Subquery(notices.values("created_at")[:1]))
        .filter(Exists(places.filter(completed_at__gt=now - STILL_NEWS).filter(completed_at__gt=since)))
        .filter(~Exists(places.filter(in_plan(), completed_at=None)))
        .order_by("pk")
    )


def _failed() -> Iterator[tuple[BackgroundJob, Study]]:
    """Recently failed jobs of studies, of the kinds that people are told about."""
    for model in jobs.job_models():
        if not model.failure_is_told:
            continue
        manager: Any = model._default_manager
        lately = manager.filter(state=JobState.FAILED, finished_at__gt=timezone.now() - STILL_NEWS)
        failed = list(lately.filter(study__isnull=False).select_related("study").order_by("finished_at"))
        keys = set(Notice.objects.filter(key__in=[_key(job) for job in failed]).values_list("key", flat=True))
        yield from ((job, job.study) for job in failed if _key(job) not in keys)


def _key(job: BackgroundJob) -> str:
    return f"failed:{job._meta.label}:{job.pk}"


def _counts(study: Study) -> dict[str, int]:
    counted = by_study([study.pk]).get(study.pk)
    return {"places": counted.places, "answers": counted.answered} if counted else {"places": 0, "answers": 0}


def _post(study: Study, news: News, key: str, counts: dict[str, int], *, kind: str = "", tab: str = "") -> None:
    """Store who is to be told, all at once; nothing if another worker was faster."""
    about: dict[str, Any] = {"study": study, "news": news, "key": key, "counts": counts, "kind": kind, "tab": tab}
    people = readers(study) if sends_mail() else []
    notices = [Notice(member=person, **about) for person in people]
    notices += [Notice(**about)] if settings.NOTIFY_WEBHOOK_URL else []
    if not notices:
        return
    try:
        with transaction.atomic():
            Notice.objects.bulk_create(notices)
            data: dict[str, Any] = {
                "what": str(news),
                "people": len(people),
                "webhook": bool(settings.NOTIFY_WEBHOOK_URL),
                **counts,
            }
            failed = kind if news == News.FAILED else ""
            events.record(EventKind.TOLD, study=study, failed=failed, **data)
            for notice in notices:
                jobs.enqueue(notice)
    except IntegrityError:
        return


def readers(study: Study) -> list[Membership]:
    """Who gets the mails: the study's researchers and admins who can sign in."""
    people = study.memberships.unblinded().filter(is_simulated=False, user__is_active=True)
    return list(people.select_related("user").order_by("number"))


@executes(Notice, tidy_up=tell)
def hand_over(job: Notice, _progress: Progress) -> Mapping[str, Any]:
    """Send the mail or call the webhook. Failures are retried by later sweeps, and eventually given up.

    Raises:
        MailFailed: the mail server refused it `MOST_TRIES` times.
        WebhookFailed: the webhook did.
    """
    try:
        if job.member is None:
            if settings.NOTIFY_WEBHOOK_URL:  # otherwise it was removed from the settings meanwhile
                call_webhook(message(job))
        elif job.member in readers(job.study):
            with override(job.member.user.language or "en"):
                send_mail(job.member.user.email, *words(job))
    except HLVError:
        if job.tries + 1 < MOST_TRIES:
            Notice.objects.filter(pk=job.pk).update(tries=F("tries") + 1)
            raise jobs.JobReturned from None
        raise
    return {}


def message(job: Notice) -> dict[str, object]:
    """What the webhook is sent."""
    return {
        "id": str(job.pk),
        "at": job.created_at.isoformat(),
        "event": EVENTS[News(job.news)],
        "study": {"slug": job.study.slug, "title": job.study.title},
        "kind": job.kind,
        "counts": job.counts,
        "url": page_of(job),
    }


def page_of(job: Notice) -> str:
    """The address of the page that shows more."""
    tab = f"/{job.tab}" if job.tab else ""
    return f"{settings.PUBLIC_URL}/studies/{job.study.slug}{tab}"


def words(job: Notice) -> tuple[str, str]:
    """Subject and text of the mail, in the active language."""
    title = job.study.title
    if job.news == News.COMPLETED:
        subject = filled(_("All answers are in: {study}"), study=title)
        text = filled(
            _(
                "All answers of the study “{study}” are in ({places, number}). You can close the study, or add places "
                "if you need more answers."
            ),
            study=title,
            places=job.counts.get("places", 0),
        )
    elif job.news == News.IDENTITIES:
        subject = filled(_("Names will be erased: {study}"), study=title)
        text = filled(
            _(
                "On {day} the names and addresses of {people, plural, one {# expert} other {# experts}} of the study "
                "“{study}” will be erased, as its settings say. Their answers stay under their numbers. If you still "
                "need the names, the study's admins can keep them longer on this page."
            ),
            study=title,
            day=date_format(date.fromisoformat(job.kind), "DATE_FORMAT"),
            people=job.counts.get("experts", 0),
        )
    else:
        failed = FAILED.get(job.kind, gettext_noop("A job of the study “{study}” failed."))
        subject = filled(_("Failed: {study}"), study=title)
        text = f"{filled(translation.gettext(failed), study=title)} {_('The page says why, and what you can do.')}"
    return subject, "\n\n".join((_("Hello,"), text, page_of(job)))


class WebhookFailed(HLVError):
    """The webhook did not accept a message."""

    status = 503


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Messages go to the address in the settings and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


def signature(body: bytes, secret: str) -> str:
    """The signature for a message's header.

    >>> signature(b"{}", "secret")[:15]
    'sha256=77325902'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def call_webhook(message: Mapping[str, object]) -> None:
    """Send signed JSON to the address in the installation's settings. The response is not read.

    Raises:
        WebhookFailed: it was not accepted. The sentence omits the address, which may contain a secret.
    """
    address = settings.NOTIFY_WEBHOOK_URL
    if urlsplit(address).scheme not in {"http", "https"}:
        raise WebhookFailed(_("NOTIFY_WEBHOOK_URL must begin with https:// or http://."))
    body = json.dumps(message, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "HLV-Study"}
    if settings.NOTIFY_WEBHOOK_SECRET:
        headers[SIGNATURE] = signature(body, settings.NOTIFY_WEBHOOK_SECRET)
    try:
        request = urllib.request.Request(address, body, headers, method="POST")  # noqa: S310 (checked above)
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=settings.NOTIFY_WEBHOOK_SECONDS):
            pass
    except HTTPError as error:
        error.close()
        _refuse(filled(_("The webhook responded with status {status}."), status=error.code))
    except (OSError, HTTPException, ValueError) as error:
        _refuse(filled(_("The webhook cannot be reached ({name})."), name=type(error).__name__))


def _refuse(sentence: str) -> Never:
    """Raise without the library's own words, which may contain the address."""
    raise WebhookFailed(sentence) from None
