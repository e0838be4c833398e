"""Other servers: the storage, the mail server, the webhook, the sign-in provider."""

import os
import smtplib
import socket
import ssl
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.mail import get_connection, send_mail
from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError
from annotations.models import Event, EventKind
from annotations.people.invitations.letters import sends_mail
from annotations.people.sign_in import provider as sign_in
from hlvstudy.checks.conditions import Gauge, HealthPart, broken, gauge, look, well

SECONDS = 5


def storage() -> Iterator[HealthPart]:
    name, content = f"doctor/{uuid.uuid4().hex}", uuid.uuid4().hex.encode()
    kind = "S3" if settings.STORAGES["default"]["BACKEND"].startswith("storages.") else "folder"
    try:
        default_storage.save(name, ContentFile(content))
        with default_storage.open(name, "rb") as file:
            is_same = file.read() == content
        default_storage.delete(name)
    except Exception as error:  # the storage's own errors
        reason = getattr(error, "response", {}).get("Error", {}).get("Code", type(error).__name__)
        yield broken(
            f"No file can be kept there ({reason}).",
            "Check host, bucket, key and its rights to read, write, list and delete; or the folder's owner.",
            name="STORAGE_URL",
        )
        return
    if is_same:
        yield well(f"A file was kept, read and deleted ({kind}).")
    else:
        yield broken("It gives back another file than was kept.", "Check the storage server.", name="STORAGE_URL")


def storage_trouble() -> str:
    """The class of the error with which files cannot be kept; empty if they can."""
    try:
        try:
            folder = Path(default_storage.path(""))
        except NotImplementedError:  # on another machine
            default_storage.exists("health")
            return ""
        existing = next((place for place in (folder, *folder.parents) if place.exists()), folder)
        return "" if os.access(existing, os.W_OK) else "PermissionError"
    except Exception as error:  # whatever the storage's client raises
        return type(error).__name__


def storage_on_page() -> HealthPart:
    if trouble := storage_trouble():
        sentence = _("Uploads, exports and documents cannot be saved ({name}).").format(name=trouble)
        return broken(sentence, _("Check that the server may write to where files are kept."))
    return well(_("Uploads, exports and documents can be saved."))


EXAMPLE = "smtp+tls://user:password@mail.example.org:587"


def mail(to: str = "") -> Iterator[HealthPart]:
    """Sign in at the mail server; with `to`, also send a mail there."""
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        yield look(
            "No mail is sent: people get invitations and new passwords only as links that you pass on.",
            f"Set EMAIL_URL, for example {EXAMPLE}.",
            name="EMAIL_URL",
        )
        return
    try:
        with get_connection(timeout=SECONDS) as link:
            if to:
                message = f"This is a test from {settings.PUBLIC_URL}."
                send_mail("HLV Study can send mail", message, None, [to], connection=link)
    except Exception as error:  # SMTP's errors, the network's and TLS's
        name = "DEFAULT_FROM_EMAIL" if isinstance(error, smtplib.SMTPSenderRefused) else "EMAIL_URL"
        yield broken(*unusable(error, to), name=name)
        return
    sentence = f"A test mail to {to} was accepted; has it arrived?" if to else "The mail server accepts the login."
    yield well(f"{sentence} Mails come from {settings.DEFAULT_FROM_EMAIL}.")


def mail_on_page() -> HealthPart:
    if sends_mail():
        sender = settings.DEFAULT_FROM_EMAIL
        return well(_("The app sends e-mail from {default_from_email}.").format(default_from_email=sender))
    return well(
        _("No mail server is set up. Invitation links are displayed, and you send them yourself."),
        _("Set EMAIL_URL to let the app send them."),
    )


def figures_of_mail() -> list[Gauge]:
    failed = Event.objects.filter(kind=EventKind.MAIL_FAILED).count()
    return [gauge("hlv_mails_failed", "Mails that could not be sent, ever", failed)]


NOT_MAILED: tuple[tuple[type[Exception], str, str], ...] = (
    (
        smtplib.SMTPAuthenticationError,
        "The mail server refuses the user or the password ({code}).",
        "Correct them in EMAIL_URL, with special characters as %40 etc.; many providers want an app's password.",
    ),
    (
        smtplib.SMTPSenderRefused,
        "The mail server accepts no mail from {sender} ({code}).",
        "Set DEFAULT_FROM_EMAIL to an address that the user of EMAIL_URL may send from; without a user, name one.",
    ),
    (
        smtplib.SMTPRecipientsRefused,
        "The mail server does not deliver to {to} ({code}).",
        "Is the address right? If it is, EMAIL_URL needs a user who may send to other domains.",
    ),
    (
        smtplib.SMTPNotSupportedError,
        "The mail server takes no user and password at {where}.",
        "Most take them only over TLS: write smtp+tls:// instead of smtp://; or leave user and password out.",
    ),
    (
        ssl.SSLCertVerificationError,
        "The certificate of {host} is not valid ({certificate}).",
        "Write the host's name as its certificate has it, or install its authority on this machine.",
    ),
    (
        ssl.SSLError,
        "What answers at {where} does not speak TLS from the first byte on.",
        "Write smtp+tls:// instead of smtp+ssl://, or use the port for it, usually 465.",
    ),
    (socket.gaierror, "There is no host {host}.", "Correct the host in EMAIL_URL."),
    *(
        (
            silence,
            "What answers at {where} does not greet as a mail server does.",
            "If it is port 465, write smtp+ssl://; otherwise correct the port, or allow this machine to reach it.",
        )
        for silence in (TimeoutError, smtplib.SMTPServerDisconnected, smtplib.SMTPConnectError)
    ),
    (smtplib.SMTPException, "The mail server cannot be used ({reason}).", f"Check EMAIL_URL; an example: {EXAMPLE}."),
    (
        OSError,
        "No mail server answers at {where}.",
        "Correct host and port in EMAIL_URL, or allow this machine to reach it.",
    ),
    (Exception, "The mail server cannot be used ({reason}).", f"Check EMAIL_URL; an example: {EXAMPLE}."),
)
"""Why no mail could be sent, and the remedy. The first that fits is told."""
NO_TLS = (
    "The mail server offers no TLS at {where}.",
    "Use the port for it, usually 587, or smtp+ssl:// with port 465; smtp:// only on this machine.",
)


def unusable(error: Exception, to: str = "") -> tuple[str, str]:
    """Which part of EMAIL_URL is the reason, and the remedy. Never what the server says, which may quote a password.

    >>> unusable(ConnectionRefusedError())[0].partition(" at ")[0]
    'No mail server answers'
    """
    code = getattr(error, "smtp_code", None)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code = error.recipients[to][0]
    sentence, remedy = next((sentence, remedy) for kind, sentence, remedy in NOT_MAILED if isinstance(error, kind))
    if isinstance(error, smtplib.SMTPNotSupportedError) and settings.EMAIL_USE_TLS:
        sentence, remedy = NO_TLS
    sentence = sentence.format(
        code=code,
        to=to,
        sender=settings.DEFAULT_FROM_EMAIL,
        host=settings.EMAIL_HOST,
        where=f"{settings.EMAIL_HOST}, port {settings.EMAIL_PORT}",
        certificate=getattr(error, "verify_message", ""),
        reason=f"{type(error).__name__} {code}" if code else type(error).__name__,
    )
    return sentence, remedy


def webhook() -> Iterator[HealthPart]:
    if not settings.NOTIFY_WEBHOOK_URL:
        return
    parts = urlsplit(settings.NOTIFY_WEBHOOK_URL)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=SECONDS).close()
    except OSError as error:
        sentence = f"Nothing answers at {parts.hostname} ({error.strerror or type(error).__name__})."
        yield broken(sentence, "Correct it, or allow this machine to reach it.", name="NOTIFY_WEBHOOK_URL")
    else:
        yield well(f"{parts.hostname} can be reached.")


def provider() -> Iterator[HealthPart]:
    """Whether the sign-in provider answers, and is the one of the settings."""
    if not sign_in.is_on():
        return
    try:
        sign_in.endpoints()
    except HLVError as error:
        remedy = "Set OIDC_ISSUER exactly as the provider names itself."
        yield broken(error.message, remedy, name="OIDC_ISSUER")
    else:
        yield well(f"{settings.OIDC_NAME} answers; it must know {sign_in.redirect_address()}.")
