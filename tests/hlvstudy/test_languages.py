"""What the server says comes in the language that the page asks for, from the catalogues that the pages share."""

import os
import subprocess
import sys
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

from tests.conftest import ROOT
from tests.tooling.compile_catalogues import compile_catalogues

SCRIPT = ROOT / "tests" / "tooling" / "python_messages.py"
NOTHING = {
    "en": "There is nothing here, or you may not see it.",
    "de": "Hier gibt es nichts, oder Sie dürfen es nicht sehen.",
    "ar": "لا يوجد شيء هنا، أو لا يُسمح لكم بالاطلاع عليه.",
}


def extract(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), str(path)], text=True, capture_output=True, check=False)


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_an_error_comes_in_the_language_of_the_page(client: Client, make_user, language: str) -> None:
    client.force_login(make_user())
    answer = client.post("/api/studies/no-such-study/next/", headers={"accept-language": language})
    assert (answer.status_code, answer.json()["detail"]) == (404, NOTHING[language])
    assert answer.headers["Content-Language"] == language


@pytest.mark.django_db
def test_a_language_that_there_is_not_is_answered_in_english(client: Client) -> None:
    answer = client.post(
        "/api/session/",
        {"email": "x@example.org", "password": "x"},
        "application/json",
        headers={"accept-language": "fi"},
    )
    assert answer.json()["detail"] == "The e-mail address or the password is wrong."


@pytest.mark.django_db
def test_what_django_itself_says_is_translated_too(client: Client) -> None:
    answer = client.post(
        "/api/session/", {"email": "x@example.org"}, "application/json", headers={"accept-language": "de"}
    )
    assert answer.json()["data"] == {"password": ["Dieses Feld ist zwingend erforderlich."]}


def test_every_message_of_the_server_is_said_in_every_language() -> None:
    for code, _ in settings.LANGUAGES[1:]:
        catalogue = polib.pofile(str(ROOT / "locale" / code / "LC_MESSAGES" / "django.po"))
        said = [entry for entry in catalogue if any(file.endswith(".py") for file, _ in entry.occurrences)]
        assert len(said) > 10
        with translation.override(code):
            assert {entry.msgid: translation.gettext(entry.msgid) for entry in said} == {
                entry.msgid: entry.msgstr or entry.msgid for entry in said
            }


def test_only_the_servers_part_is_compiled_and_only_when_it_changed(tmp_path: Path) -> None:
    folder = tmp_path / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=utf-8"}
    catalogue.append(polib.POEntry(msgid="Yes", msgstr="Ja", occurrences=[("annotations/x.py", "")]))
    catalogue.append(polib.POEntry(msgid="No", msgstr="Nein", occurrences=[("frontend/src/x.tsx", "")]))
    catalogue.save(str(folder / "django.po"))
    assert compile_catalogues(tmp_path) == [folder / "django.mo"]
    assert [entry.msgstr for entry in polib.mofile(str(folder / "django.mo"))] == ["Ja"]
    assert compile_catalogues(tmp_path) == []
    os.utime(folder / "django.po", (2**31, 2**31))
    assert compile_catalogues(tmp_path) == [folder / "django.mo"]


def test_a_message_that_is_put_together_in_the_call_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text('name = 1\n_(f"Not {name}")\n')
    assert extract(path).returncode == 1
    assert f"{path}, line 2" in extract(path).stderr
