"""Which command runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

from coxswain import ExecutableNotFoundError, find_executable

ABSENT = Path("/absent")


def test_the_variable_comes_first(command: Command) -> None:
    named = command("exit 0")
    assert find_executable({"COXSWAIN_EXECUTABLE": str(named), "PATH": "/absent"}, carried=command("exit 0")) == named


def test_what_the_wheel_carries_comes_before_path(command: Command, tmp_path: Path) -> None:
    carried = tmp_path / "carried"
    carried.write_bytes(command("exit 0").read_bytes())
    carried.chmod(0o755)
    assert find_executable({"PATH": str(command("exit 0").parent)}, carried=carried) == carried


def test_path_comes_last(command: Command) -> None:
    on_path = command("exit 0")
    assert find_executable({"PATH": str(on_path.parent)}, carried=ABSENT) == on_path


def test_an_empty_variable_is_none(command: Command) -> None:
    on_path = command("exit 0")
    assert find_executable({"COXSWAIN_EXECUTABLE": "", "PATH": str(on_path.parent)}, carried=ABSENT) == on_path


def test_the_error_names_the_three_places() -> None:
    with pytest.raises(ExecutableNotFoundError) as error:
        find_executable({"PATH": "/absent"}, carried=ABSENT)
    for place in ("COXSWAIN_EXECUTABLE", "wheel", "PATH"):
        assert place in str(error.value)


def test_a_variable_that_names_nothing_is_no_reason_to_go_on(command: Command) -> None:
    with pytest.raises(ExecutableNotFoundError, match="COXSWAIN_EXECUTABLE names /absent"):
        find_executable({"COXSWAIN_EXECUTABLE": "/absent", "PATH": str(command("exit 0").parent)})


def test_a_carried_file_without_its_permission_is_an_error(tmp_path: Path) -> None:
    carried = tmp_path / "coxswain"
    carried.write_text("")
    with pytest.raises(ExecutableNotFoundError, match="not executable"):
        find_executable({"PATH": "/absent"}, carried=carried)
