"""A command `lmparse` that starts at once, for what runs many: a server that has imported all of it forks for each.

Somewhat more than half of the time of a small command is its imports. A command of the server has its own working
folder, environment, arguments and streams, and ends as it does otherwise. What is shown of the start itself is shown
of a Python of its own, see cli/test_main.py.

`python forked.py ADDRESS` is the server; it ends when its standard input does.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import marshal
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path

ALSO = ("pyarrow.csv", "pyarrow.dataset", "pyarrow.parquet", "deltalake", "html", "jinja2", "yaml")
NOT = ("lmparse.spark", "lmparse.__main__", "lmparse._")
CLIENT = """\
#!{python} -IS
import marshal, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    order = marshal.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)])
    socket.send_fds(server, [len(order).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(order)
    code = server.recv(1)
sys.exit(code[0] if code else "lmparse ended without an exit code")
"""


def command(folder: Path) -> Path:
    """Put `lmparse` into a folder, which is made for it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "lmparse"
    path.write_text(CLIENT.format(python=sys.executable, address=_address()))
    path.chmod(0o755)
    return path


@cache
def _address() -> str:
    """The address of a server, which is started, and ends with this process."""
    folder = tempfile.mkdtemp(prefix="lmparse-forked-")
    address = f"{folder}/socket"
    server = subprocess.Popen([sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    server.stdout.close()

    def end() -> None:
        assert server.stdin is not None
        server.stdin.close()
        server.wait()
        os.unlink(address)
        os.rmdir(folder)

    atexit.register(end)
    return address


def _serve(address: str) -> None:
    import lmparse

    found = pkgutil.walk_packages(lmparse.__path__, "lmparse.", onerror=lambda name: None)
    for name in (*(entry.name for entry in found if not entry.name.startswith(NOT)), *ALSO):
        with contextlib.suppress(ImportError):  # of what is not installed
            import_module(name)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a command but who asked for it
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
            connection, _ = server.accept()
            with connection:
                if os.fork() == 0:
                    server.close()
                    os._exit(_run(connection))


def _run(connection: socket.socket) -> int:
    """Run the command that is asked for, and tell its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, *_ = socket.recv_fds(connection, 4, 3)
    with connection.makefile("rb") as order:
        words, folder, environment = marshal.loads(order.read(int.from_bytes(size, "big")))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = ["lmparse", *words]
    code: object = 1
    try:
        code = import_module("lmparse.__main__").main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    found = code if isinstance(code, int) else int(code is not None)
    connection.sendall(bytes([found]))
    return found


if __name__ == "__main__":
    _serve(sys.argv[1])
