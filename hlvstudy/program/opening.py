"""Open the browser, if there is one and somebody to see it."""

import os
import sys
import webbrowser
from contextlib import suppress


def open_browser(address: str) -> bool:
    """Show the address in the person's browser; returns whether there was one to ask."""
    if not has_somebody_who_looks():
        return False
    with suppress(webbrowser.Error, OSError):
        return webbrowser.open(address)
    return False


def has_somebody_who_looks() -> bool:
    """Whether a person is at a terminal of this machine, with a screen: not in a pipe, in CI, or over the network."""
    if not sys.stdout.isatty() or os.environ.get("CI"):
        return False
    if sys.platform in {"darwin", "win32"}:
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
