"""One virtual environment a peer, made on demand: what one library asks for never changes what another one gets.

    python -m bench.environments [NAME ...]     makes those that are missing, and says which cannot be made

Every environment has the torch that saccade is locked to, held by a constraints file: the libraries are compared, not
their torch. A peer whose own requirements forbid that torch is installed without them, and what it does need is named
here. An environment that could not be made keeps the error's last line, and is not tried again until its `.failed`
file is removed.
"""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "bench" / ".envs"
MINUTES = 20
"""How long one call of pip may take."""


class EnvironmentFailed(Exception):
    """A peer's environment cannot be made; the message is the reason, in one line."""


@dataclass(frozen=True)
class Environment:
    """What to install, as the arguments of pip, one tuple for each call; and the import that proves it."""

    installs: tuple[tuple[str, ...], ...]
    imports: str

    @property
    def torch(self) -> bool:
        """Whether it computes with torch; CTranslate2 brings its own kernels, and locust computes nothing."""
        return self.imports not in ("ctranslate2", "locust")


ENVIRONMENTS = {
    "huggingface": Environment((("transformers",),), "transformers"),
    # 2.3.0 imports importlib_metadata and does not ask for it.
    "joeynmt": Environment((("joeynmt", "importlib_metadata"),), "joeynmt.model"),
    "x_transformers": Environment((("x-transformers",),), "x_transformers"),
    "eole": Environment((("eole",),), "eole.models.model"),
    # 3.5.1 asks for torch below 2.3. What it imports and this bench never calls, the adapter replaces when missing.
    "opennmt": Environment(
        (
            (
                *("configargparse", "ctranslate2<5", "tensorboard", "flask", "waitress", "pyonmttok", "pyyaml"),
                *("sacrebleu", "rapidfuzz", "pyahocorasick", "six", "setuptools<81"),
            ),
            ("--no-deps", "OpenNMT-py==3.5.1"),
        ),
        "pyonmttok, configargparse",  # importing onmt itself needs what the adapter replaces
    ),
    # 3.1.34 asks for torch below 1.14.
    "sockeye": Environment(
        (("numpy<2", "pyyaml", "sacrebleu>=2.3"), ("--no-deps", "sockeye==3.1.34")), "sockeye.model"
    ),
    "supar": Environment((("supar==1.1.4",),), "supar"),  # parses, for `bench.parsing_peer`
    "locust": Environment((("locust",),), "locust"),  # asks a server, as many clients
    "ctranslate2": Environment((("ctranslate2", "numpy", "setuptools<81"),), "ctranslate2"),
}


def python_of(name: str) -> Path:
    """The interpreter of an environment, which is made first where there is none; raises EnvironmentFailed."""
    folder = FOLDER / name
    if (folder / "ready").exists():
        return folder / "bin" / "python"
    failed = FOLDER / f"{name}.failed"
    if failed.exists():
        raise EnvironmentFailed(failed.read_text(encoding="utf-8").strip())
    try:
        _make(folder, ENVIRONMENTS[name])
    except EnvironmentFailed as error:
        failed.write_text(f"{error}\n", encoding="utf-8")
        raise
    return folder / "bin" / "python"


def locked_torch() -> str:
    """The line of requirements.lock that names torch."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))


def last_line(text: str) -> str:
    """The last line that says something: of a traceback or of pip, the reason."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error:")]
    return (errors or lines or ["no message"])[-1][:300]


def _make(folder: Path, environment: Environment) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    constraints = FOLDER / "constraints.txt"
    constraints.write_text(locked_torch() + "\n", encoding="utf-8")
    print(f"making {folder.relative_to(ROOT)}", file=sys.stderr, flush=True)
    _call([sys.executable, "-m", "venv", "--clear", str(folder)])
    python = str(folder / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", str(constraints)]
    if environment.torch:
        _call([*pip, locked_torch(), "numpy"])
    for arguments in environment.installs:
        _call([*pip, *arguments])
    _call([python, "-W", "ignore", "-c", f"import {environment.imports}"])
    (folder / "ready").touch()


def _call(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES, check=False)
    except subprocess.TimeoutExpired:
        raise EnvironmentFailed(f"`{command[3]}` took longer than {MINUTES} minutes") from None
    if done.returncode:
        raise EnvironmentFailed(last_line(done.stderr))


def main(names: Sequence[str]) -> int:
    """Makes the environments named, or all."""
    for name in names or ENVIRONMENTS:
        try:
            print(f"{name}: {python_of(name)}", flush=True)
        except EnvironmentFailed as error:
            print(f"{name}: {error}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
