"""Writes the lock files from pyproject.toml, for every supported platform at once.

requirements.lock        what saccade runs on, and what builds it
requirements-dev.lock    the same and what its tests and checks need
requirements-cuda.lock   what torch brings along on Linux: constraints, because a CPU build of torch brings nothing

python tools/lock.py             keeps the versions that still fit
python tools/lock.py --upgrade   takes the newest that fit
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

UV = Path(sys.executable).with_name("uv")
COMPILE = [str(UV), "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--no-header"]
COMPILE += ["--no-annotate", "pyproject.toml", "--group", "build"]
HEADER = """\
# {what}
# Made by `make upgrade` from pyproject.toml, for Linux, macOS and Windows, x86-64 and ARM64, Python 3.11 and later.
# Without hashes: a CPU build of torch has the same version and another hash, and pip checks all hashes or none.
"""


def main() -> None:
    """All three: the versions of the first are those of the others."""
    more = sys.argv[1:]
    everything = _resolved(more)
    cuda = [line for line in everything if _brought_by_torch(line)]
    _write("requirements.lock", "What saccade runs on, pinned.", [line for line in everything if line not in cuda])
    _write("requirements-cuda.lock", "What torch brings along on Linux, as constraints (pip install -c).", cuda)
    pins = ["--constraint", "requirements.lock", "--constraint", "requirements-cuda.lock"]
    dev = [
        line for line in _resolved(["--extra", "dev", *pins, *more]) if line not in cuda or line.startswith("triton")
    ]
    _write("requirements-dev.lock", "What saccade, its tests and its checks run on, pinned.", dev)


def _resolved(options: list[str]) -> list[str]:
    """The lines of a lock file; without `--upgrade`, versions of the files that are there are preferred."""
    with TemporaryDirectory() as folder:
        output = Path(folder, "all.lock")
        output.write_text("".join(path.read_text(encoding="utf-8") for path in sorted(Path().glob("*.lock"))))
        subprocess.run([*COMPILE, "--output-file", str(output), *options], check=True)
        lines = [line.partition("#")[0].strip() for line in output.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line]


def _brought_by_torch(line: str) -> bool:
    return line.startswith(("nvidia-", "cuda-", "triton=="))


def _write(name: str, what: str, lines: list[str]) -> None:
    Path(name).write_text(HEADER.format(what=what) + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
