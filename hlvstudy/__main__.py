"""`python -m hlvstudy` is the command `hlvstudy`, also where it is not installed."""

import sys

from hlvstudy.program.main import main

sys.exit(main())
