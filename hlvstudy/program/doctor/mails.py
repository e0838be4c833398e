"""Does the mail server take what this server would send; and if not, which part of EMAIL_URL is the reason?"""

import smtplib
import socket
import ssl
from collections.abc import Iterator

from django.conf import settings

from hlvstudy.program.doctor.findings import Diagnosis, look, well, wrong

SECONDS = 5
EXAMPLE = "smtp+tls://user:password@mail.example.org:587"


def mail(to: str = "") -> Iterator[Diagnosis]:
    """Sign in at the mail server; with `to`, also send a mail there."""
    from django.core.mail import get_connection, send_mail

    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        yield look(
            "EMAIL_URL",
            "No mail is sent: people get invitations and new passwords only as links that you pass on.",
            f"Set EMAIL_URL, for example {EXAMPLE}.",
        )
        return
    try:
        with get_connection(timeout=SECONDS) as link:
            if to:
                message = f"This is a test from {settings.PUBLIC_URL}."
                send_mail("HLV Study can send mail", message, None, [to], connection=link)
    except Exception as error:  # SMTP's errors, the network's and TLS's
        name = "DEFAULT_FROM_EMAIL" if isinstance(error, smtplib.SMTPSenderRefused) else "EMAIL_URL"
        yield wrong(name, *unusable(error, to))
        return
    said = f"A test mail to {to} was accepted; has it arrived?" if to else "The mail server accepts the login."
    yield well("Mail", f"{said} Mails come from {settings.DEFAULT_FROM_EMAIL}.")


def unusable(error: Exception, to: str = "") -> tuple[str, str]:
    """Why no mail can be sent, and the remedy. Never what the server says, which may quote a password.

    >>> unusable(ConnectionRefusedError())[0].partition(" at ")[0]
    'No mail server answers'
    """
    where = f"{settings.EMAIL_HOST}, port {settings.EMAIL_PORT}"
    code = getattr(error, "smtp_code", None)
    refused = error.recipients.get(to) if isinstance(error, smtplib.SMTPRecipientsRefused) else None
    no_answer = isinstance(error, OSError) and not isinstance(error, smtplib.SMTPException)
    silent = TimeoutError | smtplib.SMTPServerDisconnected | smtplib.SMTPConnectError
    reasons = (
        (
            isinstance(error, smtplib.SMTPAuthenticationError),
            f"The mail server refuses the user or the password ({code}).",
            "Correct them in EMAIL_URL, with special characters as %40 etc.; many providers want an app's password.",
        ),
        (
            isinstance(error, smtplib.SMTPSenderRefused),
            f"The mail server accepts no mail from {settings.DEFAULT_FROM_EMAIL} ({code}).",
            "Set DEFAULT_FROM_EMAIL to an address that the user of EMAIL_URL may send from; without a user, name one.",
        ),
        (
            refused is not None,
            f"The mail server does not deliver to {to} ({refused[0] if refused else code}).",
            "Is the address right? If it is, EMAIL_URL needs a user who may send to other domains.",
        ),
        (
            isinstance(error, smtplib.SMTPNotSupportedError) and settings.EMAIL_USE_TLS,
            f"The mail server offers no TLS at {where}.",
            "Use the port for it, usually 587, or smtp+ssl:// with port 465; smtp:// only on this machine.",
        ),
        (
            isinstance(error, smtplib.SMTPNotSupportedError),
            f"The mail server takes no user and password at {where}.",
            "Most take them only over TLS: write smtp+tls:// instead of smtp://; or leave user and password out.",
        ),
        (
            isinstance(error, ssl.SSLCertVerificationError),
            f"The certificate of {settings.EMAIL_HOST} is not valid ({getattr(error, 'verify_message', '')}).",
            "Write the host's name as its certificate has it, or install its authority on this machine.",
        ),
        (
            isinstance(error, ssl.SSLError),
            f"What answers at {where} does not speak TLS from the first byte on.",
            "Write smtp+tls:// instead of smtp+ssl://, or use the port for it, usually 465.",
        ),
        (
            isinstance(error, socket.gaierror),
            f"There is no host {settings.EMAIL_HOST}.",
            "Correct the host in EMAIL_URL.",
        ),
        (
            isinstance(error, silent),
            f"What answers at {where} does not greet as a mail server does.",
            "If it is port 465, write smtp+ssl://; otherwise correct the port, or allow this machine to reach it.",
        ),
        (
            no_answer,
            f"No mail server answers at {where}.",
            "Correct host and port in EMAIL_URL, or allow this machine to reach it.",
        ),
    )
    said = f"{type(error).__name__} {code}" if code else type(error).__name__
    unknown = (
        f"The mail server cannot be used ({said}).",
        f"Check EMAIL_URL; an example: {EXAMPLE}.",
    )
    return next(((sentence, remedy) for applies, sentence, remedy in reasons if applies), unknown)
