"""Where the command is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from ._errors import ExecutableNotFoundError

VARIABLE = "COXSWAIN_EXECUTABLE"

carried_executable = Path(__file__).parent / "_bin" / "coxswain"
"""The executable in a wheel for one platform; a wheel for every platform has none."""


def find_executable(environ: Mapping[str, str] = os.environ, carried: Path = carried_executable) -> Path:
    """The command that a cluster runs: what COXSWAIN_EXECUTABLE names, else what the wheel carries, else `coxswain` on PATH.

    Raises ExecutableNotFoundError when there is none, and when the variable names something that cannot be run.
    """
    named = environ.get(VARIABLE)
    if named:
        if not _is_executable(Path(named)):
            raise ExecutableNotFoundError(f"{VARIABLE} names {named}, which is not an executable file")
        return Path(named)
    if carried.exists():
        if not _is_executable(carried):
            raise ExecutableNotFoundError(f"{carried} came with this package and is not executable; install the package again")
        return carried
    on_path = shutil.which("coxswain", path=environ.get("PATH", os.defpath))
    if on_path is None:
        raise ExecutableNotFoundError(
            f"there is no coxswain to run: {VARIABLE} is not set, this wheel of coxswain carries no executable, "
            "and there is no coxswain on PATH (`npm install --global coxswain` puts one there)"
        )
    return Path(on_path)


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
