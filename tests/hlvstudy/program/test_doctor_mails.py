"""`hlvstudy doctor --mail-to` talks to a mail server on this machine, and says which part of EMAIL_URL is wrong."""

import base64
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import environ
import pytest

from hlvstudy.checks import servers
from hlvstudy.checks.conditions import Condition, HealthPart
from tests.processes import free_port

PASSWORD = "right and secret"
TO = "root@example.org"


@dataclass
class Rules:
    """What the mail server does, and what it was told."""

    answers: dict[str, str] = field(default_factory=dict)
    """Instead of its own, by the command's word; `greeting` and `end` (of a mail's text) too."""
    offers: tuple[str, ...] = ("AUTH PLAIN",)
    mails: list[str] = field(default_factory=list)


class Talk(socketserver.StreamRequestHandler):
    """SMTP (RFC 5321) as far as a sender goes."""

    def handle(self) -> None:
        rules: Rules = self.server.rules  # type: ignore[attr-defined]  # the server below has them
        self.say(rules.answers.get("greeting", "220 mail.example.org"))
        while line := self.rfile.readline().decode().strip():
            word = line.split()[0].upper()
            if word in rules.answers:
                self.say(rules.answers[word])
            elif word == "EHLO":
                for offer in ("mail.example.org", *rules.offers):
                    self.say(f"250-{offer}")
                self.say("250 8BITMIME")
            elif word == "AUTH":
                given = base64.b64decode(line.split()[2]).decode().split("\0")
                self.say("235 come in" if given[1:] == ["user", PASSWORD] else "535 5.7.8 wrong")
            elif word == "DATA":
                self.say("354 go on")
                rules.mails.append(b"".join(iter(self.rfile.readline, b".\r\n")).decode())
                self.say(rules.answers.get("end", "250 taken"))
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 OK")

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    rules: Rules

    def handle_error(self, *_: Any) -> None:
        """A sender that breaks off is what some tests are about."""


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer(("127.0.0.1", 0), Talk) as server:
        server.rules = Rules()
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def found(server: MailServer, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., HealthPart]:
    """What the doctor finds with an EMAIL_URL, in which PORT is that of the server."""
    monkeypatch.setattr(servers, "SECONDS", 1)

    def find(url: str = "smtp://user:right%20and%20secret@127.0.0.1:PORT", to: str = TO) -> HealthPart:
        read = environ.Env.email_url_config(url.replace("PORT", str(server.server_address[1])))
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        for name, value in read.items():
            setattr(settings, name, value)
        settings.DEFAULT_FROM_EMAIL = "HLV Study <study@example.org>"
        (one,) = servers.mail(to)
        assert PASSWORD not in one.sentence + one.remedy
        assert one.condition == Condition.WELL or one.remedy
        return one

    return find


def test_a_mail_arrives_and_the_doctor_asks_whether_it_did(found, server, settings):
    settings.PUBLIC_URL = "https://study.example.org"
    one = found()
    assert (one.condition, one.sentence) == (
        Condition.WELL,
        f"A test mail to {TO} was accepted; has it arrived? Mails come from HLV Study <study@example.org>.",
    )
    (mail,) = server.rules.mails
    assert "From: HLV Study <study@example.org>" in mail
    assert f"To: {TO}" in mail
    assert "This is a test from https://study.example.org." in mail


def test_without_an_address_it_only_signs_in(found, server):
    assert found(to="").sentence.startswith("The mail server accepts the login.")
    assert server.rules.mails == []


def test_without_a_mail_server_it_says_what_that_means():
    (one,) = servers.mail(TO)
    assert one.condition == Condition.LOOK
    assert "only as links that you pass on" in one.sentence


@pytest.mark.parametrize(
    ("url", "says", "remedy"),
    [
        ("smtp://user:wrong@127.0.0.1:PORT", "refuses the user or the password (535)", "Correct them in EMAIL_URL"),
        ("smtp+tls://user:x@127.0.0.1:PORT", "offers no TLS", "smtp+ssl:// with port 465"),
        ("smtp+ssl://user:x@127.0.0.1:PORT", "does not speak TLS from the first byte", "Write smtp+tls://"),
        ("smtp://user:x@mail.invalid:25", "There is no host mail.invalid", "Correct the host"),
    ],
)
def test_each_wrong_part_of_the_address_has_its_remedy(found, url, says, remedy):
    one = found(url)
    assert (one.name, one.condition) == ("EMAIL_URL", Condition.BROKEN)
    assert says in one.sentence
    assert remedy in one.remedy


@pytest.mark.parametrize(
    ("rules", "says", "remedy"),
    [
        ({"offers": ()}, "takes no user and password", "write smtp+tls:// instead"),
        ({"answers": {"MAIL": "553 5.7.1 not yours"}}, "no mail from HLV Study <study@ex", "may"),
        ({"answers": {"RCPT": "550 5.7.1 no relay"}}, f"does not deliver to {TO} (550)", "other domains"),
        ({"answers": {"end": "554 5.7.1 spam"}}, "(SMTPDataError 554)", "Check EMAIL_URL"),
        ({"answers": {"greeting": ""}}, "does not greet as a mail server does", "smtp+ssl://"),
    ],
)
def test_what_the_server_refuses_is_told_with_its_remedy(found, server, rules, says, remedy):
    server.rules = Rules(**rules)
    one = found()
    assert (one.name, one.condition) == (
        "DEFAULT_FROM_EMAIL" if "MAIL" in str(rules) else "EMAIL_URL",
        Condition.BROKEN,
    )
    assert says in one.sentence
    assert remedy in one.remedy


def test_a_mail_server_that_is_not_there(found):
    port = free_port()
    one = found(f"smtp://127.0.0.1:{port}")
    assert one.sentence == f"No mail server answers at 127.0.0.1, port {port}."
    assert one.remedy.startswith("Correct host and port")


def test_a_certificate_that_is_not_valid(found, monkeypatch):
    def refuse(*_: Any, **__: Any) -> None:
        error = ssl.SSLCertVerificationError(1, "certificate verify failed")
        error.verify_message = "self-signed certificate"
        raise error

    monkeypatch.setattr("smtplib.SMTP.connect", refuse)
    one = found()
    assert one.sentence == "The certificate of 127.0.0.1 is not valid (self-signed certificate)."
    assert "as its certificate has it" in one.remedy
