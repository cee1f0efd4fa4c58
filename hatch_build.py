"""Builds the C++ of src/saccade/kernels when saccade is installed; without a compiler, saccade is installed without."""

import importlib.util
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs before a wheel is made, an editable one included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - given by hatchling
        """Adds the library to the wheel, which then is for this kind of machine; otherwise it is for every kind."""
        source = Path(self.root) / "src/saccade/kernels/cpu_library.py"
        spec = importlib.util.spec_from_file_location("cpu_library", source)
        assert spec is not None
        assert spec.loader is not None
        library = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(library)
        if problem := library.build():
            self.app.display_info(f"The compiled search is left out, and searches on a CPU are slower: {problem}")
            return
        build_data["artifacts"].append(library.path().relative_to(self.root).as_posix())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
