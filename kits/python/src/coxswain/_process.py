"""A server as a child process that ends with its parent, however that ends."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ._errors import ClusterError

_STOP_SECONDS = 15
_LINES_IN_ERRORS = 30


@dataclass(frozen=True)
class Started:
    """What the command prints when it is ready."""

    server: str
    kubeconfig: Path
    pid: int
    version: str


class ServerProcess:
    """Runs until `stop`, or until this process has ended: the server stops when its standard input reaches its end."""

    def __init__(self, executable: Path, args: Sequence[str], start_timeout: float) -> None:
        self._owner = os.getpid()
        # Without a name in the file system: it takes no reader, and is gone with the last process that has it open.
        self._log: BinaryIO = tempfile.TemporaryFile()
        try:
            self._child = subprocess.Popen(
                [str(executable), *args],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                # Ctrl-C reaches all processes of a terminal's group: the server has to live until the tests are cleaned up.
                start_new_session=True,
            )
        except OSError as error:
            self._log.close()
            raise ClusterError(f"{executable} cannot be run: {error}") from error
        _running.add(self)
        try:
            self.started = self._wait_until_ready(start_timeout)
        except BaseException:
            self._kill()
            raise

    @property
    def returncode(self) -> int | None:
        """None while it runs."""
        return self._child.poll()

    def log(self) -> str:
        """What the server has logged so far; empty after `stop`."""
        if self._log.closed:
            return ""
        # The server writes at the same offset: pread does not move it.
        return os.pread(self._log.fileno(), os.fstat(self._log.fileno()).st_size, 0).decode(errors="replace")

    def stop(self) -> None:
        """In order, with time to clean up; in a forked child nothing. Raises ClusterError when the server had to be killed or failed."""
        if self._log.closed or self._owner != os.getpid():
            return
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.close()
        try:
            code = self._child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill(f"coxswain did not stop within {_STOP_SECONDS} s and was killed")
        else:
            problem = None if code == 0 else self._with_log(f"coxswain ended with {code}")
            self._release()
            if problem is not None:
                raise ClusterError(problem)

    def _wait_until_ready(self, timeout: float) -> Started:
        line = b""

        def read() -> None:
            nonlocal line
            assert self._child.stdout is not None
            line = self._child.stdout.readline()

        # A thread, because a pipe cannot be read with a time limit on every platform.
        reader = threading.Thread(target=read, name="coxswain-start", daemon=True)
        reader.start()
        reader.join(timeout)
        if reader.is_alive():
            raise ClusterError(self._with_log(f"coxswain was not ready within {timeout:g} s"))
        if not line:
            code = self._child.wait(_STOP_SECONDS)
            raise ClusterError(self._with_log(f"coxswain ended with {code} before it was ready"))
        try:
            said = json.loads(line)
            return Started(said["server"], Path(said["kubeconfig"]), said["pid"], said["version"])
        except (ValueError, KeyError, TypeError) as error:
            message = f"coxswain printed {line!r}, which is not what `--output=json` prints; is it older than this package?"
            raise ClusterError(self._with_log(message)) from error

    def _kill(self, problem: str | None = None) -> None:
        self._child.kill()
        self._child.wait()
        text = None if problem is None else self._with_log(problem)
        self._release()
        if text is not None:
            raise ClusterError(text)

    def _release(self) -> None:
        _running.discard(self)
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                stream.close()
        self._log.close()

    def _with_log(self, problem: str) -> str:
        lines = self.log().strip().splitlines()[-_LINES_IN_ERRORS:]
        return "\n".join([problem, *(f"  {line}" for line in lines)])

    def _abandon(self) -> None:
        """In a forked child: gives up the pipe, but not the number of its file, which would be another file's next."""
        if self._child.stdin is not None and not self._child.stdin.closed:
            with open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), self._child.stdin.fileno(), inheritable=False)


_running: weakref.WeakSet[ServerProcess] = weakref.WeakSet()


def _close_in_fork() -> None:
    # A forked child that outlives this process would keep the server running with its copy of the pipe.
    for process in list(_running):
        process._abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_fork)
