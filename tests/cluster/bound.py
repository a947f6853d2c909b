"""Runs a command that ends with the process that started it: `python bound.py PARENT COMMAND...`, Linux only."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    parent, *command = sys.argv[1:]
    # The setting outlives exec, so the command itself is killed, and no process has to watch it.
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() != int(parent):
        sys.exit(1)  # it has ended already
    os.execvp(command[0], command)
