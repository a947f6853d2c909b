"""`python -m lmparse`."""

import sys

from lmparse.cli.command_line import main

sys.exit(main())
