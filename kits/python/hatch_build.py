"""Makes a wheel for one platform when it is to carry the executable, and one for every platform otherwise.

COXSWAIN_WHEEL_EXECUTABLE names the executable, COXSWAIN_WHEEL_LICENCES the licences of all that is in it. The platform follows from
the name of the executable, `coxswain-linux-x64`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Node 26 needs glibc 2.28 and macOS 13.5, so the executable does too.
PLATFORM_TAGS = {
    "coxswain-linux-x64": "manylinux_2_28_x86_64",
    "coxswain-linux-arm64": "manylinux_2_28_aarch64",
    "coxswain-darwin-arm64": "macosx_13_0_arm64",
}

# Installers put the path of their own interpreter into the first line.
CONSOLE_SCRIPT = """#!python
from coxswain._command import main

main()
"""


class ExecutableBuildHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        named = os.environ.get("COXSWAIN_WHEEL_EXECUTABLE")
        if not named or version == "editable":
            return
        executable = Path(named).resolve(strict=True)
        tag = PLATFORM_TAGS.get(executable.name)
        if tag is None:
            raise ValueError(f"{executable.name} is not one of {', '.join(PLATFORM_TAGS)}")
        if not os.access(executable, os.X_OK):
            raise ValueError(f"{executable} is not executable")
        script = Path(self.directory) / "coxswain-console-script"
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(CONSOLE_SCRIPT)
        script.chmod(0o755)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
        build_data["force_include"][str(executable)] = "coxswain/_bin/coxswain"
        build_data["force_include"][os.environ["COXSWAIN_WHEEL_LICENCES"]] = "coxswain/_bin/LICENCES.txt"
        build_data["shared_scripts"][str(script)] = "coxswain"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        (Path(self.directory) / "coxswain-console-script").unlink(missing_ok=True)
