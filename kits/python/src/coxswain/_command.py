"""The console script `coxswain` of a wheel that carries the executable."""

from __future__ import annotations

import os
import sys

from ._executable import carried_executable


def main() -> None:
    os.execv(carried_executable, [str(carried_executable), *sys.argv[1:]])
