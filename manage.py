#!/usr/bin/env python
"""Django's command line for HLV Study: the same as `hlvstudy manage`, in a checkout."""

import sys

from hlvstudy.program.managing import manage
from hlvstudy.program.steps import Trouble

if __name__ == "__main__":
    try:
        manage(sys.argv[1:], program="manage.py")
    except Trouble as trouble:
        sys.exit(str(trouble))
