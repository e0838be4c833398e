"""`python -m hlvstudy` is the command `hlvstudy`, even if it is not installed."""

import sys

from hlvstudy.program.main import main

sys.exit(main())
