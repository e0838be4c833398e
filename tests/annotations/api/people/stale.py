"""A session as a thief has it: signed in, and its person proved long ago who they are."""

import time

from django.test import Client

from annotations.people.sign_in.proof import FRESH_FOR, PROVEN_AT


def made_stale(browser: Client, seconds: float = FRESH_FOR.total_seconds() + 1) -> Client:
    """The same browser, when its person proved so many seconds ago who they are."""
    session = browser.session
    session[PROVEN_AT] = int(time.time() - seconds)
    session.save()
    return browser
