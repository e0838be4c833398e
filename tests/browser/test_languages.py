"""The whole way of an expert in German and in Arabic: no English is left, the page is mirrored, the keys work."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.models import Guess, LabelResponse, PreferenceResponse, Report, Role
from annotations.people.invitations import inviting
from annotations.people.membership.addresses import read_addresses
from tests.browser.answering import past_a_double_click
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, Axe, Look, OpenPage, every_look, flaws, step
from tests.browser.speaking import ARABIC, GERMAN, TEXTS, Speech, english_on, expert_in
from tests.browser.study import PASSWORD, TITLE, BrowserStudy


class Reader:
    """Looks at every state of the pages as somebody who reads one language only."""

    def __init__(self, page: Page, speech: Speech, axe: Axe, look: Look = LAPTOP) -> None:
        self.page, self.speech, self.axe, self.look = page, speech, axe, look
        self.seen = 0

    def looks(self) -> None:
        html = self.page.locator("html")
        expect(html).to_have_attribute("lang", self.speech.code)
        expect(html).to_have_attribute("dir", self.speech.direction)
        assert english_on(self.page, self.speech) == set()
        assert flaws(self.page, self.axe, *every_look(self.look)) == []
        self.seen += 1

    def button(self, message: str, context: str = "") -> Locator:
        return self.page.get_by_role("button", name=self.speech.say(message, context), exact=True)

    def sees(self, message: str) -> None:
        expect(self.page.get_by_text(self.speech.say(message), exact=True).first).to_be_visible()


def press(page: Page, letter: str, place: str) -> None:
    """Press a key of an Arabic keyboard: the place of A gives another letter."""
    session = page.context.new_cdp_session(page)
    for kind in ("keyDown", "keyUp"):
        session.send("Input.dispatchKeyEvent", {"type": kind, "key": letter, "code": place, "text": letter})
    session.detach()


@pytest.mark.long
@pytest.mark.parametrize("speech", [GERMAN, ARABIC], ids=["german", "arabic"])
def test_an_experts_whole_way_is_in_one_language(
    open_page: OpenPage, transactional_db: None, axe: Axe, speech: Speech
) -> None:
    expert = expert_in(speech)
    page = open_page(language=speech.code, look=PHONE)
    reader = Reader(page, speech, axe, PHONE)
    keys, say = page.keyboard, speech.say

    page.goto("/")
    expect(page.get_by_label(say("E-mail address"), exact=True)).to_be_focused()
    reader.looks()
    keys.type(expert.user.email)
    keys.press("Tab")
    keys.type("not the password")
    keys.press("Enter")
    reader.sees("The e-mail address or the password is wrong.")
    reader.looks()
    page.get_by_label(say("Password"), exact=True).fill(PASSWORD)
    keys.press("Enter")
    expect(reader.button("Practise with two short texts")).to_be_focused()
    reader.looks()
    page.get_by_role("link", name=speech.title, exact=True).click()
    begin = page.get_by_role("link", name=f"{say('Begin', 'button')}: {speech.title}", exact=True)
    expect(begin).to_be_visible()
    reader.looks()
    begin.press("Enter")
    practise(reader)

    for turn in range(TEXTS):
        expect(reader.button("Continue")).to_be_visible()
        if turn == 0:
            step_1(reader)
        page.get_by_role("checkbox", name=speech.labels[turn], exact=True).check()
        reader.button("Continue").click()
        expect(reader.button("Submit")).to_be_visible()
        if turn == 0:
            step_2(reader)
        answer_by_key(page, speech)
        keys.press("Enter")
    reader.sees("That was the last text. Thank you.")
    reader.looks()
    guess(reader)
    assert Guess.objects.count() == TEXTS
    assert PreferenceResponse.objects.filter(a_chosen=True, b_chosen=False, certainty=1.0).count() == TEXTS
    assert Report.objects.count() == 1
    assert reader.seen >= 10


def practise(reader: Reader) -> None:
    page, speech = reader.page, reader.speech
    expect(reader.button("Practise with two short texts")).to_be_focused()
    page.keyboard.press("Enter")
    for turn in range(2):
        expect(reader.button("Leave the practice")).to_be_visible()
        for label in (0, 1, -1):
            page.get_by_role("checkbox", name=speech.labels[label], exact=True).check()
            if turn == 0:
                reader.looks()
        reader.button("Continue").click()
        expect(reader.button("Submit")).to_be_visible()
        if turn == 0:
            reader.looks()
        answer_by_key(page, speech)
        if turn == 0:
            reader.looks()
        page.keyboard.press("Enter")
    expect(reader.button("Go to the texts")).to_be_focused()
    reader.looks()
    assert not LabelResponse.objects.exists()
    page.keyboard.press("Enter")


def step_1(reader: Reader) -> None:
    page, say = reader.page, reader.speech.say
    reader.looks()
    past_a_double_click(page)
    reader.button("Continue").click()
    missing = say("Choose at least one label, or “{none}”.").format(none=f"\u2068{reader.speech.labels[-1]}\u2069")
    expect(page.get_by_text(missing, exact=True)).to_be_visible()
    page.get_by_label(say("Type to find a label. Enter chooses the first match."), exact=True).fill("zzz")
    reader.looks()
    page.keyboard.press("Escape")
    arrow = "ArrowLeft" if reader.speech.direction == "rtl" else "ArrowRight"
    chips = page.get_by_role("checkbox")
    chips.nth(0).focus()
    page.keyboard.press(arrow)
    expect(chips.nth(1)).to_be_focused()
    report(reader)
    reader.button("Pause").click()
    expect(reader.button("Resume")).to_be_focused()
    reader.looks()
    page.keyboard.press("Enter")


def report(reader: Reader) -> None:
    page, say = reader.page, reader.speech.say
    reader.button("Report a problem").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    reader.button("Send report").click()
    reader.sees("Please choose what fits best.")
    reader.looks()
    page.get_by_label(say("Something else"), exact=True).check()
    reader.button("Send report").click()
    reader.sees("Thank you. The organisers will see your report.")
    reader.looks()
    reader.button("Back to the text").click()


def step_2(reader: Reader) -> None:
    page = reader.page
    reader.looks()
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowUp")
    expect(slider).to_have_attribute("aria-valuenow", "50")
    middle = slider.bounding_box()
    page.keyboard.press("ArrowLeft" if reader.speech.direction == "rtl" else "ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "55")
    moved = slider.bounding_box()
    assert middle
    assert moved
    assert (moved["x"] < middle["x"]) == (reader.speech.direction == "rtl")
    page.locator("h1#question").focus()


def answer_by_key(page: Page, speech: Speech) -> None:
    if speech.code == "ar":
        press(page, "ش", "KeyA")
        press(page, "٥", "Digit5")
    else:
        page.keyboard.press("a")
        page.keyboard.press("5")
    expect(page.locator("input[name=answer]:checked")).to_have_value("a")


def guess(reader: Reader) -> None:
    page = reader.page
    reader.button("Guess").press("Enter")
    for turn in range(TEXTS):
        expect(page.locator("#guess")).to_contain_text(f"({turn + 1} ")
        if turn == 0:
            reader.looks()
        if reader.speech.code == "ar":
            press(page, "ء", "KeyX")
        else:
            page.keyboard.press("x")
        page.keyboard.press("Enter")
    reader.sees("Thank you. Your guesses are saved, and there are no more questions.")
    reader.looks()


@pytest.mark.long
@pytest.mark.parametrize("speech", [GERMAN, ARABIC], ids=["german", "arabic"])
def test_an_invitation_is_in_the_language_of_its_study(
    open_page: OpenPage, transactional_db: None, axe: Axe, speech: Speech
) -> None:
    study = expert_in(speech).study
    issued = inviting.invite(study=study, addresses=read_addresses("new@example.org"), role=Role.EXPERT)[0]
    page = open_page(language="en-GB", look=PHONE)
    reader = Reader(page, speech, axe, PHONE)
    page.goto(f"/invitation#{issued.token}")
    expect(page.get_by_role("checkbox")).to_be_visible()
    reader.looks()
    reader.button("Agree and continue").click()
    reader.sees("Please tick this box if you want to take part.")
    page.get_by_role("checkbox").check()
    password = page.get_by_label(speech.say("Choose a password"), exact=True)
    password.fill("short")
    reader.button("Agree and continue").click()
    expect(password).to_have_attribute("aria-invalid", "true")
    reader.looks()
    assert "too short" not in page.content()
    password.fill("violets and rain 17")
    reader.button("Agree and continue").click()
    expect(reader.button("Practise with two short texts")).to_be_focused()


def test_colours_and_language_are_those_of_the_person_and_a_study_speaks_its_own(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(look=DARK_PHONE)
    root = page.locator("html")
    page.goto("/login")
    with step("colours follow the system, and the choice of others is remembered"):
        expect(root).to_have_attribute("data-mantine-color-scheme", "dark")
        page.get_by_role("button", name="Switch to light colours", exact=True).click()
        expect(root).to_have_attribute("data-mantine-color-scheme", "light")
    with step("the checks for English find it"):
        assert {"sign", "password", "invitation"} <= english_on(page, ARABIC)
        assert "invitation" in english_on(page, GERMAN)
    with step("the language chosen at the top is remembered"):
        chooser = page.get_by_label("Language", exact=True)
        expect(chooser).to_have_value("en")
        chooser.select_option("العربية")
        expect(page.get_by_role("heading", name=ARABIC.say("Sign in"), exact=True)).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name=ARABIC.say("Sign in"), exact=True)).to_be_visible()
        expect(root).to_have_attribute("dir", "rtl")
        expect(root).to_have_attribute("data-mantine-color-scheme", "light")
        assert english_on(page, ARABIC) == set()
    with step("the server speaks it, too"):
        page.get_by_label(ARABIC.say("E-mail address"), exact=True).fill("nobody@example.org")
        page.get_by_label(ARABIC.say("Password"), exact=True).fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_text(ARABIC.say("The e-mail address or the password is wrong."), exact=True)).to_be_visible()

    mine = GERMAN.say("My studies")
    with step("a study speaks its own language, and what is around it speaks the person's"):
        page = open_page(study.expert.user, language="de-AT")
        page.goto("/")
        expect(page.get_by_role("button", name="Begin without practice", exact=True)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        page.get_by_role("link", name=TITLE, exact=True).click()
        expect(page.get_by_role("heading", name=mine, exact=True)).to_be_visible()
        page.get_by_role("link", name=f"{GERMAN.say('Begin', 'button')}: {TITLE}", exact=True).click()
        expect(page.get_by_role("button", name="Begin without practice", exact=True)).to_be_visible()
    with step("researchers' pages of it speak the person's"):
        page = open_page(study.researcher, language="de-AT")
        page.goto("/studies/areas")
        expect(page.get_by_role("navigation", name=GERMAN.say("Main"), exact=True)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "de")
    with step("a catalogue that cannot be fetched leaves English"):
        page = open_page(language="de")
        page.route("**/assets/words-de-*.js", lambda route: route.abort())
        page.goto("/login")
        expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "en")
