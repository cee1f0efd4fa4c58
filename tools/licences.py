"""Lists the licences of everything that is locked in docs/licences.md, and refuses those that are not allowed.

python tools/licences.py           writes the document
python tools/licences.py --check   fails where the document and what is installed disagree
"""

import json
import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path("docs/licences.md")
ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python", "ISC", "MIT"),
    *("MIT-CMU", "MPL-2.0", "PSF-2.0", "Python-2.0", "Zlib", "Apache-2.0 WITH LLVM-exception"),
}
"""Licences under which a package may be used and passed on with ours; names are those of SPDX."""
SPDX = {
    "Apache Software License": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""What older metadata calls them."""
EXCEPTIONS = {
    "axe-playwright-python": "MIT",  # says so in its repository, not in its metadata
    "codespell": "GPL-2.0-only",  # a tool that is run on the text and never passed on
}
HEADER = """\
# Licences of what saccade depends on

Written by `make licences` from the metadata of the locked packages; `make check` refuses a licence that is not on the
list in `tools/licences.py`. On Linux the torch of the Python Package Index also brings NVIDIA's CUDA libraries
(`requirements-cuda.lock`), which are under NVIDIA's own licence; a CPU build of torch brings none.
"""


def main() -> int:
    """Writes or checks the document; returns the exit code."""
    found = _installed()
    bad = [f"{name} ({licence})" for name, (licence, _) in found.items() if not _allowed(name, licence)]
    if bad:
        print(f"error: licences must be allowed by tools/licences.py, but these are not: {', '.join(bad)}.")
        return 1
    runtime, everything = (_locked(Path(file)) for file in ("requirements.lock", "requirements-dev.lock"))
    dev = {name: version for name, version in everything.items() if name not in runtime}
    tables = {"To run it": _rows(runtime, found), "To develop it": _rows(dev, found)}
    if "--check" in sys.argv[1:]:
        missing = set(sum(tables.values(), [])) - set(DOCUMENT.read_text(encoding="utf-8").splitlines())
        for row in sorted(missing):
            print(f"error: {DOCUMENT} must list what is installed, but lacks {row} Run: make licences")
        return int(bool(missing))
    parts = [f"\n## {title}\n\n| package | version | licence |\n|---|---|---|\n" for title in tables]
    text = "".join(part + "\n".join(rows) + "\n" for part, rows in zip(parts, tables.values(), strict=True))
    DOCUMENT.write_text(HEADER + text, encoding="utf-8")
    return 0


def _installed() -> dict[str, tuple[str, str]]:
    """Licence and address of every installed package."""
    command = [Path(sys.executable).with_name("pip-licenses"), "--format=json", "--with-urls", "--with-system"]
    listed = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {_name(one["Name"]): (_spdx(_name(one["Name"]), one["License"]), one["URL"]) for one in listed}


def _locked(path: Path) -> dict[str, str]:
    """The versions of a lock file; where a package has two, the first is that of the Python versions in use."""
    pins = re.findall(r"^([a-z0-9.-]+)==([^\s;]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(reversed(pins))


def _rows(locked: dict[str, str], found: dict[str, tuple[str, str]]) -> list[str]:
    rows = []
    for name in sorted(locked.keys() & found.keys()):
        licence, address = found[name]
        shown = f"[{name}]({address})" if address.startswith("http") else name
        rows.append(f"| {shown} | {locked[name]} | {licence} |")
    return rows


def _spdx(name: str, licence: str) -> str:
    if name in EXCEPTIONS:
        return EXCEPTIONS[name]
    return " OR ".join(SPDX.get(part.strip(), part.strip()) for part in licence.split(";"))


def _allowed(name: str, licence: str) -> bool:
    """Whether every licence that must be kept is allowed; of alternatives one is enough."""
    if name in EXCEPTIONS or name == "saccade":
        return True
    return any(
        all(part.strip("() ") in ALLOWED for part in alternative.split(" AND "))
        for alternative in licence.split(" OR ")
    )


def _name(written: str) -> str:
    return re.sub(r"[-_.]+", "-", written).lower()


if __name__ == "__main__":
    raise SystemExit(main())
