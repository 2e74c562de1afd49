from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

Command = Callable[[str], Path]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Makes a command of lines of shell, for what the real one does seldom."""

    def make(lines: str) -> Path:
        path = tmp_path / "bin" / "coxswain"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)
        return path

    return make
