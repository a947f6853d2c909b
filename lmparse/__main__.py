"""`python -m lmparse`."""

import sys

from lmparse.cli import main

sys.exit(main())
