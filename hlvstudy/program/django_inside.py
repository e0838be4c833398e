"""What the commands that copy databases share: Django in this process, and troubles as sentences."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hlvstudy.program.managing import plain_settings
from hlvstudy.program.steps import Trouble


@contextmanager
def django_inside() -> Iterator[Any]:
    """Django, set up; gives its settings.

    Raises:
        Trouble: a setting is wrong, the database does not answer, or nothing could be copied.
    """
    with plain_settings():
        import django
        from django.conf import settings
        from django.db import InterfaceError, OperationalError

        django.setup()
        from hlvstudy.copies import NotCopied

        try:
            yield settings
        except NotCopied as error:
            raise Trouble(str(error)) from None
        except (OperationalError, InterfaceError) as error:
            raise Trouble(f"The database does not answer: {str(error).strip()}") from None
        except OSError as error:
            raise Trouble(f"{error.filename or 'A file'} cannot be used ({error.strerror}).") from None


def tell(text: str) -> None:
    """Say what happens, beside what is written to standard output."""
    print(text, file=sys.stderr, flush=True)


def confirmed(question: str, *, name: str, yes: bool) -> None:
    """Ask the person at the terminal to type a name.

    Raises:
        Trouble: it was not typed, or nobody is there.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise Trouble(f"{question} Give --yes if you mean it.")
    if input(f"{question}\nType its name, {name}, to go on: ").strip() != name:
        raise Trouble("That is not its name. Nothing was changed.")


def database_name(settings: Any) -> str:
    """The name of the database, without where it is and who signs in to it."""
    from pathlib import PurePath

    return PurePath(str(settings.DATABASES["default"]["NAME"])).name
