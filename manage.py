#!/usr/bin/env python
"""Django's command line for HLV Study."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A wrong setting is the reader's to mend: the sentence says how, a traceback would hide it.
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
